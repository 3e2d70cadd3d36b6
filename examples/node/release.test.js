import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Octokit } from 'octokit';
import { startPlinth } from './plinth.js';
import { startRelease } from './release.js';

const hello = { owner: 'mona', repo: 'hello' };
let plinth;
let octokit;

before(async () => {
  plinth = await startPlinth(fileURLToPath(new URL('state.yaml', import.meta.url)));
  octokit = new Octokit({ auth: 'ghp_forTestsOnly', baseUrl: plinth.url });
});

after(() => plinth?.stop());

test('startRelease creates a branch at the default branch', async () => {
  const sha = await startRelease(octokit, { ...hello, version: '1.0' });
  const { data } = await octokit.rest.git.getRef({ ...hello, ref: 'heads/release/1.0' });
  assert.equal(data.object.sha, sha);
});

test('startRelease rejects an existing version', async () => {
  await startRelease(octokit, { ...hello, version: '2.0' });
  await assert.rejects(startRelease(octokit, { ...hello, version: '2.0' }), { status: 422, message: /Reference already exists/ });
});

test('a comment on the pull request of the state file is listed', async () => {
  const pull = { ...hello, pull_number: 1 };
  const { data: { head } } = await octokit.rest.pulls.get(pull);
  await octokit.rest.pulls.createReviewComment({ ...pull, commit_id: head.sha, path: 'README.md', line: 3, body: 'Why?' });
  const comments = await octokit.paginate(octokit.rest.pulls.listReviewComments, pull);
  assert.deepEqual(comments.map(({ body, line, user }) => [body, line, user.login]), [['Why?', 3, 'mona']]);
});
