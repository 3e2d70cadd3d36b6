// Project fields of organizations and of users.
import assert from 'node:assert/strict';
import { as, assertNotModified, assertError, url } from './client.mjs';

const roadmap = { org: 'octo-org', project_number: 1 };
const hidden = { org: 'octo-org', project_number: 2 };
const mine = { username: 'mona', project_number: 1 };
const BUILT_IN = 10;

/** Pages of one field, forwards to the end and back, contain the same fields as one large page. */
async function isPagedBothWays(client, method, parameters) {
  const { data: whole, headers } = await method({ ...parameters, per_page: 100 });
  assert.equal(headers.link, undefined);
  assert.ok(whole.length > BUILT_IN + 20, `${whole.length} fields`);
  const sizes = [];
  const names = await client.paginate(method, { ...parameters, per_page: 7 }, ({ data }) => {
    sizes.push(data.length);
    return data.map((field) => field.name);
  });
  assert.deepEqual(names, whole.map((field) => field.name));
  assert.equal(sizes.length, Math.ceil(whole.length / 7));
  assert.equal(new Set(whole.map((field) => field.id)).size, whole.length);

  const second = await method({ ...parameters, per_page: 7, after: cursor(await method({ ...parameters, per_page: 7 }), 'next') });
  const first = await method({ ...parameters, per_page: 7, before: cursor(second, 'prev') });
  assert.deepEqual(first.data, whole.slice(0, 7));
  return whole;
}

function cursor({ headers }, relation) {
  const [, url] = headers.link.match(new RegExp(`<([^<>]+)>;\\s*rel="${relation}"`));
  return new URL(url).searchParams.get(relation === 'next' ? 'after' : 'before');
}

export const cases = {
  async 'pagination of organization fields works in both directions'() {
    const mona = as('mona');
    const fields = await isPagedBothWays(mona, mona.rest.projects.listFieldsForOrg, roadmap);
    assert.deepEqual(fields.slice(0, 3).map(({ name, data_type }) => [name, data_type]),
      [['Title', 'title'], ['Assignees', 'assignees'], ['Status', 'single_select']]);
    const field = (name) => fields.find((field) => field.name === name);
    assert.deepEqual(Object.keys(field('Stage').options[0]).sort(), ['color', 'description', 'id', 'name']);
    assert.equal(field('Stage').options[0].name.raw, 'Idea');
    assert.equal(field('Sprint').configuration.duration, 14);
    assert.equal(field('Sprint').configuration.iterations[0].title.raw, 'One');
    assert.equal(typeof field('Priority').issue_field_id, 'number');
    assert.equal('options' in field('Points'), false);
  },

  async 'pagination of user fields works in both directions'() {
    const mona = as('mona');
    await isPagedBothWays(mona, mona.rest.projects.listFieldsForUser, mine);
  },

  async 'get organization field returns the listed field'() {
    const nobody = as('nobody');
    const { data: [title] } = await nobody.rest.projects.listFieldsForOrg({ ...roadmap, per_page: 1 });
    const { data } = await assertNotModified(nobody.rest.projects.getFieldForOrg, { ...roadmap, field_id: title.id });
    assert.deepEqual(data, title);
    await assertError(nobody.rest.projects.getFieldForOrg({ ...roadmap, field_id: 999_999 }), 404, 'Not Found');
  },

  async 'get user field returns the listed field'() {
    const mona = as('monaByOAuth');
    const { data: [title] } = await mona.rest.projects.listFieldsForUser({ ...mine, per_page: 1 });
    const { data } = await assertNotModified(mona.rest.projects.getFieldForUser, { ...mine, field_id: title.id });
    assert.deepEqual(data, title);
    await assertError(mona.rest.projects.getFieldForUser({ ...mine, field_id: 999_999 }), 404, 'Not Found');
  },

  async 'unchanged list is 304'() {
    await assertNotModified(as('hubot').rest.projects.listFieldsForOrg, roadmap);
    await assertNotModified(as('hubot').rest.projects.listFieldsForUser, mine);
  },

  async 'private project is hidden'() {
    await as('mona').rest.projects.listFieldsForOrg(hidden);
    await assertError(as('stranger').rest.projects.listFieldsForOrg(hidden), 404, 'Not Found');
    await assertError(as('nobody').rest.projects.listFieldsForOrg(hidden), 404, 'Not Found');
    await assertError(as('stranger').rest.projects.listFieldsForUser({ ...mine, project_number: 2 }), 404, 'Not Found');
  },

  async 'user projects reject app and fine-grained tokens'() {
    await assertError(as('hubotFineGrained').rest.projects.listFieldsForUser(mine), 403, 'Resource not accessible by personal access token');
    await assertError(as('octoOrgInstallation').rest.projects.listFieldsForUser(mine), 403, 'Resource not accessible by integration');
    await assertError(as('monaThroughApp').rest.projects.getFieldForUser({ ...mine, field_id: 1 }), 403, 'Resource not accessible by integration');
    await assertError(as('nobody').rest.projects.listFieldsForUser(mine), 401, 'Requires authentication');
  },

  async 'fields of every type are added to an organization project'() {
    const add = (body) => as('mona').rest.projects.addFieldForOrg({ ...roadmap, ...body });
    for (const data_type of ['text', 'number', 'date']) {
      const { status, data } = await add({ name: `A new ${data_type}`, data_type });
      assert.equal(status, 201);
      assert.deepEqual([data.name, data.data_type], [`A new ${data_type}`, data_type]);
    }
    const single_select_options = [{ name: 'Yes', color: 'GREEN', description: 'Of <course>' }, { name: 'No', color: 'RED', description: '' }];
    const { data: choice } = await add({ name: 'A choice', data_type: 'single_select', single_select_options });
    assert.deepEqual(choice.options.map(({ name, color }) => [name.raw, color]), [['Yes', 'GREEN'], ['No', 'RED']]);
    assert.deepEqual(choice.options[0].description, { raw: 'Of <course>', html: 'Of &lt;course&gt;' });
    const iteration_configuration = { start_date: '2026-03-02', duration: 7, iterations: [{ title: 'First', start_date: '2026-03-02', duration: 10 }] };
    const { data: rhythm } = await add({ name: 'A rhythm', data_type: 'iteration', iteration_configuration });
    assert.deepEqual(rhythm.configuration.iterations.map(({ start_date, duration }) => [start_date, duration]), [['2026-03-02', 10]]);
  },

  async 'issue field is added to a project'() {
    const { data: issueFields } = await as('mona').request('GET /orgs/{org}/issue-fields', { org: 'octo-org' });
    const effort = issueFields.find((field) => field.name === 'Effort');
    const { data } = await as('octoOrgInstallation').rest.projects.addFieldForOrg({ ...roadmap, issue_field_id: effort.id });
    assert.deepEqual([data.name, data.data_type, data.issue_field_id], ['Effort', 'number', effort.id]);
  },

  async 'field is added to a user project'() {
    const { status, data } = await as('mona').rest.projects.addFieldForUser({ ...mine, name: 'Mood', data_type: 'text' });
    assert.equal(status, 201);
    assert.ok(data.project_url.startsWith(`${url}/projects/`), data.project_url);
  },

  async 'add field rejects invalid fields'() {
    const mona = as('mona');
    const taken = await assertError(mona.rest.projects.addFieldForOrg({ ...roadmap, name: 'points', data_type: 'number' }), 422, 'Validation Failed');
    assert.deepEqual(taken.response.data.errors.map(({ code, field }) => [code, field]), [['already_exists', 'name']]);
    const mine2 = { ...mine, name: 'Choice', data_type: 'single_select', single_select_options: [] };
    assert.equal((await mona.rest.projects.addFieldForUser(mine2).catch((error) => error)).status, 422);
  },

  async 'add field requires write access'() {
    const field = { name: 'Not to be', data_type: 'text' };
    await assertError(as('nobody').rest.projects.addFieldForOrg({ ...roadmap, ...field }), 401, 'Requires authentication');
    await assertError(as('hubotReading').rest.projects.addFieldForOrg({ ...roadmap, ...field }), 403, 'Resource not accessible by personal access token');
    assert.equal((await as('stranger').rest.projects.addFieldForUser({ ...mine, ...field }).catch((error) => error)).status, 403);
  },
};
