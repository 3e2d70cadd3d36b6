// Servers whose control interface has an address and a token of its own, such as one in a container.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { plinth } from 'plinth';

const controlToken = 'forTestsOnly';
// As a container would start it: on all addresses, and not by this package.
const flags = ['--ephemeral', '--listen', '0.0.0.0:0', '--control', '0.0.0.0:0', '--control-token', controlToken];
const server = spawn('node_modules/.bin/plinth', ['serve', '--ready-json', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
after(() => process.kill(ready.pid));
const ready = JSON.parse(String((await once(server.stdout, 'data'))[0]).replaceAll('0.0.0.0', '127.0.0.1'));
const connection = { url: ready.url, controlUrl: ready.control_url };
const ada = { users: [{ login: 'ada' }] };

test('token gives access to a server that runs already', async () => {
  const github = await plinth({ ...connection, controlToken });
  await github.apply(ada);
  assert.equal((await github.octokit('ada').rest.users.getAuthenticated()).data.login, 'ada');
  await github.reset();
  assert.deepEqual(await github.requests.list(), []);
  await assert.rejects(github.token('ada'), /there is no user "ada"/);
  await github.stop();
  assert.ok(await github.clock.now());
});

test('wrong token is rejected', async () => {
  const github = await plinth({ ...connection, controlToken: 'another' });
  await assert.rejects(github.reset(), { name: 'PlinthError', status: 401 });
});

test('url and token of the interface belong together', async () => {
  await assert.rejects(plinth(connection), /belong together/);
  await assert.rejects(plinth({ url: ready.url, controlToken }), /belong together/);
  await assert.rejects(plinth({ controlUrl: ready.control_url, controlToken }), /runs already/);
});

test('namespace is reached through the control interface', async () => {
  const github = await plinth({ ...connection, controlToken });
  const namespace = await github.namespace();
  assert.match(namespace.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.notEqual(namespace.url, github.url);
  await namespace.apply(ada);
  await namespace.octokit('ada').rest.users.getAuthenticated();
  assert.deepEqual([(await namespace.requests.list()).length, (await github.requests.list()).length], [1, 0]);
  await assert.rejects(github.token('ada'), /there is no user "ada"/);
  await namespace.stop();
  await assert.rejects(namespace.reset(), /there is no namespace/);
});

test('started server has the token that it prints', async () => {
  const github = await plinth({ state: ada, args: ['--control', '127.0.0.1:0'] });
  assert.notEqual(github.controlUrl, github.url);
  await github.octokit('ada').rest.users.getAuthenticated();
  const { url, controlUrl, controlToken: token } = github;
  const other = await plinth({ url, controlUrl, controlToken: token });
  assert.deepEqual((await other.requests.list()).map((request) => request.path), ['/user']);
  await github.stop();
});

test('exported state leads to the same state again', async () => {
  const first = await plinth({ state: ada });
  const { data: created } = await first.octokit('ada').rest.repos.createForAuthenticatedUser({ name: 'hello' });
  const state = await first.export();
  await first.stop();
  const second = await plinth({ state });
  after(() => second.stop());
  const get = async () => (await second.octokit('ada').rest.repos.get({ owner: 'ada', repo: 'hello' })).data;
  assert.deepEqual([(await get()).id, (await get()).created_at], [created.id, created.created_at]);
  await second.octokit('ada').rest.repos.update({ owner: 'ada', repo: 'hello', description: 'changed' });
  await second.apply(state);
  assert.equal((await get()).description, null);
});
