// Tests reading the HTML pages in a real browser against a real server.
//
//   PLINTH=target/debug/plinth CHROMIUM=chromium node pages.mjs [directory for screenshots]
//
// Every page is also checked by axe, in light and dark and at a phone's width.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { runTests } from './service.mjs';
import { MONA, PULL, visit } from './visitor.mjs';

const attempts = JSON.parse(readFileSync(new URL('attempts.json', import.meta.url))).flatMap((group) => group.texts)
  .filter((text) => !text.includes('\0'));

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

/** Violations of WCAG A and AA, found by axe. */
async function check(page, name) {
  const violations = await page.evaluate(async () => {
    const { violations: found } = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
  });
  return violations.map((violation) => `${name}: ${violation}`);
}

await runTests('pages.yaml', tests, visit);
