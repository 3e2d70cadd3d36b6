import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { plinth } from 'plinth';
import { patiently } from './patience.js';

const comment = { owner: 'mona', repo: 'hello', issue_number: 1, body: 'Hello' };
const github = await plinth({ state: 'state.yaml' });
beforeEach(() => github.reset());
after(() => github.stop());

for (const [rateLimit, expected] of [['secondary', 60], ['primary', 3600]]) {
  test(`patiently waits for the end of a ${rateLimit} rate limit`, async () => {
    await github.clock.freeze();
    await github.faults.add({ match: { operation: 'issues/create-comment' }, rateLimit });
    const octokit = github.octokit('hubot');
    const slept = [];
    const sleep = async (seconds) => {
      slept.push(seconds);
      await github.clock.advance(seconds);
    };
    await patiently(() => octokit.rest.issues.createComment(comment), sleep);
    assert.deepEqual(slept, [expected]);
    const statuses = (await github.requests.list()).map((request) => request.status);
    assert.deepEqual(statuses, [403, 201]);
  });
}
