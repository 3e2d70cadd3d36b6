// Issue fields. No release of the client has typed methods for them yet; they are called by route.
import assert from 'node:assert/strict';
import { as, assertNotModified, assertError } from './client.mjs';

const org = 'octo-org';
const LIST = 'GET /orgs/{org}/issue-fields';
const CREATE = 'POST /orgs/{org}/issue-fields';
const UPDATE = 'PATCH /orgs/{org}/issue-fields/{issue_field_id}';
const DELETE = 'DELETE /orgs/{org}/issue-fields/{issue_field_id}';

export const cases = {
  async 'list issue fields returns them to members, and 304 if unchanged'() {
    const { data } = await assertNotModified((parameters) => as('hubot').request(LIST, parameters), { org });
    assert.deepEqual(data.map(({ name, data_type }) => [name, data_type]), [['Priority', 'single_select'], ['Areas', 'multi_select'],
      ['Effort', 'number'], ['Due', 'date'], ['Summary', 'text']]);
    assert.deepEqual(Object.keys(data[0].options[0]), ['id', 'name', 'color']);
    assert.deepEqual((await as('octoOrgInstallation').request(LIST, { org })).data, data);
  },

  async 'list issue fields is 404 for non-members'() {
    await assertError(as('stranger').request(LIST, { org }), 404, 'Not Found');
    await assertError(as('monaWithoutScopes').request(LIST, { org }), 404, 'Not Found');
    await assertError(as('mona').request(LIST, { org: 'no-such-org' }), 404, 'Not Found');
    await assertError(as('nobody').request(LIST, { org }), 401, 'Requires authentication');
  },

  async 'issue field is created, updated and deleted'() {
    const mona = as('mona');
    const options = [{ name: 'Small', color: 'green', priority: 1, description: 'A day' }, { name: 'Large', color: 'red', priority: 2 }];
    const { status, data: made } = await mona.request(CREATE, { org, name: 'Size', data_type: 'single_select', description: 'How big', options });
    assert.equal(status, 200);
    assert.deepEqual(made.options.map(({ name, color, priority, description }) => [name, color, priority, description]),
      [['Small', 'green', 1, 'A day'], ['Large', 'red', 2, null]]);

    const changes = [{ id: made.options[0].id, name: 'Tiny', color: 'blue', priority: 1 }, { name: 'Huge', color: 'pink', priority: 2 }];
    const { data: changed } = await mona.request(UPDATE, { org, issue_field_id: made.id, name: 'Extent', options: changes });
    assert.equal(changed.name, 'Extent');
    assert.deepEqual(changed.options.map(({ name }) => name), ['Tiny', 'Huge']);
    assert.equal(changed.options[0].id, made.options[0].id);
    assert.notEqual(changed.options[1].id, made.options[1].id);

    const gone = await mona.request(DELETE, { org, issue_field_id: made.id });
    assert.deepEqual([gone.status, gone.data], [204, '']);
    await assertError(mona.request(DELETE, { org, issue_field_id: made.id }), 404, 'Not Found');
    await assertError(mona.request(UPDATE, { org, issue_field_id: made.id, name: 'Again' }), 404, 'Not Found');
  },

  async 'create issue field rejects invalid fields with messages'() {
    const mona = as('mona');
    const taken = await assertError(mona.request(CREATE, { org, name: 'priority', data_type: 'text' }), 422, 'Validation Failed');
    assert.ok(taken.response.data.errors.every((reason) => typeof reason === 'string'), JSON.stringify(taken.response.data));
    await assertError(as('mona').request(CREATE, { org, data_type: 'text' }), 422, 'Invalid request.\n\n"name" wasn\'t supplied.');
    const { data: [priority] } = await mona.request(LIST, { org });
    const unknown = [{ id: 999_999, name: 'Ghost', color: 'gray', priority: 1 }];
    await assertError(as('mona').request(UPDATE, { org, issue_field_id: priority.id, options: unknown }), 422, 'Validation Failed');
  },

  async 'update issue field requires an organization admin'() {
    await assertError(as('hubot').request(CREATE, { org, name: 'Mine', data_type: 'text' }), 404, 'Not Found');
    await assertError(as('hubotFineGrained').request(DELETE, { org, issue_field_id: 1 }), 404, 'Not Found');
    const { status } = await as('octoOrgInstallation').request(CREATE, { org, name: 'By the app', data_type: 'text', visibility: 'all' });
    assert.equal(status, 200);
  },
};
