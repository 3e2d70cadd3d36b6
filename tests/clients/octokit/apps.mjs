// `App`: signs with its key, finds installations, acts as them.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { app, hello, assertError, url } from './client.mjs';

const clientId = process.env.PLINTH_APP_CLIENT_ID;

async function idOf(account) {
  const { data } = await app().octokit.rest.apps.listInstallations();
  return data.find((installation) => installation.account.login === account).id;
}

export const cases = {
  async 'app is identified by its id and by its client id'() {
    for (const id of [process.env.PLINTH_APP_ID, clientId]) {
      const { data } = await app(id).octokit.rest.apps.getAuthenticated();
      assert.deepEqual([data.slug, data.client_id, data.owner.login], ['helper', clientId, 'octo-org']);
    }
    assert.equal(await app().getInstallationUrl(), `${(await app().octokit.rest.apps.getAuthenticated()).data.html_url}/installations/new`);
  },

  async 'app with another key is rejected'() {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const impostor = app(clientId, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await assertError(impostor.octokit.rest.apps.getAuthenticated(), 401, 'A JSON web token could not be decoded');
  },

  async 'app iterates over installations and their repositories'() {
    const found = [];
    await app().eachInstallation(({ installation }) => found.push([installation.account.login, installation.suspended_at !== null]));
    assert.deepEqual(found.sort(), [['mona', true], ['octo-org', false], ['side-org', false]]);
    const names = [];
    await app().eachRepository({ installationId: await idOf('octo-org') }, ({ repository }) => names.push(repository.full_name));
    assert.ok(names.length > 30 && names.includes('octo-org/hello') && names.every((name) => name.startsWith('octo-org/')), names.join(' '));
  },

  async 'installation is found by organization, repository, user and id'() {
    const { rest } = app().octokit;
    const octo = await idOf('octo-org');
    assert.equal((await rest.apps.getOrgInstallation({ org: 'octo-org' })).data.id, octo);
    assert.equal((await rest.apps.getRepoInstallation(hello)).data.id, octo);
    assert.equal((await rest.apps.getInstallation({ installation_id: octo })).data.access_tokens_url, `${url}/app/installations/${octo}/access_tokens`);
    assert.equal((await rest.apps.getUserInstallation({ username: 'mona' })).data.target_type, 'User');
    await assertError(rest.apps.getOrgInstallation({ org: 'no-such-org' }), 404, 'Not Found');
  },

  async 'app acts as its installation'() {
    const octokit = await app().getInstallationOctokit(await idOf('octo-org'));
    const { data: { object: { sha } } } = await octokit.rest.git.getRef({ ...hello, ref: 'heads/main' });
    await octokit.rest.git.createRef({ ...hello, ref: 'refs/heads/by-the-app', sha });
    const { data: { head } } = await octokit.rest.pulls.get({ ...hello, pull_number: 2 });
    const comment = { body: 'Says the app', commit_id: head.sha, path: 'notes.txt', line: 1 };
    const { data: { user } } = await octokit.rest.pulls.createReviewComment({ ...hello, pull_number: 2, ...comment });
    assert.deepEqual([user.login, user.type], ['helper[bot]', 'Bot']);
  },

  async 'token is narrowed to some repositories and permissions'() {
    const installationId = await idOf('octo-org');
    const { octokit } = app();
    const { data: { id } } = await (await app().getInstallationOctokit(installationId)).rest.repos.get(hello);
    const narrow = await octokit.auth({ type: 'installation', installationId, repositoryIds: [id], permissions: { contents: 'read' } });
    assert.deepEqual([narrow.repositoryIds, narrow.permissions.contents, narrow.repositorySelection], [[id], 'read', 'selected']);
    const holder = new octokit.constructor({ auth: narrow.token, authStrategy: undefined });
    assert.equal((await holder.rest.apps.listReposAccessibleToInstallation()).data.total_count, 1);
    await assertError(holder.rest.git.deleteRef({ ...hello, ref: 'heads/scratch' }), 403, 'Resource not accessible by integration');
    await assertError(octokit.rest.apps.createInstallationAccessToken({ installation_id: installationId, permissions: { administration: 'write' } }), 422,
      'The permissions requested are not granted to this installation.');
    await assertError(octokit.rest.apps.createInstallationAccessToken({ installation_id: 999_999 }), 404, 'Not Found');
  },

  async 'suspended installation gets no token until it is unsuspended'() {
    const installation_id = await idOf('mona');
    const { rest } = app().octokit;
    await assertError(rest.apps.createInstallationAccessToken({ installation_id }), 403, 'This installation has been suspended');
    assert.equal((await rest.apps.unsuspendInstallation({ installation_id })).status, 204);
    const names = [];
    await app().eachRepository({ installationId: installation_id }, ({ repository }) => names.push(repository.full_name));
    assert.deepEqual(names, ['mona/dotfiles']);
    assert.equal((await rest.apps.suspendInstallation({ installation_id })).status, 204);
  },
};
