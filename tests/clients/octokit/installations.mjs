// App installations, as users and as the installation itself.
import assert from 'node:assert/strict';
import { app, as, assertNotModified, Octokit, assertError } from './client.mjs';

async function installation(account) {
  const { data } = await as('monaThroughApp').rest.apps.listInstallationsForAuthenticatedUser({ per_page: 100 });
  return data.installations.find((installation) => installation.account.login === account);
}

async function repositoryId(repo, owner = 'side-org') {
  return (await as('mona').rest.repos.get({ owner, repo })).data.id;
}

async function names(installation_id) {
  const { data } = await as('mona').rest.apps.listInstallationReposForAuthenticatedUser({ installation_id });
  return data.repositories.map(({ name }) => name);
}

export const cases = {
  async 'list installations of a user returns those with access, page by page'() {
    const mona = as('monaThroughApp');
    const { data } = await assertNotModified(mona.rest.apps.listInstallationsForAuthenticatedUser, { per_page: 100 });
    assert.equal(data.total_count, data.installations.length);
    const paged = await mona.paginate(mona.rest.apps.listInstallationsForAuthenticatedUser, { per_page: 1 });
    assert.deepEqual(paged.map(({ id }) => id), data.installations.map(({ id }) => id));
    const octo = data.installations.find(({ account }) => account.login === 'octo-org');
    assert.deepEqual([octo.app_slug, octo.target_type, octo.repository_selection, octo.permissions.contents], ['helper', 'Organization', 'all', 'write']);
    assert.deepEqual(octo.events, ['push', 'pull_request']);
    const { data: visible } = await as('hubotThroughApp').rest.apps.listInstallationsForAuthenticatedUser();
    assert.deepEqual(visible.installations.map(({ account }) => account.login), ['octo-org']);
    await assertError(as('mona').rest.apps.listInstallationsForAuthenticatedUser(), 403,
      'You must authenticate with an access token authorized to a GitHub App in order to list installations');
    await assertError(as('nobody').rest.apps.listInstallationsForAuthenticatedUser(), 401, 'Requires authentication');
  },

  async 'list repositories of a user installation reaches the last page'() {
    const { id: installation_id } = await installation('octo-org');
    const hubot = as('hubotThroughApp');
    const { data } = await hubot.rest.apps.listInstallationReposForAuthenticatedUser({ installation_id, per_page: 100 });
    assert.ok(data.total_count > 30, `${data.total_count} repositories`);
    const paged = await hubot.paginate(hubot.rest.apps.listInstallationReposForAuthenticatedUser, { installation_id, per_page: 15 });
    assert.deepEqual(paged.map(({ full_name }) => full_name), data.repositories.map(({ full_name }) => full_name));
    const { permissions } = data.repositories.find(({ name }) => name === 'hello');
    assert.deepEqual([permissions.admin, permissions.push, permissions.pull], [false, true, true]);
    await assertError(hubot.rest.apps.listInstallationReposForAuthenticatedUser({ installation_id: 999_999 }), 404, 'Not Found');
    await assertError(as('hubotFineGrained').rest.apps.listInstallationReposForAuthenticatedUser({ installation_id }), 403,
      'Resource not accessible by personal access token');
  },

  async 'list repositories of an installation reaches the last page'() {
    const installed = as('octoOrgInstallation');
    const { data } = await installed.rest.apps.listReposAccessibleToInstallation({ per_page: 100 });
    assert.equal(data.repository_selection, 'all');
    const paged = await installed.paginate(installed.rest.apps.listReposAccessibleToInstallation, { per_page: 15 });
    assert.equal(paged.length, data.total_count);
    assert.equal(new Set(paged.map(({ id }) => id)).size, data.total_count);
    const { data: side } = await assertNotModified(as('sideOrgInstallation').rest.apps.listReposAccessibleToInstallation);
    assert.equal(side.repository_selection, 'selected');
    await assertError(as('mona').rest.apps.listReposAccessibleToInstallation(), 403,
      'You must authenticate with an installation access token in order to list repositories for an installation.');
    await assertError(as('nobody').rest.apps.listReposAccessibleToInstallation(), 401, 'Requires authentication');
  },

  async 'repository is added to an installation and removed'() {
    const { id: installation_id } = await installation('side-org');
    const three = { installation_id, repository_id: await repositoryId('three') };
    const mona = as('mona');
    assert.deepEqual(await names(installation_id), ['one', 'two']);
    assert.equal((await mona.rest.apps.addRepoToInstallationForAuthenticatedUser(three)).status, 204);
    assert.deepEqual(await names(installation_id), ['one', 'two', 'three']);
    assert.equal((await mona.rest.apps.removeRepoFromInstallationForAuthenticatedUser(three)).status, 204);
    assert.deepEqual(await names(installation_id), ['one', 'two']);
    await assertNotModified(mona.rest.apps.listInstallationReposForAuthenticatedUser, { installation_id });
    await assertError(mona.rest.apps.removeRepoFromInstallationForAuthenticatedUser(three), 404, 'Not Found');
  },

  async 'change of a selection rejects other tokens and absent repositories'() {
    const [side, octo] = [await installation('side-org'), await installation('octo-org')];
    const one = { installation_id: side.id, repository_id: await repositoryId('one') };
    await assertError(as('stranger').rest.apps.addRepoToInstallationForAuthenticatedUser(one), 404, 'Not Found');
    await assertError(as('mona').rest.apps.addRepoToInstallationForAuthenticatedUser({ ...one, repository_id: 999_999 }), 404, 'Not Found');
    await assertError(as('monaThroughApp').rest.apps.addRepoToInstallationForAuthenticatedUser(one), 403, 'Resource not accessible by integration');
    await assertError(as('hubotFineGrained').rest.apps.removeRepoFromInstallationForAuthenticatedUser(one), 403,
      'Resource not accessible by personal access token');
    const hello = { installation_id: octo.id, repository_id: await repositoryId('hello', 'octo-org') };
    await assertError(as('mona').rest.apps.removeRepoFromInstallationForAuthenticatedUser(hello), 422,
      'This installation is on all repositories, please update in the Web UI.');
  },

  async 'revoked installation token is rejected'() {
    const { id: installationId } = await installation('side-org');
    const { token } = await app().octokit.auth({ type: 'installation', installationId });
    const holder = new Octokit({ auth: token });
    assert.equal((await holder.rest.apps.listReposAccessibleToInstallation()).data.total_count, 2);
    assert.equal((await holder.rest.apps.revokeInstallationAccessToken()).status, 204);
    await assertError(holder.rest.apps.listReposAccessibleToInstallation(), 401, 'Bad credentials');
    await assertError(holder.rest.apps.revokeInstallationAccessToken(), 401, 'Bad credentials');
    assert.equal((await as('sideOrgInstallation').rest.apps.listReposAccessibleToInstallation()).status, 200, 'other tokens stay valid');
  },
};
