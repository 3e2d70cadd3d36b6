import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { plinth } from 'plinth';
import { createGreeter } from './greeter.js';

const hello = { owner: 'mona', repo: 'hello' };
const app = {
  slug: 'greeter', owner: 'mona', client_id: 'Iv1.greeter', permissions: { issues: 'write' }, events: ['issues'], private_key_file: 'greeter.pem',
};
const github = await plinth({
  state: {
    users: [{ login: 'mona' }],
    repos: [{ name: 'mona/hello' }],
    apps: [app],
    installations: [{ app: 'greeter', account: 'mona', repositories: 'all' }],
  },
});
const privateKey = await readFile(join(github.directory, 'greeter.pem'), 'utf8');
const greeter = createGreeter({ baseUrl: github.url, appId: 'Iv1.greeter', privateKey, secret: 'forTestsOnly' });
await once(greeter.listen(0, '127.0.0.1'), 'listening');
after(() => Promise.all([greeter.close(), github.stop()]));

test('the app greets the author of an issue', async () => {
  const webhook_url = `http://127.0.0.1:${greeter.address().port}`;
  await github.apply({ apps: [{ ...app, webhook_url, webhook_secret: 'forTestsOnly' }] });
  const octokit = github.octokit('mona');
  const { data: { number: issue_number } } = await octokit.rest.issues.create({ ...hello, title: 'A question' });
  await github.deliveries.wait();
  const { data: comments } = await octokit.rest.issues.listComments({ ...hello, issue_number });
  assert.deepEqual(comments.map(({ user, body }) => [user.login, body]), [['greeter[bot]', 'Hello @mona!']]);
});
