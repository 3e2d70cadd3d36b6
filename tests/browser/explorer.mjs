// Drives the API explorer in a real browser against a real server.
//
//   PLINTH=target/debug/plinth CHROMIUM=chromium node explorer.mjs [folder for screenshots]
//
// Each story runs in a fresh page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { tell } from './service.mjs';

const TOKEN = 'ghp_browserbrowser';
const WAIT_MILLISECONDS = 15_000;
const screenshots = process.argv[2];

let origin;

const stories = {
  async 'it loads, without a complaint and from nowhere else'({ page, requests }) {
    await page.waitForSelector('#operations a');
    assert.ok(await page.locator('#operations a').count() > 15);
    assert.match(await page.locator('#guide').innerText(), /The API of this server/);
    assert.deepEqual(requests.filter((address) => !address.startsWith(origin)), []);
  },

  async 'an operation is shown with its parameters, rights and answers'({ page, open }) {
    await open('repos/get');
    const text = await page.locator('#operation').innerText();
    for (const part of ['Get a repository', '/repos/{owner}/{repo}', 'owner', 'metadata: read', '200', 'required']) {
      assert.ok(text.includes(part), `${part} is missing in:\n${text}`);
    }
    assert.ok(!text.includes('[object'), text);
    await page.getByText('Answers that many operations give').click();
    assert.match(await page.locator('#operation').innerText(), /404\s+Absent, or not visible/);
    await page.getByText('What a good answer holds').click();
    assert.match(await page.locator('#operation').innerText(), /full_name/);
  },

  async 'a request is sent with the token, and the answer is shown'({ page, open, send, shot }) {
    await open('repos/get');
    await page.fill('#path-repo', 'secret');
    assert.equal(await send(), '404 Not Found');
    await page.fill('#token', TOKEN);
    assert.match(await page.locator('#curl').innerText(), /Authorization: Bearer \$TOKEN/);
    assert.ok(!(await page.locator('main').innerText()).includes(TOKEN), 'the token is not written out');
    assert.equal(await send(), '200 OK');
    const answer = JSON.parse(await page.locator('#answer').innerText());
    assert.equal(answer.full_name, 'octo-org/secret');
    await page.getByText(/\d+ headers/).click();
    assert.match(await page.locator('.headers').innerText(), /x-oauth-scopes/);
    await shot('answer');
  },

  async 'a body is sent, and what was made can be deleted'({ page, open, send }) {
    await page.fill('#token', TOKEN);
    await open('repos/create-in-org');
    await page.fill('textarea', '{"name": "made-here", "descrip');
    assert.notEqual(await page.locator('.problem').innerText(), '', 'broken JSON is noticed');
    await page.fill('textarea', '{"name": "made-here", "description": "<img src=x onerror=alert(1)>"}');
    assert.equal(await page.locator('.problem').innerText(), '');
    assert.match(await page.locator('#curl').innerText(), /-X POST .*-d '\{"name":"made-here"/s);
    assert.equal(await send(), '201 Created');
    assert.match(await page.locator('#answer').innerText(), /<img src=x onerror=alert\(1\)>/);
    assert.equal(await page.locator('#answer img').count(), 0, 'answers are text');
    await open('repos/delete');
    await page.fill('#path-repo', 'made-here');
    assert.equal(await send(), '204 No Content');
  },

  async 'pages are followed'({ page, open, send }) {
    await page.fill('#token', 'ghs_browserbrowser');
    await open('apps/list-repos-accessible-to-installation');
    if (!await page.locator('.try').count()) return 'not served yet';
    await page.fill('#query-per_page', '1');
    await send();
    await page.getByRole('button', { name: 'next page' }).click();
    await page.getByRole('button', { name: 'prev page' }).waitFor();
    assert.match(await page.locator('#answer').innerText(), /octo-org\/secret/);
  },

  async 'the token is kept nowhere but in memory'({ page, open, send, context }) {
    await page.fill('#token', TOKEN);
    await open('users/get-authenticated');
    assert.equal(await send(), '200 OK');
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
    assert.ok(!kept.includes(TOKEN), kept);
    assert.equal((await context.cookies()).length, 0);
    await page.reload();
    await page.waitForSelector('.try');
    assert.equal(await page.inputValue('#token'), '');
  },

  async 'errors lead to the right place'({ page, open, send }) {
    await open('users/get-by-username');
    await page.fill('#path-username', 'nobody');
    assert.equal(await send(), '404 Not Found');
    const { documentation_url: address } = JSON.parse(await page.locator('#answer').innerText());
    await page.goto(address);
    assert.equal(await page.locator('h1:visible').innerText(), 'Get a user');
    for (const [place, title] of [['rate-limits-for-the-rest-api', 'Rate limits'], ['about-secondary-rate-limits', 'Secondary rate limits']]) {
      await page.goto(`${origin}/docs#${place}`);
      const heading = page.getByRole('heading', { name: title, exact: true });
      await heading.waitFor();
      const top = await heading.evaluate((element) => element.getBoundingClientRect());
      assert.ok(top.top >= 0 && top.bottom <= 900, `${title} is in view`);
    }
  },

  async 'the keyboard is enough'({ page }) {
    await page.waitForSelector('#operations a');
    await page.keyboard.press('/');
    await page.keyboard.type('caller budget');
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

  async 'it fits a phone'({ page, open, send, shot }) {
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
    assert.ok(!await page.locator('#nav').isVisible(), 'the menu closes behind a choice');
    await shot('phone');
  },

  async 'it reads well by day and by night'({ page, open, shot }) {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await open('repos/create-in-org');
      const contrasts = await page.evaluate(contrast);
      for (const [place, ratio] of contrasts) assert.ok(ratio >= 4.5, `${place} has a contrast of ${ratio} in ${colorScheme}`);
      await shot(colorScheme);
    }
  },
};

/** The contrast of some texts with what lies behind them; runs in the page. */
function contrast() {
  const light = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$|transparent/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const places = ['h1', 'main p', '.facts li', 'nav a', 'nav a .GET', 'nav a .POST', 'nav a .DELETE', 'nav h2', '.send button', '.send small',
    '.shape .type', '.shape .must', '.shape p', '.path var', '#curl', '#token-note', '.field label', 'summary'];
  return places.map((place) => [place, document.querySelector(place)]).filter(([, element]) => element).map(([place, element]) => {
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
    return [place, Math.round(((one + 0.05) / (other + 0.05)) * 100) / 100];
  });
}

async function run(browser, url, story) {
  origin = url;
  // Without motion a colour is at once what it will be: half a fade has a contrast of its own.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT_MILLISECONDS);
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => { complaints.push('a dialog'); dialog.dismiss(); });
  // The browser itself notes every answer of 400 and above; those are part of some stories.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
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
    const remark = await story({ page, context, requests, open, send, shot });
    assert.deepEqual(complaints, []);
    return remark ?? '';
  } finally {
    await context.close();
  }
}

await tell('state.yaml', stories, run);
