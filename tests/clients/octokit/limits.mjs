// How the client handles rate limits; the service runs with low ones.
//
//   node ../run.mjs octokit-limits --serve=--limits=true --serve=--content-per-hour=2 --serve=--requests-per-hour=30 -- node limits.mjs
import assert from 'node:assert/strict';
import { as, hello, assertError, url } from './client.mjs';
import { report, run } from './runner.mjs';

const CONTENT_PER_HOUR = 2;
const REQUESTS_PER_HOUR = 30;
const HOUR = 3600;
const pull = { ...hello, pull_number: 2 };

/** A client that records rate limit errors and retries once. Its pauses are shortened, as in its own tests. */
function listener(name, calls) {
  const record = (kind) => (seconds, { method, url }, octokit, retries) => {
    calls.push({ kind, seconds, route: `${method} ${url}`, retries });
    return retries === 0;
  };
  return as(name, { throttle: { onRateLimit: record('primary'), onSecondaryRateLimit: record('secondary'), retryAfterBaseValue: 0.1 } });
}

async function comment(client, body) {
  const { data } = await as('mona').rest.pulls.get(pull);
  return client.rest.pulls.createReviewComment({ ...pull, commit_id: data.head.sha, path: 'notes.txt', line: 1, body });
}

function assertReported(calls, kind, longest) {
  assert.deepEqual(calls.map(({ kind, retries }) => [kind, retries]), [[kind, 0], [kind, 1]]);
  for (const { seconds } of calls) assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= longest, `${seconds} seconds`);
}

await run({
  async 'create comment reports the secondary rate limit with a wait time'() {
    for (let count = 1; count <= CONTENT_PER_HOUR; count += 1) await comment(as('hubot'), `Number ${count}`);
    const calls = [];
    const error = await assertError(comment(listener('hubot', calls), 'One too many'), 403,
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.');
    assertReported(calls, 'secondary', HOUR);
    assert.equal(calls[1].seconds, Number(error.response.headers['retry-after']));
    assert.equal(calls[0].route, 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments');
    assert.ok(Number(error.response.headers['x-ratelimit-remaining']) > 0);
    assert.match(error.response.data.documentation_url, /#about-secondary-rate-limits$/);
  },

  async 'create reply shares the rate limit of comments, per user'() {
    const { data: [first] } = await as('mona').rest.pulls.listReviewComments(pull);
    const reply = (client) => client.rest.pulls.createReplyForReviewComment({ ...pull, comment_id: first.id, body: 'Really' });
    const calls = [];
    assert.equal((await reply(listener('hubot', calls)).catch((error) => error)).status, 403);
    assertReported(calls, 'secondary', HOUR);
    assert.equal((await reply(as('mona'))).status, 201);
  },

  async 'primary rate limit is reported, and 304 does not count'() {
    const stranger = as('stranger');
    const known = await stranger.rest.repos.get(hello);
    const used = async () => (await stranger.rest.rateLimit.get()).data.resources.core.used;
    assert.equal(await used(), 1);
    await assertError(stranger.rest.repos.get({ ...hello, headers: { 'if-none-match': known.headers.etag } }), 304, '');
    assert.equal(await used(), 1);
    for (let count = 1; count < REQUESTS_PER_HOUR; count += 1) await stranger.rest.repos.get(hello);
    const calls = [];
    const { id } = (await as('nobody').rest.users.getByUsername({ username: 'stranger' })).data;
    const error = await assertError(listener('stranger', calls).rest.git.getRef({ ...hello, ref: 'heads/main' }), 403,
      `API rate limit exceeded for user ID ${id}.`);
    assertReported(calls, 'primary', HOUR + 1);
    assert.equal(calls[0].route, 'GET /repos/{owner}/{repo}/git/ref/{ref}');
    const { headers, data } = error.response;
    assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-used']],
      [REQUESTS_PER_HOUR, 0, REQUESTS_PER_HOUR].map(String));
    assert.equal(data.documentation_url, `${url}/docs#rate-limits-for-the-rest-api`);
  },
});
report();
