// Writing review comments. Each has its own client, so that none waits for the pauses between them.
import assert from 'node:assert/strict';
import { as, hello, assertError, url } from './client.mjs';

const pull = { ...hello, pull_number: 2 };
const NO_PUSH_ACCESS = 'Must have push access to repository';

async function head() {
  return (await as('mona').rest.pulls.get(pull)).data.head.sha;
}

async function comment(name, body) {
  return as(name).rest.pulls.createReviewComment({ ...pull, commit_id: await head(), path: 'notes.txt', ...body });
}

export const cases = {
  async 'comments of every kind are created'() {
    const { status, data, headers } = await comment('hubot', { body: 'On a line', line: 2, side: 'RIGHT' });
    assert.equal(status, 201);
    assert.equal(headers.location, data.url);
    assert.deepEqual([data.line, data.side, data.user.login, data.author_association], [2, 'RIGHT', 'hubot', 'MEMBER']);
    assert.equal(data.html_url, `${url}/octo-org/hello/pull/2#discussion_r${data.id}`);
    assert.equal(data.diff_hunk, '@@ -0,0 +1,5 @@\n+1\n+2');
    const range = await comment('mona', { body: 'On three', start_line: 2, start_side: 'RIGHT', line: 4, side: 'RIGHT' });
    assert.deepEqual([range.data.start_line, range.data.line], [2, 4]);
    const left = await comment('mona', { body: 'What was', path: 'README.md', line: 1, side: 'LEFT' });
    assert.deepEqual([left.data.side, left.data.original_line], ['LEFT', 1]);
    const position = await comment('octoOrgInstallation', { body: 'Counted', position: 5 });
    assert.deepEqual([position.data.line, position.data.user.login, position.data.user.type], [5, 'helper[bot]', 'Bot']);
    const file = await comment('hubotFineGrained', { body: 'All of it', subject_type: 'file' });
    assert.equal(file.data.subject_type, 'file');
    const full = await comment('monaThroughApp', { body: '*Now*', line: 1, mediaType: { format: 'full' } });
    assert.deepEqual([full.data.body, full.data.body_text, full.data.body_html.trim()], ['*Now*', 'Now', '<p><em>Now</em></p>']);
  },

  async 'reply is accepted only for the first comment of a thread'() {
    const { data: root } = await comment('mona', { body: 'Well?', line: 3 });
    const reply = await as('hubot').rest.pulls.createReplyForReviewComment({ ...pull, comment_id: root.id, body: 'Yes.' });
    assert.deepEqual([reply.status, reply.data.in_reply_to_id, reply.data.line], [201, root.id, 3]);
    const other = await as('mona').rest.pulls.createReviewComment({ ...pull, body: 'Good.', in_reply_to: root.id });
    assert.equal(other.data.in_reply_to_id, root.id);
    const createReply = (comment_id, name = 'hubot') => as(name).rest.pulls.createReplyForReviewComment({ ...pull, comment_id, body: 'And?' });
    assert.equal((await createReply(reply.data.id).catch((error) => error)).status, 422);
    await assertError(createReply(999_999), 404, 'Not Found');
    await assertError(createReply(root.id, 'nobody'), 401, 'Requires authentication');
  },

  async 'comment is updated and deleted by its author'() {
    const { data: made } = await comment('hubot', { body: 'Frist', line: 4 });
    const hubot = as('hubot');
    const { data: changed } = await hubot.rest.pulls.updateReviewComment({ ...hello, comment_id: made.id, body: 'First' });
    assert.deepEqual([changed.body, changed.id, changed.line], ['First', made.id, 4]);
    await assertError(as('stranger').rest.pulls.updateReviewComment({ ...hello, comment_id: made.id, body: 'Mine' }), 403, NO_PUSH_ACCESS);
    await assertError(as('stranger').rest.pulls.deleteReviewComment({ ...hello, comment_id: made.id }), 403, NO_PUSH_ACCESS);
    await assertError(hubot.rest.pulls.updateReviewComment({ ...hello, comment_id: made.id }), 422, 'Invalid request.\n\n"body" wasn\'t supplied.');
    assert.equal((await hubot.rest.pulls.deleteReviewComment({ ...hello, comment_id: made.id })).status, 204);
    await assertError(hubot.rest.pulls.deleteReviewComment({ ...hello, comment_id: made.id }), 404, 'Not Found');
    await assertError(hubot.rest.pulls.updateReviewComment({ ...hello, comment_id: made.id, body: 'Again' }), 404, 'Not Found');
  },

  async 'create comment rejects invalid positions with all reasons'() {
    const outside = await assertError(comment('hubot', { body: 'Where?', line: 99 }), 422, 'Validation Failed');
    assert.deepEqual(outside.response.data.errors.map(({ resource, code, field }) => [resource, code, field]), [
      ['PullRequestReviewComment', 'custom', 'pull_request_review_thread.line'],
      ['PullRequestReviewComment', 'missing_field', 'pull_request_review_thread.diff_hunk'],
    ]);
    assert.match(outside.message, /pull_request_review_thread\.line must be part of the diff/);
    const path = await assertError(comment('hubot', { body: 'Where?', line: 1, path: 'none.txt' }), 422, 'Validation Failed');
    assert.equal(path.response.data.errors[0].field, 'pull_request_review_thread.path');
    const order = await assertError(comment('hubot', { body: 'Backwards', start_line: 3, start_side: 'RIGHT', line: 2, side: 'RIGHT' }), 422, 'Validation Failed');
    assert.match(order.message, /start_line must precede the end line\./);
    const elsewhere = await assertError(comment('hubot', { body: 'Then', line: 1, commit_id: '0'.repeat(40) }), 422, 'Validation Failed');
    assert.match(elsewhere.message, /end_commit_oid is not part of the pull request/);
  },

  async 'create comment requires a credential and permission'() {
    await assertError(comment('nobody', { body: 'Me?', line: 1 }), 401, 'Requires authentication');
    await assertError(comment('hubotReading', { body: 'Me?', line: 1 }), 403, 'Resource not accessible by personal access token');
  },
};
