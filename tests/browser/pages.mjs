// Tests the HTML pages in a real browser against a real server.
//
//   PLINTH=target/debug/plinth CHROMIUM=chromium node pages.mjs [directory for screenshots]
//
// Every page is also checked by axe, in light and dark and at a phone's width.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runTests } from './service.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const attempts = JSON.parse(readFileSync(new URL('attempts.json', import.meta.url))).flatMap((group) => group.texts)
  .filter((text) => !text.includes('\0'));
const screenshots = process.argv[2] ?? process.env.SCREENSHOTS;
const PULL = '/octo-org/hello/pull/1';
const MONA = 'ghp_browsermona';
const HUBOT = 'ghp_browserhubot';

const PAGES = {
  home: '/', account: '/octo-org', user: '/mona', repository: '/octo-org/hello', tree: '/octo-org/hello/tree/main/src',
  file: '/octo-org/hello/blob/main/src/count.rs#L4-L9', markdown: '/octo-org/hello/blob/main/docs/guide.md', commits: '/octo-org/hello/commits/faster',
  compare: '/octo-org/hello/compare/main...faster', branches: '/octo-org/hello/branches', tags: '/octo-org/hello/tags',
  pulls: '/octo-org/hello/pulls', pull: PULL, files: `${PULL}/files`, 'pull-commits': `${PULL}/commits`, issues: '/octo-org/hello/issues',
  'new-issue': '/octo-org/hello/issues/new', releases: '/octo-org/hello/releases', project: '/orgs/octo-org/projects/1',
  'issue-fields': '/organizations/octo-org/settings/issue-fields', app: '/apps/helper', installation: '/organizations/octo-org/settings/installations/1',
  notifications: '/-/notifications', device: '/login/device', 'not-found': '/octo-org/nothing', reply: `${PULL}?reply=1#discussion_r1`,
};

const tests = {
  async 'every page is accessible in light and dark and fits a phone'({ page, goto, signIn, shot }) {
    await goto('/-/sign-in');
    const violations = await check(page, 'sign-in');
    await shot('sign-in');
    await page.click('text=Show a code');
    violations.push(...await check(page, 'code'));
    await shot('code');
    await signIn(MONA);
    for (const [name, path] of Object.entries(PAGES)) {
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width: 1280, height: 900 });
        await goto(path, name === 'not-found' ? 404 : 200);
        violations.push(...await check(page, `${name} in ${colorScheme}`));
        await shot(`${name}-${colorScheme}`);
      }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 390, height: 844 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 390) violations.push(`${name} is ${width} wide on a phone`);
      await shot(`${name}-phone`);
    }
    assert.deepEqual(violations, []);
    return `${Object.keys(PAGES).length} pages`;
  },

  async 'first pages are small and load nothing from elsewhere'({ page, goto, requests, origin }) {
    for (const path of ['/', '/octo-org/hello', PULL, `${PULL}/files`]) {
      const response = await goto(path);
      const scripts = await page.evaluate(() => performance.getEntriesByType('resource').reduce((sum, entry) => sum + (entry.name.includes('/-/') ? entry.decodedBodySize : 0), 0));
      const size = (await response.body()).length + scripts;
      assert.ok(size < 100_000, `${path} has ${size} bytes`);
    }
    assert.deepEqual(requests.filter((url) => !url.startsWith(origin)), []);
  },

  async 'pull request is reviewed with a mouse'({ page, goto, signIn, api, shot }) {
    await signIn(MONA);
    await goto(`${PULL}/files`);
    const row = (text) => page.locator('.file .diff tr', { hasText: text }).first();
    await row('assert_eq!(count(0)').locator('td').nth(1).click();
    await page.fill('tr.new-comment textarea', 'Good case.');
    await page.click('text=Add to review');
    await page.waitForSelector('text=1 comment waits');
    await row('#[test]').locator('td').nth(1).click();
    await row('fn counts').locator('td').nth(1).click({ modifiers: ['Shift'] });
    assert.equal(await page.inputValue('tr.new-comment [name=start_line]'), '8');
    await page.fill('tr.new-comment textarea', 'One test for both?');
    await shot('line-form');
    await page.click('text=Add to review');
    await page.waitForSelector('text=2 comments wait');
    assert.equal((await api(HUBOT, 'pulls/1/comments')).length, 2, 'pending comments are not visible to others');
    await page.fill('#review-body', 'Nearly there.');
    await page.check('[value=REQUEST_CHANGES]');
    await page.click('text=Submit review');
    await page.waitForURL(/files/);
    const comments = await api(HUBOT, 'pulls/1/comments');
    assert.deepEqual(comments.slice(2).map(({ body, start_line: start, line }) => [body, start, line]), [['Good case.', null, 11], ['One test for both?', 8, 9]]);
    const reviews = await api(HUBOT, 'pulls/1/reviews');
    assert.equal(reviews.at(-1).state, 'CHANGES_REQUESTED');
    await goto(PULL);
    assert.match(await page.innerText('main'), /requested changes/);
    await page.locator('.thread', { hasText: 'Is the name' }).getByText('Reply').click();
    await page.fill('[name=reply_to] ~ textarea', 'Then let us keep it.');
    await page.locator('form.stack button', { hasText: 'Reply' }).click();
    await page.waitForURL(/discussion_r/);
    assert.ok(await page.locator('article:target').isVisible(), 'the anchor leads to the reply');
    await page.locator('.thread', { hasText: 'Is the name' }).getByText('Resolve').click();
    await page.waitForSelector('text=Resolved by mona');
    assert.equal((await api(HUBOT, 'pulls/1/threads'))[0].is_resolved, true);
    await shot('reviewed');
  },

  async 'pull request is edited, closed and reopened without scripts'({ api }, { browser, origin }) {
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: origin });
    const page = await context.newPage();
    await page.goto('/-/sign-in');
    await page.fill('#token', HUBOT);
    await page.click('button.primary');
    await page.goto(PULL);
    await page.locator('article.comment').first().getByText('Edit').click();
    await page.fill('#pull-title', 'Count at once');
    await page.click('text=Save');
    assert.equal((await api(MONA, 'pulls/1')).title, 'Count at once');
    await page.fill('#comment', 'From a browser without scripts.');
    await page.locator('form.stack button', { hasText: 'Comment' }).click();
    assert.equal((await api(MONA, 'issues/1/comments')).at(-1).body, 'From a browser without scripts.');
    await page.locator('button', { hasText: 'Close' }).click();
    assert.equal((await api(MONA, 'pulls/1')).state, 'closed');
    await page.locator('button', { hasText: 'Reopen' }).click();
    assert.equal((await api(MONA, 'pulls/1')).state, 'open');
    await page.goto(`${PULL}/files`);
    await page.click('text=Comment on a line');
    await page.fill('.line-form [name=line]', '5');
    await page.fill('.line-form textarea', 'Typed the number.');
    await page.click('text=Comment now');
    assert.equal((await api(MONA, 'pulls/1/comments')).at(-1).line, 5);
    await context.close();
  },

  async 'keyboard moves between files and comments'({ page, goto, signIn }) {
    await signIn(MONA);
    await goto(`${PULL}/files`);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const first = await page.evaluate(() => document.activeElement.className || document.activeElement.localName);
    assert.match(first, /comment|summary/);
    await page.keyboard.press('c');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'review-body');
    await page.keyboard.press('Escape');
  },

  async 'lines that a diff leaves out are shown on demand'({ page, goto, origin, shot }) {
    await goto(`${PULL}/files`);
    const file = page.locator('.file', { hasText: 'src/count.rs' });
    const content = await (await fetch(`${origin}/octo-org/hello/raw/faster/src/count.rs`)).text();
    await file.locator('.expand').first().click();
    await file.locator('tr.x').first().waitFor();
    while (await file.locator('.expand').count()) await file.locator('.expand').first().click();
    await shot('expanded');
    const rows = await file.locator('table.diff tr').evaluateAll((all) => all.filter((row) => row.cells.length === 3)
      .map((row) => [row.cells[1].textContent, row.cells[2].textContent]).filter(([number]) => number));
    assert.deepEqual(rows, content.trimEnd().split('\n').map((line, index) => [String(index + 1), line]));
  },

  async 'nothing that a user wrote runs on any page'({ page, goto, signIn, api, errors, origin }) {
    const bodies = [];
    for (let start = 0; start < attempts.length; start += 25) bodies.push(attempts.slice(start, start + 25).join('\n\n'));
    const title = '<img src=x onerror=alert(1)><script>alert(2)</script>"\'>';
    const issue = await api(MONA, 'issues', { title, body: bodies[0] });
    for (const body of bodies) {
      await api(MONA, `issues/${issue.number}/comments`, { body });
      await api(MONA, 'issues/1/comments', { body });
    }
    const { head } = await api(MONA, 'pulls/1');
    for (const body of bodies) await api(MONA, 'pulls/1/comments', { body, commit_id: head.sha, path: 'src/count.rs', line: 5 });
    const content = Buffer.from(attempts.join('\n\n')).toString('base64');
    const put = (path, message) => api(MONA, `contents/${path}`, { message, content, branch: 'faster' }, 'PUT');
    await put('evil.md', title);
    await put(encodeURIComponent('<svg onload=alert(1)>.html'), title);
    await signIn(MONA);
    const paths = [`/octo-org/hello/issues/${issue.number}`, '/octo-org/hello/issues', PULL, `${PULL}/files`, `${PULL}/commits`, '/octo-org/hello/commits/faster',
      '/octo-org/hello/blob/faster/evil.md', '/octo-org/hello/blob/faster/evil.md?plain=1', '/octo-org/hello/tree/faster', '/octo-org/hello/compare/main...faster',
      `/octo-org/hello/blob/faster/${encodeURIComponent('<svg onload=alert(1)>.html')}`,
      '/-/notifications', '/?page=<script>alert(1)</script>', '/octo-org/hello/pulls?base="><script>alert(1)</script>', '/-/sign-in?to=javascript:alert(1)'];
    for (const path of paths) {
      await goto(path);
      const seen = await page.evaluate(inspect);
      assert.deepEqual([...seen, ...errors.splice(0)], [], path);
    }
    // In a sandbox nothing runs, not even what a driver evaluates.
    const raw = await goto(`/octo-org/hello/raw/faster/${encodeURIComponent('<svg onload=alert(1)>.html')}`);
    assert.equal(raw.headers()['content-type'], 'text/plain; charset=utf-8');
    assert.match(raw.headers()['content-security-policy'], /sandbox/);
    assert.deepEqual(errors, []);
    return `${attempts.length} attempts on ${paths.length} pages`;
  },

  async 'device is approved with its permissions shown'({ page, goto, signIn, origin }) {
    const begun = await (await fetch(`${origin}/login/device/code`, { method: 'POST', headers: { accept: 'application/json', 'content-type': 'application/json' }, body: JSON.stringify({ client_id: 'Iv23helper' }) })).json();
    await signIn(MONA);
    await goto('/login/device');
    await page.fill('#user_code', begun.user_code);
    await page.click('text=Continue');
    assert.match(await page.innerText('main'), /contents: write/);
    await page.click('text=Approve >> nth=-1');
    await page.waitForSelector('text=The device is approved');
  },

  async 'browser signs in with a code that is approved in another one'({ page, goto, signIn, shot }, { browser, origin }) {
    const context = await browser.newContext({ baseURL: origin });
    const other = await context.newPage();
    await other.goto('/-/sign-in?to=/octo-org/secret');
    for (const scope of ['read:org', 'read:project']) await other.check(`[name="scope-${scope}"]`);
    await other.click('text=Show a code');
    const code = await other.innerText('.device-code code');
    assert.match(code, /^[A-Z]{4}-[A-Z]{4}$/);
    await signIn(MONA);
    await goto(`/login/device?user_code=${code}`);
    assert.match(await page.innerText('main'), /A browser wants to sign in[^]*notifications, read:org, read:project, repo/);
    await shot('browser-approval');
    await page.click('text=Approve >> nth=-1');
    await page.waitForSelector('text=The device is approved');
    await other.waitForURL('**/octo-org/secret');
    assert.match(await other.innerText('main'), /Keep it quiet|secret\.txt/);
    await context.close();
  },

  async 'sign-out ends the session'({ page, goto, signIn }) {
    await signIn(MONA);
    await goto('/octo-org/secret');
    await page.click('text=Sign out');
    await page.waitForSelector('text=Newest public repositories');
    await goto('/octo-org/secret', 404);
  },
};

/** Triggers events on everything, and reports what should not be there. Runs in the page. */
async function inspect() {
  const seen = [];
  for (const element of document.querySelectorAll('*')) {
    for (const { name } of element.attributes) if (/^on|^style$|^srcdoc$|^formaction$/i.test(name)) seen.push(`${element.localName} has ${name}`);
    const target = element.href ?? element.src ?? element.action;
    const scheme = typeof target === 'string' && target !== '' ? new URL(target, document.baseURI).protocol : 'http:';
    if (!['http:', 'https:', 'mailto:'].includes(scheme)) seen.push(`${element.localName} leads to ${scheme}`);
    if (element.localName === 'script' && !element.src.includes('/-/script.js')) seen.push('a script');
    if (element.closest('.prose') && !['a', 'button'].includes(element.localName)) for (const event of ['mouseover', 'focus', 'error', 'load', 'toggle']) element.dispatchEvent(new Event(event));
  }
  await new Promise((resolve) => { setTimeout(resolve, 20); });
  return [...seen, ...(window.ran ?? [])];
}

function trap() {
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = () => { window.ran = [...(window.ran ?? []), `ran ${name}`]; };
}

/** Violations of WCAG A and AA, found by axe. */
async function check(page, name) {
  const violations = await page.evaluate(async () => {
    const { violations: found } = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
  });
  return violations.map((violation) => `${name}: ${violation}`);
}

async function run(browser, origin, test) {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 900 } });
  await context.addInitScript(trap);
  // The policy of the pages forbids what a test inserts, and scripts of the driver are not bound by it.
  await context.addInitScript(axe);
  const requests = [];
  // Pictures in comments are anywhere; a test does not wait for them.
  await context.route((url) => url.origin !== origin, (route) => route.abort());
  const page = await context.newPage();
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(`error ${error.message}`));
  page.on('dialog', (dialog) => { errors.push('a dialog'); dialog.dismiss(); });
  const goto = async (path, status = 200) => {
    // A URL that differs only in its fragment loads nothing.
    const response = await page.goto(path) ?? await page.reload();
    assert.equal(response.status(), status, `${path}: ${response.status()}`);
    return response;
  };
  const signIn = async (token) => {
    await page.goto('/-/sign-in');
    await page.fill('#token', token);
    await page.click('button.primary');
    await page.waitForSelector('text=Sign out');
  };
  const api = async (token, path, body, method = 'POST') => {
    const options = body ? { method, body: JSON.stringify(body) } : {};
    const response = await fetch(`${origin}/repos/octo-org/hello/${path}`, { headers: { authorization: `Bearer ${token}` }, ...options });
    assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
    return response.json();
  };
  const shot = async (name) => {
    if (!screenshots) return;
    mkdirSync(screenshots, { recursive: true });
    await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: name.endsWith('phone') });
  };
  try {
    return await test({ page, goto, signIn, api, shot, requests, errors, origin }, { browser, origin }) ?? '';
  } finally {
    await context.close();
  }
}

await runTests('pages.yaml', tests, run);
