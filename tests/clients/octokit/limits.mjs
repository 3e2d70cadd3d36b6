// What the client does when it is told to slow down; the service runs with small budgets.
//
//   node ../run.mjs octokit-limits --serve=--limits=true --serve=--content-per-hour=2 --serve=--requests-per-hour=30 -- node limits.mjs
import assert from 'node:assert/strict';
import { as, hello, refused, url } from './client.mjs';
import { report, tell } from './stories.mjs';

const CONTENT_PER_HOUR = 2;
const REQUESTS_PER_HOUR = 30;
const HOUR = 3600;
const pull = { ...hello, pull_number: 2 };

/** A client that notes what it is told, and tries once more. Its seconds are made short, as in its own tests. */
function listener(name, calls) {
  const note = (kind) => (seconds, { method, url }, octokit, retries) => {
    calls.push({ kind, seconds, route: `${method} ${url}`, retries });
    return retries === 0;
  };
  return as(name, { throttle: { onRateLimit: note('primary'), onSecondaryRateLimit: note('secondary'), retryAfterBaseValue: 0.1 } });
}

async function comment(client, body) {
  const { data } = await as('mona').rest.pulls.get(pull);
  return client.rest.pulls.createReviewComment({ ...pull, commit_id: data.head.sha, path: 'notes.txt', line: 1, body });
}

function told(calls, kind, longest) {
  assert.deepEqual(calls.map(({ kind, retries }) => [kind, retries]), [[kind, 0], [kind, 1]]);
  for (const { seconds } of calls) assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= longest, `${seconds} seconds`);
}

await tell({
  async 'comments that come too fast are held back, and the client is told for how long'() {
    for (let count = 1; count <= CONTENT_PER_HOUR; count += 1) await comment(as('hubot'), `Number ${count}`);
    const calls = [];
    const error = await refused(comment(listener('hubot', calls), 'One too many'), 403,
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.');
    told(calls, 'secondary', HOUR);
    assert.equal(calls[1].seconds, Number(error.response.headers['retry-after']));
    assert.equal(calls[0].route, 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments');
    assert.ok(Number(error.response.headers['x-ratelimit-remaining']) > 0);
    assert.match(error.response.data.documentation_url, /#about-secondary-rate-limits$/);
  },

  async 'replies are held back together with comments, other people are not'() {
    const { data: [first] } = await as('mona').rest.pulls.listReviewComments(pull);
    const reply = (client) => client.rest.pulls.createReplyForReviewComment({ ...pull, comment_id: first.id, body: 'Really' });
    const calls = [];
    assert.equal((await reply(listener('hubot', calls)).catch((error) => error)).status, 403);
    told(calls, 'secondary', HOUR);
    assert.equal((await reply(as('mona'))).status, 201);
  },

  async 'a budget runs out, is told, and nothing else costs'() {
    const stranger = as('stranger');
    const known = await stranger.rest.repos.get(hello);
    const used = async () => (await stranger.rest.rateLimit.get()).data.resources.core.used;
    assert.equal(await used(), 1);
    await refused(stranger.rest.repos.get({ ...hello, headers: { 'if-none-match': known.headers.etag } }), 304, '');
    assert.equal(await used(), 1);
    for (let count = 1; count < REQUESTS_PER_HOUR; count += 1) await stranger.rest.repos.get(hello);
    const calls = [];
    const { id } = (await as('nobody').rest.users.getByUsername({ username: 'stranger' })).data;
    const error = await refused(listener('stranger', calls).rest.git.getRef({ ...hello, ref: 'heads/main' }), 403,
      `API rate limit exceeded for user ID ${id}.`);
    told(calls, 'primary', HOUR + 1);
    assert.equal(calls[0].route, 'GET /repos/{owner}/{repo}/git/ref/{ref}');
    const { headers, data } = error.response;
    assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-used']],
      [REQUESTS_PER_HOUR, 0, REQUESTS_PER_HOUR].map(String));
    assert.equal(data.documentation_url, `${url}/docs#rate-limits-for-the-rest-api`);
  },
});
report();
