// danger reviews a pull request from a CI job: it comments, updates its comment, and sets the status of the commit.
//
//   node ../run.mjs danger -- node danger.mjs
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Clone, api, get, hello, tokens, url } from './program.mjs';
import { report, run } from '../octokit/runner.mjs';

const NUMBER = 2;
const pull = { ...hello, pull_number: NUMBER };
const issue = { ...hello, issue_number: NUMBER };
const clone = new Clone(hello, tokens.hubot);
copyFileSync(new URL('dangerfile.js', import.meta.url), join(clone.directory, 'dangerfile.js'));

/** One run of danger in a job of Jenkins, as with a self-hosted server. */
function danger(...flags) {
  return clone.run('danger', ['ci', ...flags], {
    JENKINS_URL: 'http://ci.example.com/', CHANGE_ID: String(NUMBER), CHANGE_URL: `${url}/octo-org/hello/pull/${NUMBER}`, BUILD_URL: 'http://ci.example.com/job/1/',
    DANGER_GITHUB_API_TOKEN: tokens.mona, DANGER_GITHUB_HOST: url, DANGER_GITHUB_API_BASE_URL: url,
  });
}

const comments = () => get('/repos/{owner}/{repo}/issues/{issue_number}/comments', issue);
const inline = () => get('/repos/{owner}/{repo}/pulls/{pull_number}/comments', pull);
const status = async () => {
  const { head } = await get('/repos/{owner}/{repo}/pulls/{pull_number}', pull);
  return get('/repos/{owner}/{repo}/commits/{ref}/status', { ...hello, ref: head.sha });
};

await run({
  async 'danger comments on a pull request that breaks the rules'() {
    const { code, output } = await danger();
    // The status of the commit says that it failed, so the job itself succeeds.
    assert.equal(code, 0, output);
    assert.match(output, /Failing the build, there is 1 fail/);
    const [comment, ...others] = await comments();
    assert.deepEqual(others, []);
    assert.equal(comment.user.login, 'mona');
    for (const text of [
      'The pull request has no description.', 'Nobody is asked for a review.', 'Thank you, @hubot, for 1 commit(s).', 'New: notes.txt; changed: README.md',
      'Labels: none', '5 lines in notes.txt of octo-org/hello; the title was "# hello"',
    ]) {
      assert.ok(comment.body.includes(text), `${text}\n${comment.body}\n${output}`);
    }
    const [line] = await inline();
    assert.deepEqual([line.path, line.line], ['notes.txt', 2]);
    assert.match(line.body, /Say what this is/);
  },

  async 'danger sets the status of the commit'() {
    const [{ html_url: comment }] = await comments();
    const { state, statuses: [{ context, target_url: target, description }] } = await status();
    assert.deepEqual([state, target, context], ['failure', comment, 'Danger'], description);
  },

  async 'danger fails the job if it is asked to'() {
    const { code, output } = await danger('--failOnErrors');
    assert.equal(code, 1, output);
  },

  async 'danger updates its comment when the rules are met'() {
    const before = await comments();
    const mona = api('mona');
    await mona.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { ...pull, body: 'For writing, and for reading.' });
    await mona.request('POST /repos/{owner}/{repo}/labels', { ...hello, name: 'docs', color: '0075ca', description: 'Texts' });
    await mona.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', { ...issue, labels: ['docs'] });
    await mona.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', { ...pull, reviewers: ['mona'] });
    const { code, output } = await danger();
    assert.equal(code, 0, output);
    const after = await comments();
    assert.deepEqual(after.map(({ id }) => id), before.map(({ id }) => id));
    assert.ok(after[0].body.includes('Labels: docs'), after[0].body);
    assert.ok(!after[0].body.includes('no description'), after[0].body);
    assert.equal((await inline()).length, 1);
    assert.equal((await status()).state, 'success');
  },

  async 'danger writes a new comment if it is asked to'() {
    const { code, output } = await danger('--newComment', '--removePreviousComments');
    assert.equal(code, 0, output);
    assert.equal((await comments()).length, 1);
  },
});
clone.remove();
report();
