// Reading review comments: pagination, order, media types.
import assert from 'node:assert/strict';
import { as, hello, assertNotModified, Octokit, assertError, tokens, url } from './client.mjs';

const pull = { ...hello, pull_number: 1 };
const MARKDOWN = '**More** `code` and <b>tags</b> for @hubot';

async function marked(client, parameters = {}) {
  const { data } = await client.rest.pulls.listReviewComments({ ...pull, per_page: 100, ...parameters });
  return data.find((comment) => (comment.body ?? comment.body_text ?? comment.body_html).includes('More'));
}

export const cases = {
  async 'pagination of pull request comments reaches the last page'() {
    const nobody = as('nobody');
    const { data: whole } = await assertNotModified(nobody.rest.pulls.listReviewComments, { ...pull, per_page: 100 });
    assert.ok(whole.length > 60, `${whole.length} comments`);
    const sizes = [];
    const ids = await nobody.paginate(nobody.rest.pulls.listReviewComments, { ...pull, per_page: 20 }, ({ data }) => {
      sizes.push(data.length);
      return data.map(({ id }) => id);
    });
    assert.deepEqual(ids, whole.map(({ id }) => id));
    assert.deepEqual(sizes, [20, 20, 20, whole.length - 60]);
    assert.deepEqual(ids, ids.toSorted((one, other) => one - other));
    const { headers } = await nobody.rest.pulls.listReviewComments({ ...pull, per_page: 20, page: 2 });
    assert.deepEqual([...headers.link.matchAll(/rel="(\w+)"/g)].map(([, relation]) => relation), ['prev', 'next', 'last', 'first']);
  },

  async 'pagination of repository comments reaches the last page'() {
    const nobody = as('nobody');
    const { data: whole } = await assertNotModified(nobody.rest.pulls.listReviewComments, { ...pull, per_page: 100 });
    const all = await nobody.paginate(nobody.rest.pulls.listReviewCommentsForRepo, { ...hello, per_page: 25 });
    const known = new Set(all.map(({ id }) => id));
    assert.deepEqual(whole.filter(({ id }) => !known.has(id)), []);
    const { data: newest } = await nobody.rest.pulls.listReviewCommentsForRepo({ ...hello, sort: 'created', direction: 'desc', per_page: 1 });
    assert.ok(newest[0].id >= Math.max(...whole.map(({ id }) => id)));
    assert.deepEqual((await nobody.rest.pulls.listReviewCommentsForRepo({ ...hello, since: '2100-01-01T00:00:00Z' })).data, []);
  },

  async 'comment has its position in the diff'() {
    const { data } = await as('hubot').rest.pulls.listReviewComments({ ...pull, per_page: 100 });
    const position = (body) => {
      const { path, line, side, start_line, start_side, subject_type } = data.find((comment) => comment.body === body);
      return [path, start_line, start_side, line, side, subject_type];
    };
    assert.deepEqual(position('Right 5'), ['src/list.txt', null, null, 5, 'RIGHT', 'line']);
    assert.deepEqual(position('Left 5'), ['src/list.txt', null, null, 5, 'LEFT', 'line']);
    assert.deepEqual(position('Three lines'), ['src/list.txt', 31, 'RIGHT', 33, 'RIGHT', 'line']);
    assert.deepEqual(position('From one side to the other'), ['src/list.txt', 31, 'LEFT', 33, 'RIGHT', 'line']);
    assert.deepEqual(position('By position'), ['src/new.txt', null, null, 2, 'RIGHT', 'line']);
    assert.equal(position('The whole file').at(-1), 'file');
    const root = data.find((comment) => comment.body === MARKDOWN);
    assert.equal('in_reply_to_id' in root, false);
    assert.deepEqual(data.filter((comment) => comment.in_reply_to_id === root.id).map(({ body }) => body), ['First reply', 'Second reply', 'Third reply']);
    assert.match(data[0].diff_hunk, /^@@ -1,80 \+1,80 @@|^@@ /);
  },

  async 'get comment returns every media type'() {
    const nobody = as('nobody');
    const comment_id = (await marked(nobody)).id;
    const { data } = await assertNotModified(nobody.rest.pulls.getReviewComment, { ...hello, comment_id });
    assert.equal(data.body, MARKDOWN);
    assert.equal(data.url, `${url}/repos/octo-org/hello/pulls/comments/${comment_id}`);
    const bodies = (comment) => Object.keys(comment).filter((key) => key.startsWith('body')).sort();
    const expected = { raw: ['body'], text: ['body_text'], html: ['body_html'], full: ['body', 'body_html', 'body_text'] };
    for (const [format, keys] of Object.entries(expected)) {
      const named = await nobody.rest.pulls.getReviewComment({ ...hello, comment_id, mediaType: { format } });
      assert.deepEqual(bodies(named.data), keys, `mediaType.format ${format}`);
      const accept = `application/vnd.github-commitcomment.${format}+json`;
      const asked = await nobody.rest.pulls.getReviewComment({ ...hello, comment_id, headers: { accept } });
      assert.deepEqual(bodies(asked.data), keys, accept);
      assert.deepEqual(bodies(await marked(nobody, { mediaType: { format } })), keys);
      const { data: [first] } = await nobody.rest.pulls.listReviewCommentsForRepo({ ...hello, mediaType: { format } });
      assert.deepEqual(bodies(first), keys);
    }
    const { data: full } = await nobody.rest.pulls.getReviewComment({ ...hello, comment_id, mediaType: { format: 'full' } });
    assert.match(full.body_html, /<strong>More<\/strong> <code[^>]*>code<\/code>/);
    assert.match(full.body_text, /^More code and tags for @hubot$/);
  },

  async 'pull request is returned as JSON and as a diff'() {
    const nobody = as('nobody');
    const { data } = await assertNotModified(nobody.rest.pulls.get, pull);
    assert.equal(data.title, 'Say it differently');
    const { data: diff } = await nobody.rest.pulls.get({ ...pull, mediaType: { format: 'diff' } });
    assert.match(diff, /^diff --git a\/README.md b\/README.md\n/);
  },

  async 'absent comments are 404'() {
    const nobody = as('nobody');
    await assertError(nobody.rest.pulls.getReviewComment({ ...hello, comment_id: 999_999 }), 404, 'Not Found');
    await assertError(nobody.rest.pulls.listReviewComments({ ...hello, pull_number: 999 }), 404, 'Not Found');
    await assertError(nobody.rest.pulls.listReviewCommentsForRepo({ owner: 'octo-org', repo: 'no-such-repo' }), 404, 'Not Found');
    await assertError(as('stranger').rest.pulls.listReviewCommentsForRepo({ owner: 'octo-org', repo: 'secret' }), 404, 'Not Found');
  },

  async '/api/v3 serves the same API with its own URLs'() {
    const mona = new Octokit({ auth: tokens.mona, baseUrl: `${url}/api/v3` });
    const comments = await mona.paginate(mona.rest.pulls.listReviewComments, { ...pull, per_page: 30 });
    const { data: direct } = await as('mona').rest.pulls.listReviewComments({ ...pull, per_page: 100 });
    assert.deepEqual(comments.map(({ id }) => id), direct.map(({ id }) => id));
    assert.ok(comments.every((comment) => comment.url.startsWith(`${url}/api/v3/repos/`)), comments[0].url);
    assert.deepEqual((await mona.request(comments[0].url)).data, comments[0]);
  },
};
