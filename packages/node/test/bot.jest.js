import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { Octokit } from 'octokit';
import { plinth } from 'plinth';
import { welcome } from './bot.js';

const hello = { owner: 'mona', repo: 'hello' };
const github = await plinth({ state: 'state.yaml', Octokit });
beforeEach(() => github.reset());
afterAll(() => github.stop());

test.each(['mona', 'hubot'])('welcome comments as %s', async (user) => {
  const octokit = github.octokit(user);
  expect(await welcome(octokit, hello)).toEqual([1]);
  const { data: [comment] } = await octokit.rest.issues.listComments({ ...hello, issue_number: 1 });
  expect(comment.user.login).toBe(user);
  expect(await github.requests.unmatched()).toEqual([]);
});
