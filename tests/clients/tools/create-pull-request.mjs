// octokit-plugin-create-pull-request opens a pull request with several commits, and updates it.
//
//   node ../run.mjs create-pull-request -- node create-pull-request.mjs
import assert from 'node:assert/strict';
import { Octokit } from '@octokit/core';
import { DELETE_FILE, createPullRequest } from 'octokit-plugin-create-pull-request';
import { get, hello, tokens, url } from './program.mjs';
import { report, run } from '../octokit/runner.mjs';

const client = (token) => new (Octokit.plugin(createPullRequest))({ auth: token, baseUrl: url });
const request = (head, more) => ({ ...hello, title: 'Say more', body: 'As a program.', head, base: 'main', ...more });

const files = async (number) => {
  const list = await get('/repos/{owner}/{repo}/pulls/{pull_number}/files', { ...hello, pull_number: number });
  return Object.fromEntries(list.map(({ filename, status }) => [filename, status]));
};
const text = async (path, ref) => Buffer.from((await get('/repos/{owner}/{repo}/contents/{path}', { ...hello, path, ref })).content, 'base64').toString();

await run({
  async 'pull request has every kind of change, and its commits'() {
    const { data: pull } = await client(tokens.hubot).createPullRequest(request('by-plugin', {
      labels: ['automated', 'docs'],
      changes: [
        {
          commit: 'first, with files',
          author: { name: 'Hubot', email: 'hubot@example.com', date: '2024-01-02T03:04:05Z' },
          files: {
            'made/plain.txt': 'plain\n',
            'made/bytes.bin': { content: Buffer.from([0, 1, 2, 255]).toString('base64'), encoding: 'base64' },
            'made/run.sh': { content: '#!/bin/sh\n', encoding: 'utf-8', mode: '100755' },
            'src/old.txt': DELETE_FILE,
            'absent.txt': DELETE_FILE,
            'README.md': ({ exists, content, encoding }) => (exists ? `${Buffer.from(content, encoding)}More.\n` : null),
          },
        },
        { commit: 'second, empty', emptyCommit: true },
      ],
    }));
    assert.deepEqual([pull.state, pull.title, pull.user.login, pull.head.ref], ['open', 'Say more', 'hubot', 'by-plugin']);
    assert.deepEqual(await files(pull.number), {
      'README.md': 'modified', 'made/bytes.bin': 'added', 'made/plain.txt': 'added', 'made/run.sh': 'added', 'src/old.txt': 'removed',
    });
    assert.equal(await text('README.md', 'by-plugin'), '# hello\nMore.\n');
    const commits = await get('/repos/{owner}/{repo}/pulls/{pull_number}/commits', { ...hello, pull_number: pull.number });
    assert.deepEqual(commits.map(({ commit }) => commit.message), ['first, with files', 'second, empty']);
    assert.equal(commits[0].commit.author.date, '2024-01-02T03:04:05Z');
    const { labels } = await get('/repos/{owner}/{repo}/issues/{number}', { ...hello, number: pull.number });
    assert.deepEqual(labels.map(({ name }) => name).sort(), ['automated', 'docs']);
  },

  async 'pull request that exists is updated only if asked to'() {
    const changes = [{ commit: 'replaced', files: { 'made/other.txt': 'other\n' } }];
    await assert.rejects(client(tokens.hubot).createPullRequest(request('by-plugin', { changes })), /Pull request already exists: .*\/octo-org\/hello\/pull\/\d+\. Set update=true/);
    const { data: pull } = await client(tokens.hubot).createPullRequest(request('by-plugin', { changes, update: true, title: 'Say something else' }));
    assert.equal(pull.title, 'Say something else');
    assert.deepEqual(await files(pull.number), { 'made/other.txt': 'added' });
  },

  async 'app opens a pull request'() {
    const changes = [{ commit: 'by an app', files: { 'made/app.txt': 'app\n' } }];
    const { data: pull } = await client(tokens.installation).createPullRequest(request('by-app', { changes, draft: true }));
    assert.deepEqual([pull.user.login, pull.draft], ['helper[bot]', true]);
    assert.deepEqual(await files(pull.number), { 'made/app.txt': 'added' });
  },

  async 'nothing is created for nothing'() {
    const changes = [{ commit: 'nothing', files: { 'absent.txt': DELETE_FILE }, emptyCommit: false }];
    assert.equal(await client(tokens.hubot).createPullRequest(request('never', { changes, createWhenEmpty: false })), null);
    assert.deepEqual(await get('/repos/{owner}/{repo}/git/matching-refs/{ref}', { ...hello, ref: 'heads/never' }), []);
  },
});
report();
