import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { plinth } from 'plinth';
import { welcome } from './bot.js';

const hello = { owner: 'mona', repo: 'hello' };
const github = await plinth({ state: 'state.yaml' });
beforeEach(() => github.reset());
after(() => github.stop());

test('welcome comments on an issue once', async () => {
  const octokit = github.octokit('hubot');
  assert.deepEqual(await welcome(octokit, hello), [1]);
  assert.deepEqual(await welcome(octokit, hello), []);
  const { data: [comment] } = await octokit.rest.issues.listComments({ ...hello, issue_number: 1 });
  assert.deepEqual([comment.user.login, comment.body], ['hubot', 'Thank you for the report!']);
});

test('welcome sends only requests that GitHub knows', async () => {
  await welcome(github.octokit('hubot'), hello);
  assert.deepEqual(await github.requests.unmatched(), []);
  const operations = (await github.requests.list()).map((request) => request.operation);
  assert.deepEqual(operations, ['issues/list-for-repo', 'issues/create-comment']);
});
