// Git refs.
import assert from 'node:assert/strict';
import { as, hello, assertNotModified, refs, assertError, url } from './client.mjs';

const empty = { owner: 'octo-org', repo: 'empty' };
const ABSENT = '0123456789012345678901234567890123456789';

async function sha(ref, repo = refs) {
  return (await as('mona').rest.git.getRef({ ...repo, ref })).data.object.sha;
}

export const cases = {
  async 'matching refs are listed by prefix, without pages'() {
    const nobody = as('nobody');
    const { data, headers } = await assertNotModified(nobody.rest.git.listMatchingRefs, { ...refs, ref: 'tags/release/' });
    assert.equal(data.length, 120);
    assert.equal(headers.link, undefined);
    assert.equal(data[0].ref, 'refs/tags/release/r001');
    const followed = await nobody.paginate(nobody.rest.git.listMatchingRefs, { ...refs, ref: 'tags/release/', per_page: 50 });
    assert.deepEqual(followed, data);
    const { data: features } = await nobody.rest.git.listMatchingRefs({ ...refs, ref: 'heads/feature' });
    assert.deepEqual(features.map(({ ref }) => ref), ['refs/heads/feature/deep/down', 'refs/heads/featureA', 'refs/heads/featureB']);
    assert.deepEqual((await nobody.rest.git.listMatchingRefs({ ...refs, ref: 'heads/none' })).data, []);
    const { data: all } = await nobody.rest.git.listMatchingRefs({ ...refs, ref: '' });
    assert.ok(all.length > 120 + 4, `${all.length} references`);
  },

  async 'get ref finds full names, including special characters'() {
    const nobody = as('nobody');
    const { data } = await assertNotModified(nobody.rest.git.getRef, { ...refs, ref: 'heads/feature/deep/down' });
    assert.equal(data.ref, 'refs/heads/feature/deep/down');
    assert.equal(data.url, `${url}/repos/octo-org/refs/git/refs/heads/feature/deep/down`);
    assert.deepEqual([data.object.type, data.object.url], ['commit', `${url}/repos/octo-org/refs/git/commits/${data.object.sha}`]);
    const { data: odd } = await nobody.rest.git.getRef({ ...refs, ref: 'heads/odd/#50%-früh' });
    assert.equal(odd.ref, 'refs/heads/odd/#50%-früh');
    assert.deepEqual((await nobody.request(odd.url)).data, odd);
    const { data: tag } = await nobody.rest.git.getRef({ ...hello, ref: 'tags/v1' });
    assert.equal(tag.object.type, 'tag');
    await assertError(nobody.rest.git.getRef({ ...refs, ref: 'heads/feature' }), 404, 'Not Found');
    await assertError(nobody.rest.git.getRef({ owner: 'octo-org', repo: 'secret', ref: 'heads/main' }), 404, 'Not Found');
    await assertError(nobody.rest.git.listMatchingRefs({ owner: 'octo-org', repo: 'secret', ref: 'heads' }), 404, 'Not Found');
  },

  async 'branch is created, moved and deleted'() {
    const hubot = as('hubot');
    const { status, data, headers } = await hubot.rest.git.createRef({ ...refs, ref: 'refs/heads/topic/one', sha: await sha('heads/main') });
    assert.equal(status, 201);
    assert.equal(headers.location, data.url);
    const ahead = await sha('heads/featureA');
    assert.equal((await hubot.rest.git.updateRef({ ...refs, ref: 'heads/topic/one', sha: ahead })).data.object.sha, ahead);
    const aside = await sha('heads/featureB');
    await assertError(hubot.rest.git.updateRef({ ...refs, ref: 'heads/topic/one', sha: aside }), 422, 'Update is not a fast forward');
    assert.equal((await hubot.rest.git.updateRef({ ...refs, ref: 'heads/topic/one', sha: aside, force: true })).data.object.sha, aside);
    assert.equal((await hubot.rest.git.deleteRef({ ...refs, ref: 'heads/topic/one' })).status, 204);
    await assertError(hubot.rest.git.deleteRef({ ...refs, ref: 'heads/topic/one' }), 422, 'Reference does not exist');
    await assertError(hubot.rest.git.updateRef({ ...refs, ref: 'heads/topic/one', sha: ahead }), 422, 'Reference does not exist');
  },

  async 'app and fine-grained tokens write refs'() {
    for (const name of ['octoOrgInstallation', 'hubotFineGrained', 'monaThroughApp']) {
      const client = as(name);
      await client.rest.git.createRef({ ...refs, ref: `refs/tags/by-${name}`, sha: await sha('heads/main') });
      await client.rest.git.deleteRef({ ...refs, ref: `tags/by-${name}` });
    }
  },

  async 'create ref rejects invalid names and targets'() {
    const main = await sha('heads/main');
    const create = (ref, sha) => as('hubot').rest.git.createRef({ ...refs, ref, sha });
    await assertError(create('refs/heads/main', main), 422, 'Reference already exists');
    await assertError(create('heads/main', main), 422, "Reference name must start with 'refs/'.");
    await assertError(create('refs/nonsense', main), 422, 'Reference name must contain at least three slash-separated components.');
    await assertError(create('refs/heads/a..b', main), 422, 'refs/heads/a..b is not a valid ref name.');
    await assertError(create('refs/heads/new', ABSENT), 422, 'Object does not exist');
    await assertError(create('refs/heads/main/sub', main), 422, 'Reference update failed');
    await assertError(create('refs/heads/new', 'abc1234'), 422, 'Invalid request.\n\nAt least 40 characters are required; only 7 were supplied.');
    await assertError(as('hubot').rest.git.updateRef({ ...refs, ref: 'heads/main', sha: ABSENT }), 422, 'Object does not exist');
    await assertError(as('hubot').rest.git.deleteRef({ ...refs, ref: 'heads/main' }), 422, 'Cannot delete the default branch');
  },

  async 'delete ref requires a credential and push access'() {
    const named = { ...refs, ref: 'heads/featureB' };
    await assertError(as('nobody').rest.git.deleteRef(named), 401, 'Requires authentication');
    await assertError(as('stranger').rest.git.deleteRef(named), 403, 'Must have push access to repository');
    await assertError(as('hubotReading').rest.git.deleteRef({ ...hello, ref: 'heads/feature' }), 403, 'Resource not accessible by personal access token');
    await assertError(new (as('nobody').constructor)({ auth: 'ghp_unknown' }).rest.git.getRef(named), 401, 'Bad credentials');
  },

  async 'empty repository is 409, which the client retries'() {
    let tries = 0;
    const counting = (...args) => {
      tries += 1;
      return fetch(...args);
    };
    const text = 'Git Repository is empty.';
    // Shortens its pauses of 1, 4 and 9 seconds to milliseconds.
    const mona = as('mona', { request: { fetch: counting }, retry: { retryAfterBaseValue: 1 } });
    await assertError(mona.rest.git.getRef({ ...empty, ref: 'heads/main' }), 409, text);
    assert.equal(tries, 4);
    const once = { ...empty, request: { retries: 0 } };
    await assertError(as('mona').rest.git.listMatchingRefs({ ...once, ref: 'heads' }), 409, text);
    await assertError(as('mona').rest.git.createRef({ ...once, ref: 'refs/heads/main', sha: ABSENT }), 409, text);
    await assertError(as('mona').rest.git.updateRef({ ...once, ref: 'heads/main', sha: ABSENT }), 409, text);
    await assertError(as('mona').rest.git.deleteRef({ ...once, ref: 'heads/main' }), 409, text);
    assert.deepEqual(await as('mona').paginate('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', { ...once, ref: 'heads' }), []);
  },
};
