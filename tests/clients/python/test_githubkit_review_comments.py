"""githubkit on review comments of pull requests."""

from datetime import datetime, timedelta, timezone

import fixtures
from githubkit_client import GithubkitTestCase

HERE = (fixtures.OWNER, fixtures.HELLO)
FOR_WRITING = (*HERE, fixtures.WRITABLE)


class ReviewComments(GithubkitTestCase):
    def head(self, number=fixtures.WRITABLE):
        return self.mona.rest.pulls.get(*HERE, number).parsed_data.head.sha

    def create(self, client=None, **fields):
        fields = {"body": "Kit", "commit_id": self.head(), "path": "notes.txt", "line": 2, **fields}
        return (client or self.mona).rest.pulls.create_review_comment(*FOR_WRITING, **fields).parsed_data

    def test_pagination_of_comments_reaches_the_last_page(self):
        rest = self.mona.rest
        for size in (1, 20, 37, 100):
            with self.subTest(size):
                comments = list(rest.paginate(rest.pulls.list_review_comments, None, *HERE, fixtures.MANY, per_page=size))
                self.assertEqual(fixtures.COMMENTS, len({comment.id for comment in comments}))
                self.assertEqual("Right 1", comments[0].body)
                self.assertEqual("Further 55", comments[-1].body)
        self.assertEqual(30, len(rest.pulls.list_review_comments(*HERE, fixtures.MANY).parsed_data))

    def test_page_has_links_to_all_directions(self):
        middle = self.mona.rest.pulls.list_review_comments(*HERE, fixtures.MANY, per_page=20, page=2)
        self.assertEqual({"first", "prev", "next", "last"}, set(middle.raw_response.links))
        last = self.mona.request("GET", middle.raw_response.links["last"]["url"])
        self.assertEqual({"first", "prev"}, set(last.raw_response.links))
        self.assertEqual(fixtures.COMMENTS - 60, len(last.json()))

    def test_comments_of_the_repository_include_all_pull_requests(self):
        mine = self.create(body="In the second pull request")
        rest = self.mona.rest
        whole = {comment.id for comment in rest.paginate(rest.pulls.list_review_comments_for_repo, None, *HERE, per_page=25)}
        first = {comment.id for comment in rest.paginate(rest.pulls.list_review_comments, None, *HERE, fixtures.MANY, per_page=25)}
        self.assertLess(first, whole)
        self.assertIn(mine.id, whole - first)

    def test_comments_are_sorted_and_filtered_by_time(self):
        fresh = self.create(body="The newest")
        list_all = self.mona.rest.pulls.list_review_comments_for_repo
        newest = list_all(*HERE, sort="created", direction="desc", per_page=1).parsed_data
        self.assertEqual([fresh.id], [comment.id for comment in newest])
        for call, arguments in ((list_all, HERE), (self.mona.rest.pulls.list_review_comments, FOR_WRITING)):
            ever = datetime(2020, 1, 1, tzinfo=timezone.utc)
            self.assertTrue(call(*arguments, since=ever).parsed_data)
            self.assertEqual([], call(*arguments, since=datetime.now(timezone.utc) + timedelta(days=1)).parsed_data)

    def test_lists_of_hidden_or_absent_resources_are_not_found(self):
        pulls = self.stranger.rest.pulls
        self.assert_error(404, "Not Found", pulls.list_review_comments_for_repo, fixtures.OWNER, fixtures.SECRET)
        self.assert_error(404, "Not Found", pulls.list_review_comments, *HERE, 99)

    def test_comment_is_readable_by_anyone(self):
        made = self.create(body="**Bold**", start_line=1, start_side="RIGHT", line=3, side="RIGHT")
        read = self.anonymous.rest.pulls.get_review_comment(*HERE, made.id).parsed_data
        self.assertEqual(made.model_dump(), read.model_dump())
        self.assertEqual((1, 3, "RIGHT", "notes.txt"), (read.start_line, read.line, read.side, read.path))
        self.assertEqual(("mona", "MEMBER"), (read.user.login, read.author_association))
        self.assertTrue(read.diff_hunk.startswith("@@ -0,0 +1,5 @@\n+1"))
        self.assert_error(404, "Not Found", self.mona.rest.pulls.get_review_comment, *HERE, fixtures.NO_SUCH_ID)

    def test_comment_text_is_returned_in_the_requested_media_type(self):
        made = self.create(body="**Bold** words")
        forms = {
            "raw": {"body"}, "text": {"body_text"}, "html": {"body_html"}, "full": {"body", "body_text", "body_html"},
        }
        for name, keys in forms.items():
            headers = {"Accept": f"application/vnd.github-commitcomment.{name}+json"}
            with self.subTest(name):
                pulls = self.mona.rest.pulls
                for response in (
                    pulls.get_review_comment(*HERE, made.id, headers=headers),
                    pulls.update_review_comment(*HERE, made.id, body="**Bold** words", headers=headers),
                    pulls.create_reply_for_review_comment(*FOR_WRITING, made.id, body="**Bold** words", headers=headers),
                ):
                    body = response.json()
                    self.assertEqual(keys, keys_of_text(body))
                    self.assertEqual("Bold words", body.get("body_text", "Bold words"))
                    self.assertIn("<strong>Bold</strong>", body.get("body_html", "<strong>Bold</strong>"))
                listed = pulls.list_review_comments(*FOR_WRITING, headers=headers).json()
                self.assertEqual([keys] * len(listed), [keys_of_text(comment) for comment in listed])

    def test_requested_media_type_applies_to_all_pages(self):
        rest = self.mona.rest
        headers = {"Accept": "application/vnd.github-commitcomment.full+json"}
        pages = rest.paginate(rest.pulls.list_review_comments, None, *HERE, fixtures.MANY, per_page=30, headers=headers)
        self.assertTrue(all(comment.body_html for comment in pages))

    def test_comments_are_created_at_every_kind_of_position(self):
        head = self.head()
        for fields, expected in (
            ({"path": "README.md", "line": 1, "side": "LEFT"}, (1, "LEFT", "line")),
            ({"path": "README.md", "line": 1, "side": "RIGHT"}, (1, "RIGHT", "line")),
            ({"path": "notes.txt", "position": 4}, (4, "RIGHT", "line")),
            ({"path": "notes.txt", "subject_type": "file"}, (1, "RIGHT", "file")),
        ):
            with self.subTest(fields):
                response = self.hubot.rest.pulls.create_review_comment(*FOR_WRITING, body="Here", commit_id=head, **fields)
                self.assertEqual(201, response.status_code)
                made = response.parsed_data
                self.assertEqual(made.url, response.headers["location"])
                self.assertEqual(expected, (made.line, made.side, made.subject_type))

    def test_create_comment_rejects_position_outside_of_the_diff(self):
        head = self.head()
        create = self.without_validation.rest.pulls.create_review_comment
        for fields, field in (
            ({"commit_id": head, "path": "notes.txt", "line": 99}, "line"),
            ({"commit_id": head, "path": "nowhere.txt", "line": 1}, "path"),
            ({"commit_id": fixtures.NO_SUCH_SHA, "path": "notes.txt", "line": 1}, "end_commit_oid"),
            ({"commit_id": head, "path": "notes.txt", "line": 2, "start_line": 4, "start_side": "RIGHT"}, "start_line"),
        ):
            with self.subTest(field):
                body = self.assert_error(422, "Validation Failed", create, *FOR_WRITING, body="Where?", **fields)
                self.assertEqual("PullRequestReviewComment", body["errors"][0]["resource"])
                self.assertEqual(f"pull_request_review_thread.{field}", body["errors"][0]["field"])
        self.assert_error(422, "Invalid request.\n\n\"commit_id\", \"path\" weren't supplied.", create, *FOR_WRITING, body="b", line=1)

    def test_reply_belongs_to_the_first_comment(self):
        root = self.create(body="Root")
        reply = self.hubot.rest.pulls.create_reply_for_review_comment
        response = reply(*FOR_WRITING, root.id, body="Answer")
        self.assertEqual(201, response.status_code)
        self.assertEqual((root.id, root.path, root.line),
                         (response.parsed_data.in_reply_to_id, response.parsed_data.path, response.parsed_data.line))
        other_way = self.without_validation.rest.pulls.create_review_comment(*FOR_WRITING, body="Too", in_reply_to=root.id).parsed_data
        self.assertEqual(root.id, other_way.in_reply_to_id)
        self.assert_error(404, "Not Found", reply, *FOR_WRITING, fixtures.NO_SUCH_ID, body="To nobody")
        text = "Replies to replies are not supported: reply to the top-level comment of the thread."
        self.assert_error(422, text, reply, *FOR_WRITING, other_way.id, body="Deeper")

    def test_comment_is_edited_by_its_author(self):
        made = self.create(self.hubot, body="Befor")
        update = self.hubot.rest.pulls.update_review_comment
        self.assertEqual("Before", update(*HERE, made.id, body="Before").parsed_data.body)
        self.assert_error(404, "Not Found", update, *HERE, fixtures.NO_SUCH_ID, body="None")
        body = self.assert_error(422, "Validation Failed", update, *HERE, made.id, body=" ")
        self.assertEqual("Body cannot be blank", body["errors"][0]["message"])
        stranger = self.stranger.rest.pulls.update_review_comment
        self.assert_error(403, "Must have push access to repository", stranger, *HERE, made.id, body="Mine")

    def test_deleted_comment_is_gone(self):
        made = self.create(body="Not for long")
        delete = self.mona.rest.pulls.delete_review_comment
        self.assert_error(403, "Must have push access to repository", self.stranger.rest.pulls.delete_review_comment, *HERE, made.id)
        self.assertEqual(204, delete(*HERE, made.id).status_code)
        self.assert_error(404, "Not Found", self.mona.rest.pulls.get_review_comment, *HERE, made.id)
        self.assert_error(404, "Not Found", delete, *HERE, made.id)

    def test_create_comment_requires_a_credential(self):
        fields = {"body": "b", "commit_id": self.head(), "path": "notes.txt", "line": 1}
        self.assert_error(401, "Requires authentication", self.anonymous.rest.pulls.create_review_comment, *FOR_WRITING, **fields)
        reads = self.opened(fixtures.FINE_GRAINED_READS).rest.pulls
        self.assert_error(403, "Resource not accessible by personal access token", reads.create_review_comment, *FOR_WRITING, **fields)

    def test_unchanged_comments_are_not_modified(self):
        made = self.create(body="Constant")
        pulls = self.uncached.rest.pulls
        self.assert_not_modified(pulls.get_review_comment, *HERE, made.id)
        self.assert_not_modified(pulls.list_review_comments, *FOR_WRITING)
        self.assert_not_modified(pulls.list_review_comments_for_repo, *HERE)

    def test_client_cache_notices_an_edit(self):
        made = self.create(body="First")
        read = lambda: self.mona.rest.pulls.get_review_comment(*HERE, made.id)
        self.assertEqual("First", read().parsed_data.body)
        self.assertTrue(read().raw_response.extensions["hishel_from_cache"])
        self.mona.rest.pulls.update_review_comment(*HERE, made.id, body="Second")
        self.assertEqual("Second", read().parsed_data.body)


def keys_of_text(comment):
    return {key for key in comment if key.startswith("body")}
