import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { plinth } from 'plinth';
import { renewing } from './renewal.js';

const github = await plinth({ state: 'state.yaml' });
after(() => github.stop());

test('renewing gets a new token when the old one has expired', async () => {
  const now = await github.clock.freeze('2030-01-01T00:00:00Z');
  let tokens = 0;
  const getToken = () => {
    tokens += 1;
    return github.token('hubot', { expiresAt: now.getTime() + tokens * 8 * 3_600_000 });
  };
  const call = renewing((token) => github.octokit(token), getToken);
  const login = async () => (await call((octokit) => octokit.rest.users.getAuthenticated())).data.login;
  assert.equal(await login(), 'hubot');
  await github.clock.advance({ hours: 7 });
  assert.equal(await login(), 'hubot');
  assert.equal(tokens, 1);
  await github.clock.advance({ hours: 2 });
  assert.equal(await login(), 'hubot');
  assert.equal(tokens, 2);
});
