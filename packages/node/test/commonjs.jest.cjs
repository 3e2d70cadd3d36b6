const { plinth } = require('plinth');

let github;
beforeAll(async () => {
  github = await plinth({ state: 'state.yaml' });
});
afterAll(() => github.stop());

test('a program without Octokit is tested', async () => {
  const authorization = `Bearer ${await github.token('mona')}`;
  const response = await fetch(`${github.url}/user`, { headers: { authorization } });
  expect((await response.json()).login).toBe('mona');
  expect(await github.requests.list({ operation: 'users/get-authenticated' })).toHaveLength(1);
});

test('a client that Jest cannot load is explained', () => {
  expect(() => github.octokit('mona')).toThrow(/option `Octokit`/);
});
