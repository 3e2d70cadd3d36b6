// The operations of the package that no tutorial shows.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import plinthByDefault, { plinth } from 'plinth';

const require = createRequire(import.meta.url);
const hello = { owner: 'mona', repo: 'hello' };
const issue = { ...hello, issue_number: 1 };
const github = await plinth({ state: 'state.yaml' });
const octokit = github.octokit('mona');
beforeEach(() => github.reset());
after(() => github.stop());

const bodies = async (client) => (await client.rest.issues.listComments(issue)).data.map((comment) => comment.body);
const comment = (client, body) => client.rest.issues.createComment({ ...issue, body });

test('package is the same for import and require', () => {
  assert.equal(require('plinth').plinth, plinth);
  assert.equal(plinthByDefault, plinth);
});

test('snapshot is restored, and reset returns to the state', async () => {
  await comment(octokit, 'one');
  await github.snapshot('commented');
  await comment(octokit, 'two');
  await github.restore('commented');
  assert.deepEqual(await bodies(octokit), ['one']);
  await github.reset();
  assert.deepEqual(await bodies(octokit), []);
});

test('namespaces are isolated under parallel use', async () => {
  await comment(octokit, 'before');
  const names = Array.from({ length: 8 }, (_, index) => `parallel-${index}`);
  await Promise.all(names.map(async (name) => {
    const namespace = await github.namespace({ name });
    const client = namespace.octokit('mona');
    await Promise.all([1, 2, 3].map(() => comment(client, name)));
    assert.deepEqual(await bodies(client), [name, name, name]);
    assert.equal((await namespace.requests.list()).length, 4);
    await namespace[Symbol.asyncDispose]();
  }));
  assert.deepEqual(await bodies(octokit), ['before']);
});

test('namespace of a snapshot begins with it, and ends with stop', async () => {
  await comment(octokit, 'saved');
  await github.snapshot('saved');
  const namespace = await github.namespace({ snapshot: 'saved' });
  assert.deepEqual(await bodies(namespace.octokit('mona')), ['saved']);
  await namespace.stop();
  await namespace.stop();
  await assert.rejects(namespace.reset(), /is the server stopped/);
});

test('server can be shared by its URL', async () => {
  const shared = await plinth({ url: github.url, namespace: true });
  await comment(shared.octokit('hubot'), 'there');
  assert.deepEqual(await bodies(octokit), []);
  await shared.stop();
  assert.deepEqual(await bodies(octokit), []);
});

test('clock is frozen, set, advanced and resumed', async () => {
  assert.deepEqual(await github.clock.freeze('2030-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z'));
  assert.deepEqual(await github.clock.advance({ days: 1, minutes: 1 }), new Date('2030-01-02T00:01:00Z'));
  const { data } = await comment(octokit, 'later');
  assert.equal(data.created_at, '2030-01-02T00:01:00Z');
  assert.deepEqual(await github.clock.set(new Date('2031-01-01T00:00:00Z')), await github.clock.now());
  await github.clock.resume();
  await assert.rejects(github.clock.advance({ weeks: 1 }), /weeks is not one of/);
});

test('fault is listed, counted and cleared', async () => {
  await github.faults.add({ match: { path: '/user' }, times: 2, respond: { status: 502, body: { message: 'Server Error' } } });
  await assert.rejects(octokit.rest.users.getAuthenticated(), { status: 502 });
  const [fault] = await github.faults.list();
  assert.deepEqual([fault.used, fault.times, fault.respond.status], [1, 2, 502]);
  await github.faults.clear();
  await octokit.rest.users.getAuthenticated();
  await assert.rejects(github.faults.add({ match: {} }), { name: 'PlinthError', status: 422 });
});

test('client with throttling repeats a request after a rate limit', async () => {
  await github.faults.add({ match: { operation: 'users/get-authenticated' }, rateLimit: 'secondary' });
  const waits = [];
  const onSecondaryRateLimit = (seconds) => waits.push(seconds) < 2;
  // The unit of a wait is a millisecond instead of a second.
  const throttle = { enabled: true, retryAfterBaseValue: 1, onSecondaryRateLimit, onRateLimit: () => false };
  const { data } = await github.octokit('hubot', { throttle }).rest.users.getAuthenticated();
  assert.deepEqual([data.login, waits], ['hubot', [60]]);
});

test('log has unmatched requests with the nearest operation, and can be waited for', async () => {
  await assert.rejects(octokit.request('GET /repos/mona/hello/isues'), { status: 404 });
  const [unmatched] = await github.requests.unmatched();
  assert.deepEqual([unmatched.path, unmatched.operation, unmatched.caller.name], ['/repos/mona/hello/isues', null, 'mona']);
  const waiting = github.requests.wait({ operation: 'issues/create-comment' });
  await comment(octokit, 'Hello');
  assert.equal((await waiting).body.body, 'Hello');
  await github.requests.clear();
  assert.deepEqual(await github.requests.list(), []);
  await assert.rejects(github.requests.wait({ path: '/nothing' }, { timeout: 20 }), { status: 408 });
});

test('webhook is received before the wait for deliveries ends, unless a fault loses it', async () => {
  const events = [];
  const receiver = createServer((request, response) => {
    events.push(request.headers['x-github-event']);
    response.end();
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const config = { url: `http://127.0.0.1:${receiver.address().port}`, content_type: 'json' };
  await octokit.rest.repos.createWebhook({ ...hello, config, events: ['issue_comment'] });
  await github.faults.add({ webhook: { event: 'issue_comment' }, deliver: 'lost' });
  await comment(octokit, 'lost');
  await comment(octokit, 'Hello');
  await github.deliveries.wait();
  receiver.close();
  assert.deepEqual(events.toSorted(), ['issue_comment', 'ping']);
});

test('state is an object or text, and a wrong one is explained', async () => {
  for (const state of [{ users: [{ login: 'ada' }] }, 'users:\n  - { login: ada }\n', 'users: [{ login: ada }]']) {
    const own = await plinth({ state });
    assert.equal((await own.octokit('ada').rest.users.getAuthenticated()).data.login, 'ada');
    await own.stop();
  }
  await assert.rejects(plinth({ state: { users: [{ name: 'ada' }] } }), /did not start[^]*login/);
  await assert.rejects(plinth({ state: 'missing.yaml' }), /did not start[^]*missing\.yaml/);
  await assert.rejects(github.token('nobody'), /there is no user "nobody"/);
});

test('missing program is explained', async () => {
  await assert.rejects(plinth({ binary: '/nowhere/plinth' }), /\/nowhere\/plinth/);
  const script = "Object.defineProperty(process, 'arch', { value: 'z80' }); process.env.PATH = ''; await (await import('plinth')).plinth()";
  const env = { ...process.env, PLINTH: '' };
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  await assert.rejects(run, /no program for \w+-z80[^]*variable PLINTH/);
});

for (const signal of [undefined, 'SIGTERM', 'SIGKILL']) {
  test(`server ends with its process after ${signal ?? 'a normal end'}`, async () => {
    const rest = signal ? 'setInterval(() => {}, 1000)' : '';
    const script = `import { plinth } from 'plinth'; const { url, directory } = await plinth({ state: 'users: []' });
      console.log(JSON.stringify({ url, directory })); ${rest}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { url, directory } = JSON.parse(String((await once(child.stdout, 'data'))[0]));
    if (signal) child.kill(signal);
    await once(child, 'exit');
    const responds = () => fetch(url).then(() => true, () => false);
    while (await responds() || existsSync(directory)) await new Promise((done) => { setTimeout(done, 5); });
  });
}

test('launcher runs the program', async () => {
  const { stdout } = await promisify(execFile)('node_modules/.bin/plinth', ['--version']);
  assert.match(stdout, /^plinth \d+\.\d+\.\d+/);
});

test('launcher passes the signal that ends it on', async () => {
  const flags = ['serve', '--ephemeral', '--listen', '127.0.0.1:0', '--ready-json', '--log', 'warn'];
  const launcher = spawn('node_modules/.bin/plinth', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(launcher, 'exit').then((status) => assert.fail(`it ended with ${status}`));
  const [line] = await Promise.race([once(launcher.stdout, 'data'), ended]);
  ended.catch(() => {});
  const { url } = JSON.parse(String(line));
  launcher.kill('SIGTERM');
  assert.deepEqual(await once(launcher, 'exit'), [0, null]);
  await assert.rejects(fetch(url));
});

test('README shows parts of the tested files', () => {
  const parts = readFileSync('node_modules/plinth/README.md', 'utf8').split('```');
  let shown = 0;
  for (let index = 1; index < parts.length; index += 2) {
    const file = /\]\(test\/([\w.]+)\):\s*$/.exec(parts[index - 1])?.[1];
    if (!file) continue;
    shown += 1;
    const code = parts[index].slice(parts[index].indexOf('\n') + 1);
    assert.ok(readFileSync(file, 'utf8').includes(code), `this is not in ${file}:\n${code}`);
  }
  assert.ok(shown >= 8, `${shown} blocks`);
});
