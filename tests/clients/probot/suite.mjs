// An unmodified Probot, and the library behind it, receive webhooks.
//
//   node ../run.mjs probot -- node suite.mjs
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeMiddleware as receive, Webhooks } from '@octokit/webhooks';
import { createNodeMiddleware, Probot, ProbotOctokit } from 'probot';
import bot from './bot.mjs';
import { listen, waitFor } from './receiver.mjs';
import { report, run } from '../octokit/runner.mjs';

const url = process.env.PLINTH_URL;
const hello = { owner: 'octo-org', repo: 'hello' };
const secret = randomBytes(20).toString('hex');
const [mona, hubot] = ['ghp_monaEverything', 'ghp_hubotMember'].map((auth) => new ProbotOctokit({ auth: { token: auth }, baseUrl: url, log: quiet() }));

function quiet() {
  return { debug() {}, info() {}, warn() {}, error() {}, fatal() {}, trace() {}, child: quiet };
}

/** The bot behind its web server, with the hook of its app set to it. */
async function startBot() {
  const probot = new Probot({ appId: process.env.PLINTH_APP_ID, privateKey: readFileSync(process.env.PLINTH_APP_KEY, 'utf8'), secret, baseUrl: url, log: quiet() });
  const middleware = await createNodeMiddleware(bot, { probot, webhooksPath: '/api/github/webhooks' });
  const server = await listen(middleware);
  const app = await probot.auth();
  // As `data`, because a parameter `url` would be the URL of the request.
  await app.request('PATCH /app/hook/config', { data: { url: `${server.url}/api/github/webhooks`, content_type: 'json', secret } });
  return { app, close: server.close };
}

function git(directory, ...args) {
  const done = spawnSync('git', ['-C', directory, '-c', 'user.name=Hubot', '-c', 'user.email=hubot@example.com', ...args], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim();
}

/** Pushes a commit with git, and returns its id. */
function push(branch, file, message) {
  const directory = mkdtempSync(join(tmpdir(), 'plinth-probot-'));
  try {
    git(directory, 'clone', '--quiet', '--branch', branch, `${url.replace('://', '://x-access-token:ghp_hubotMember@')}/octo-org/hello.git`, '.');
    writeFileSync(join(directory, file), `${message}\n`);
    git(directory, 'add', file);
    git(directory, 'commit', '--quiet', '--message', message);
    git(directory, 'push', '--quiet', 'origin', branch);
    return git(directory, 'rev-parse', 'HEAD');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const probot = await startBot();

await run({
  async 'bot comments on a pushed commit'() {
    const sha = push('scratch', 'pushed.txt', 'a pushed commit');
    const comment = await waitFor('the comment', async () => {
      const { data } = await mona.rest.pulls.listReviewComments({ ...hello, pull_number: 2 });
      return data.find(({ user, commit_id: commit }) => user.login === 'helper[bot]' && commit === sha);
    });
    assert.deepEqual([comment.path, comment.line, comment.body], ['pushed.txt', 1, 'I have seen a pushed commit.']);
  },

  async 'bot reviews an opened pull request'() {
    const { data: { number } } = await hubot.rest.pulls.create({ ...hello, title: 'Sideways', head: 'sideways', base: 'main' });
    const review = await waitFor('the review', async () => (await mona.rest.pulls.listReviews({ ...hello, pull_number: number })).data[0]);
    assert.deepEqual([review.user.login, review.body], ['helper[bot]', 'Thank you, hubot.']);
  },

  async 'deliveries of the app were successful and can be repeated'() {
    const { data: deliveries } = await probot.app.request('GET /app/hook/deliveries');
    const delivery = deliveries.find(({ event }) => event === 'push');
    assert.deepEqual([delivery.status_code, delivery.redelivery], [200, false], JSON.stringify(delivery));
    assert.ok(delivery.installation_id > 0 && delivery.repository_id > 0);
    const { data: whole } = await probot.app.request('GET /app/hook/deliveries/{delivery_id}', { delivery_id: delivery.id });
    assert.match(whole.request.headers['X-Hub-Signature-256'], /^sha256=[0-9a-f]{64}$/);
    assert.equal(whole.request.payload.repository.full_name, 'octo-org/hello');
    await probot.app.request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: delivery.id });
    await waitFor('the redelivery', async () => {
      const { data } = await probot.app.request('GET /app/hook/deliveries');
      return data.find(({ guid, redelivery, status_code: code }) => guid === delivery.guid && redelivery && code === 200);
    });
  },

  async 'library verifies the signature of every event, and rejects those with another secret'() {
    const [webhooks, stranger] = [new Webhooks({ secret }), new Webhooks({ secret: `${secret}x` })];
    const events = [];
    webhooks.onAny(({ id, name, payload }) => void events.push({ id, name, payload }));
    const [good, bad] = await Promise.all([webhooks, stranger].map((library) => listen(receive(library, { path: '/', log: quiet() }))));
    const create = (target) => mona.rest.repos.createWebhook({ ...hello, events: ['*'], config: { url: `${target.url}/`, content_type: 'json', secret } });
    const [{ data: hook }, { data: other }] = [await create(good), await create(bad)];
    const { data: { object: { sha } } } = await mona.rest.git.getRef({ ...hello, ref: 'heads/main' });
    await mona.rest.git.createRef({ ...hello, ref: 'refs/heads/for-hooks', sha });
    await mona.rest.git.deleteRef({ ...hello, ref: 'heads/for-hooks' });
    const wanted = ['create', 'delete', 'ping', 'push'];
    await waitFor('every event', () => wanted.every((name) => events.some((event) => event.name === name)));
    const rejected = await waitFor('a rejected delivery', async () => {
      const { data } = await mona.rest.repos.listWebhookDeliveries({ ...hello, hook_id: other.id });
      return data.find(({ status_code: code }) => code >= 400);
    });
    assert.equal(rejected.status_code, 400);
    assert.equal(events.find(({ name }) => name === 'ping').payload.hook_id, hook.id);
    for (const { id } of [hook, other]) await mona.rest.repos.deleteWebhook({ ...hello, hook_id: id });
    good.close();
    bad.close();
  },
});
probot.close();
report();
process.exit();
