// Tests every form of the HTML pages in a real browser; what it did is seen through the API.
//
//   PLINTH=target/debug/plinth CHROMIUM=chromium node forms.mjs [directory for screenshots]
import assert from 'node:assert/strict';
import { runTests } from './service.mjs';
import { HUBOT, MONA, PULL, visit } from './visitor.mjs';

const tests = {
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

  async 'pull request is opened, discussed and merged, and its notification is read'({ page, goto, signIn, api }) {
    const { object } = await api(MONA, 'git/ref/heads/main');
    await api(MONA, 'git/refs', { ref: 'refs/heads/notes', sha: object.sha });
    await api(MONA, 'contents/NOTES.md', { message: 'Take notes', content: Buffer.from('# Notes\n').toString('base64'), branch: 'notes' }, 'PUT');
    await signIn(HUBOT);
    await goto('/octo-org/hello/compare/main...notes');
    await page.click('text=Open a pull request');
    await page.fill('[name=title]', 'Take notes');
    await page.fill('[name=body]', 'A file for them.');
    await page.click('text=Open pull request');
    await page.waitForURL(/pull\/\d+$/);
    const opened = new URL(page.url()).pathname;
    const path = opened.replace('/octo-org/hello/pull', 'pulls');
    assert.equal((await api(MONA, path)).title, 'Take notes');
    for (const text of ['For @mona to see.', 'A comment that goes away.']) {
      await page.fill('#comment', text);
      await page.locator('form.stack button', { hasText: 'Comment' }).click();
      await page.locator('article.comment', { hasText: text }).waitFor();
    }
    const comment = page.locator('article.comment', { hasText: 'A comment that goes away.' });
    await comment.getByText('Edit').click();
    await page.locator('button.danger', { hasText: 'Delete' }).click();
    await comment.waitFor({ state: 'detached' });
    assert.equal((await api(MONA, `${path.replace('pulls', 'issues')}/comments`)).length, 1);
    await page.click('text=Sign out');
    await signIn(MONA);
    await goto('/-/notifications');
    const row = page.locator('li', { hasText: 'Take notes' });
    await row.getByText('Mark read').click();
    await page.waitForLoadState();
    await goto('/-/notifications');
    assert.equal(await page.locator('li', { hasText: 'Take notes' }).getByText('Mark read').count(), 0);
    await goto(opened);
    await page.click('button:has-text("Squash and merge")');
    await page.waitForSelector('text=merged');
    assert.equal((await api(MONA, path)).merged, true);
  },

  async 'issue is opened, edited and closed'({ page, goto, signIn, api }) {
    await signIn(HUBOT);
    await goto('/octo-org/hello/issues/new');
    await page.fill('[name=title]', 'Counts too far');
    await page.fill('[name=body]', 'By one.');
    await page.click('text=Open issue');
    await page.waitForURL(/issues\/\d+$/);
    const path = new URL(page.url()).pathname.replace('/octo-org/hello/', '');
    await page.locator('article.comment').first().getByText('Edit').click();
    await page.fill('[name=title]', 'Counts one too far');
    await page.click('text=Save');
    await page.click('text=Close issue');
    await page.waitForSelector('text=Reopen issue');
    const { title, state } = await api(MONA, path);
    assert.deepEqual([title, state], ['Counts one too far', 'closed']);
  },

  async 'repository is added to an installation and removed'({ page, goto, signIn }) {
    await signIn(MONA);
    await goto('/organizations/octo-org/settings/installations/1');
    assert.equal(await page.locator('li', { hasText: 'octo-org/secret' }).count(), 0);
    await page.selectOption('select[name=add]', { label: 'octo-org/secret' });
    await page.click('button:has-text("Add")');
    const row = page.locator('li', { hasText: 'octo-org/secret' });
    await row.getByText('Remove').click();
    await row.waitFor({ state: 'detached' });
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

await runTests('pages.yaml', tests, visit);
