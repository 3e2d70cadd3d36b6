// Tests the API explorer in a real browser against a real server.
//
//   PLINTH=target/debug/plinth CHROMIUM=chromium node explorer.mjs [directory for screenshots]
//
// Each test runs in a new page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runTests } from './service.mjs';

const TOKEN = 'ghp_browserbrowser';
const WAIT_MILLISECONDS = 15_000;
const screenshots = process.argv[2];

let origin;

const tests = {
  async 'page loads without errors and without third-party requests'({ page, requests }) {
    await page.waitForSelector('#operations a');
    assert.ok(await page.locator('#operations a').count() > 15);
    assert.match(await page.locator('#guide').innerText(), /The API of this server/);
    assert.deepEqual(requests.filter((requested) => !requested.startsWith(origin)), []);
  },

  async 'operation is shown with parameters, rights and responses'({ page, open }) {
    await open('repos/get');
    const text = await page.locator('#operation').innerText();
    for (const part of ['Get a repository', '/repos/{owner}/{repo}', 'owner', 'metadata: read', '200', 'required']) {
      assert.ok(text.includes(part), `${part} is missing in:\n${text}`);
    }
    assert.ok(!text.includes('[object'), text);
    await page.getByText('Common responses').click();
    assert.match(await page.locator('#operation').innerText(), /404\s+Does not exist, or is not visible/);
    await page.getByText('Schema of the response').click();
    assert.match(await page.locator('#operation').innerText(), /full_name/);
  },

  async 'request is sent with the token, and the response is shown'({ page, open, send, shot }) {
    await open('repos/get');
    await page.fill('#path-repo', 'secret');
    assert.equal(await send(), '404 Not Found');
    await page.fill('#token', TOKEN);
    assert.match(await page.locator('#curl').innerText(), /Authorization: Bearer \$TOKEN/);
    assert.ok(!(await page.locator('main').innerText()).includes(TOKEN), 'the token is not written out');
    assert.equal(await send(), '200 OK');
    const response = JSON.parse(await page.locator('#response').innerText());
    assert.equal(response.full_name, 'octo-org/secret');
    await page.getByText(/\d+ headers/).click();
    assert.match(await page.locator('.headers').innerText(), /x-oauth-scopes/);
    await shot('response');
  },

  async 'repository is created with a body and deleted'({ page, open, send }) {
    await page.fill('#token', TOKEN);
    await open('repos/create-in-org');
    await page.fill('textarea', '{"name": "made-here", "descrip');
    assert.notEqual(await page.locator('.problem').innerText(), '', 'malformed JSON is reported');
    await page.fill('textarea', '{"name": "made-here", "description": "<img src=x onerror=alert(1)>"}');
    assert.equal(await page.locator('.problem').innerText(), '');
    assert.match(await page.locator('#curl').innerText(), /-X POST .*-d '\{"name":"made-here"/s);
    assert.equal(await send(), '201 Created');
    assert.match(await page.locator('#response').innerText(), /<img src=x onerror=alert\(1\)>/);
    assert.equal(await page.locator('#response img').count(), 0, 'responses are text');
    await open('repos/delete');
    await page.fill('#path-repo', 'made-here');
    assert.equal(await send(), '204 No Content');
  },

  async 'pagination buttons work'({ page, open, send }) {
    await page.fill('#token', 'ghs_browserbrowser');
    await open('apps/list-repos-accessible-to-installation');
    if (!await page.locator('.try').count()) return 'not served yet';
    await page.fill('#query-per_page', '1');
    await send();
    await page.getByRole('button', { name: 'next page' }).click();
    await page.getByRole('button', { name: 'prev page' }).waitFor();
    assert.match(await page.locator('#response').innerText(), /octo-org\/secret/);
  },

  async 'token is only in memory'({ page, open, send, context }) {
    await page.fill('#token', TOKEN);
    await open('users/get-authenticated');
    assert.equal(await send(), '200 OK');
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
    assert.ok(!stored.includes(TOKEN), stored);
    assert.equal((await context.cookies()).length, 0);
    await page.reload();
    await page.waitForSelector('.try');
    assert.equal(await page.inputValue('#token'), '');
  },

  async 'documentation_url of errors points to the operation'({ page, open, send }) {
    await open('users/get-by-username');
    await page.fill('#path-username', 'nobody');
    assert.equal(await send(), '404 Not Found');
    const { documentation_url: url } = JSON.parse(await page.locator('#response').innerText());
    await page.goto(url);
    assert.equal(await page.locator('h1:visible').innerText(), 'Get a user');
    for (const [anchor, title] of [['rate-limits-for-the-rest-api', 'Rate limits'], ['about-secondary-rate-limits', 'Secondary rate limits']]) {
      await page.goto(`${origin}/docs#${anchor}`);
      const heading = page.getByRole('heading', { name: title, exact: true });
      await heading.waitFor();
      const top = await heading.evaluate((element) => element.getBoundingClientRect());
      assert.ok(top.top >= 0 && top.bottom <= 900, `${title} is in view`);
    }
  },

  async 'keyboard alone is sufficient'({ page }) {
    await page.waitForSelector('#operations a');
    await page.keyboard.press('/');
    await page.keyboard.type('caller rate limit');
    assert.equal(await page.locator('#operations a').count(), 1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.try');
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
    for (let steps = 0; steps < 20; steps += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement.textContent === 'Send')) break;
    }
    await page.keyboard.press('Enter');
    await page.waitForSelector('#status');
    await page.keyboard.press('/');
    await page.keyboard.type('no such thing');
    assert.ok(await page.locator('#nothing').isVisible());
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#operations a').count() > 15);
  },

  async 'page fits a phone'({ page, open, send, shot }) {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('repos/create-in-org');
    await page.fill('textarea', '{}');
    await page.fill('#token', TOKEN);
    assert.match(await send(), /^422/);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `the page is ${width} wide`);
    assert.ok(!await page.locator('#nav').isVisible());
    await page.click('#menu');
    assert.ok(await page.locator('#nav').isVisible());
    await page.getByRole('link', { name: 'Get a user', exact: false }).first().click();
    assert.ok(!await page.locator('#nav').isVisible(), 'the menu closes after a choice');
    await shot('phone');
  },

  async 'contrast is sufficient in light and dark mode'({ page, open, shot }) {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await open('repos/create-in-org');
      const contrasts = await page.evaluate(contrast);
      for (const [selector, ratio] of contrasts) assert.ok(ratio >= 4.5, `${selector} has a contrast of ${ratio} in ${colorScheme}`);
      await shot(colorScheme);
    }
  },
};

/** The contrast of some texts with their background; runs in the page. */
function contrast() {
  const light = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$|transparent/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const selectors = ['h1', 'main p', '.facts li', 'nav a', 'nav a .GET', 'nav a .POST', 'nav a .DELETE', 'nav h2', '.send button', '.send small',
    '.shape .type', '.shape .must', '.shape p', '.path var', '#curl', '#token-note', '.field label', 'summary'];
  return selectors.map((selector) => [selector, document.querySelector(selector)]).filter(([, element]) => element).map(([selector, element]) => {
    const [one, other] = [light(getComputedStyle(element).color), light(background(element))].sort((a, b) => b - a);
    return [selector, Math.round(((one + 0.05) / (other + 0.05)) * 100) / 100];
  });
}

async function run(browser, url, test) {
  origin = url;
  // Without motion colours change at once; in the middle of a transition the contrast differs.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT_MILLISECONDS);
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => { problems.push('a dialog'); dialog.dismiss(); });
  // The browser logs every response of 400 and above; some tests expect those.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  await page.goto(`${origin}/docs`);
  await page.waitForSelector('#operations a', { state: 'attached' });
  const open = async (operation) => {
    await page.evaluate((name) => { location.hash = name; }, operation);
    // The link is marked after the operation is shown; the hash changes before.
    await page.waitForFunction((name) => decodeURIComponent(document.querySelector('#operations [aria-current]')?.hash ?? '') === `#${name}`, operation);
  };
  const send = async () => {
    await page.evaluate(() => document.getElementById('status')?.remove());
    await page.click('.send button');
    return page.locator('#status').innerText();
  };
  const shot = async (label) => {
    if (screenshots) await page.screenshot({ path: join(screenshots, `${label}.png`), fullPage: true });
  };
  try {
    const remark = await test({ page, context, requests, open, send, shot });
    assert.deepEqual(problems, []);
    return remark ?? '';
  } finally {
    await context.close();
  }
}

await runTests('state.yaml', tests, run);
