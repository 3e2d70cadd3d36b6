"""githubkit on review comments of pull requests."""

from datetime import datetime, timedelta, timezone

import world
from kit import Stories

HERE = (world.OWNER, world.HELLO)
FOR_WRITING = (*HERE, world.WRITABLE)


class ReviewComments(Stories):
    def head(self, number=world.WRITABLE):
        return self.mona.rest.pulls.get(*HERE, number).parsed_data.head.sha

    def create(self, client=None, **words):
        words = {"body": "Kit", "commit_id": self.head(), "path": "notes.txt", "line": 2, **words}
        return (client or self.mona).rest.pulls.create_review_comment(*FOR_WRITING, **words).parsed_data

    def test_pages_of_a_pull_requests_comments_are_followed_to_the_end(self):
        rest = self.mona.rest
        for size in (1, 20, 37, 100):
            with self.subTest(size):
                comments = list(rest.paginate(rest.pulls.list_review_comments, None, *HERE, world.MANY, per_page=size))
                self.assertEqual(world.COMMENTS, len({comment.id for comment in comments}))
                self.assertEqual("Right 1", comments[0].body)
                self.assertEqual("Further 55", comments[-1].body)
        self.assertEqual(30, len(rest.pulls.list_review_comments(*HERE, world.MANY).parsed_data))

    def test_the_links_of_a_page_lead_everywhere(self):
        middle = self.mona.rest.pulls.list_review_comments(*HERE, world.MANY, per_page=20, page=2)
        self.assertEqual({"first", "prev", "next", "last"}, set(middle.raw_response.links))
        last = self.mona.request("GET", middle.raw_response.links["last"]["url"])
        self.assertEqual({"first", "prev"}, set(last.raw_response.links))
        self.assertEqual(world.COMMENTS - 60, len(last.json()))

    def test_the_comments_of_the_repository_are_those_of_all_pull_requests(self):
        mine = self.create(body="In the second pull request")
        rest = self.mona.rest
        whole = {comment.id for comment in rest.paginate(rest.pulls.list_review_comments_for_repo, None, *HERE, per_page=25)}
        first = {comment.id for comment in rest.paginate(rest.pulls.list_review_comments, None, *HERE, world.MANY, per_page=25)}
        self.assertLess(first, whole)
        self.assertIn(mine.id, whole - first)

    def test_comments_are_sorted_and_since_a_time(self):
        fresh = self.create(body="The newest")
        list_all = self.mona.rest.pulls.list_review_comments_for_repo
        newest = list_all(*HERE, sort="created", direction="desc", per_page=1).parsed_data
        self.assertEqual([fresh.id], [comment.id for comment in newest])
        for call, words in ((list_all, HERE), (self.mona.rest.pulls.list_review_comments, FOR_WRITING)):
            ever = datetime(2020, 1, 1, tzinfo=timezone.utc)
            self.assertTrue(call(*words, since=ever).parsed_data)
            self.assertEqual([], call(*words, since=datetime.now(timezone.utc) + timedelta(days=1)).parsed_data)

    def test_lists_of_what_is_hidden_or_absent_are_not_found(self):
        pulls = self.stranger.rest.pulls
        self.refused(404, "Not Found", pulls.list_review_comments_for_repo, world.OWNER, world.SECRET)
        self.refused(404, "Not Found", pulls.list_review_comments, *HERE, 99)

    def test_a_comment_is_read_by_anyone_as_it_was_written(self):
        made = self.create(body="**Bold**", start_line=1, start_side="RIGHT", line=3, side="RIGHT")
        read = self.anonymous.rest.pulls.get_review_comment(*HERE, made.id).parsed_data
        self.assertEqual(made.model_dump(), read.model_dump())
        self.assertEqual((1, 3, "RIGHT", "notes.txt"), (read.start_line, read.line, read.side, read.path))
        self.assertEqual(("mona", "MEMBER"), (read.user.login, read.author_association))
        self.assertTrue(read.diff_hunk.startswith("@@ -0,0 +1,5 @@\n+1"))
        self.refused(404, "Not Found", self.mona.rest.pulls.get_review_comment, *HERE, world.NO_SUCH_ID)

    def test_the_text_comes_in_the_forms_that_are_asked_for(self):
        made = self.create(body="**Bold** words")
        forms = {
            "raw": {"body"}, "text": {"body_text"}, "html": {"body_html"}, "full": {"body", "body_text", "body_html"},
        }
        for name, keys in forms.items():
            headers = {"Accept": f"application/vnd.github-commitcomment.{name}+json"}
            with self.subTest(name):
                pulls = self.mona.rest.pulls
                for answer in (
                    pulls.get_review_comment(*HERE, made.id, headers=headers),
                    pulls.update_review_comment(*HERE, made.id, body="**Bold** words", headers=headers),
                    pulls.create_reply_for_review_comment(*FOR_WRITING, made.id, body="**Bold** words", headers=headers),
                ):
                    body = answer.json()
                    self.assertEqual(keys, keys_of_text(body))
                    self.assertEqual("Bold words", body.get("body_text", "Bold words"))
                    self.assertIn("<strong>Bold</strong>", body.get("body_html", "<strong>Bold</strong>"))
                listed = pulls.list_review_comments(*FOR_WRITING, headers=headers).json()
                self.assertEqual([keys] * len(listed), [keys_of_text(comment) for comment in listed])

    def test_a_form_asked_for_lasts_through_all_pages(self):
        rest = self.mona.rest
        headers = {"Accept": "application/vnd.github-commitcomment.full+json"}
        pages = rest.paginate(rest.pulls.list_review_comments, None, *HERE, world.MANY, per_page=30, headers=headers)
        self.assertTrue(all(comment.body_html for comment in pages))

    def test_comments_are_made_at_every_kind_of_place(self):
        head = self.head()
        for words, told in (
            ({"path": "README.md", "line": 1, "side": "LEFT"}, (1, "LEFT", "line")),
            ({"path": "README.md", "line": 1, "side": "RIGHT"}, (1, "RIGHT", "line")),
            ({"path": "notes.txt", "position": 4}, (4, "RIGHT", "line")),
            ({"path": "notes.txt", "subject_type": "file"}, (1, "RIGHT", "file")),
        ):
            with self.subTest(words):
                answer = self.hubot.rest.pulls.create_review_comment(*FOR_WRITING, body="Here", commit_id=head, **words)
                self.assertEqual(201, answer.status_code)
                made = answer.parsed_data
                self.assertEqual(made.url, answer.headers["location"])
                self.assertEqual(told, (made.line, made.side, made.subject_type))

    def test_a_place_outside_of_the_changes_is_refused_with_its_reason(self):
        head = self.head()
        create = self.careless.rest.pulls.create_review_comment
        for words, field in (
            ({"commit_id": head, "path": "notes.txt", "line": 99}, "line"),
            ({"commit_id": head, "path": "nowhere.txt", "line": 1}, "path"),
            ({"commit_id": world.NO_SUCH_SHA, "path": "notes.txt", "line": 1}, "end_commit_oid"),
            ({"commit_id": head, "path": "notes.txt", "line": 2, "start_line": 4}, "start_line"),
        ):
            with self.subTest(field):
                body = self.refused(422, "Validation Failed", create, *FOR_WRITING, body="Where?", **words)
                self.assertEqual("PullRequestReviewComment", body["errors"][0]["resource"])
                self.assertEqual(f"pull_request_review_thread.{field}", body["errors"][0]["field"])
        self.refused(422, "Invalid request.\n\n\"commit_id\", \"path\" weren't supplied.", create, *FOR_WRITING, body="b", line=1)

    def test_a_reply_hangs_on_the_first_comment(self):
        root = self.create(body="Root")
        reply = self.hubot.rest.pulls.create_reply_for_review_comment
        answer = reply(*FOR_WRITING, root.id, body="Answer")
        self.assertEqual(201, answer.status_code)
        self.assertEqual((root.id, root.path, root.line),
                         (answer.parsed_data.in_reply_to_id, answer.parsed_data.path, answer.parsed_data.line))
        other_way = self.careless.rest.pulls.create_review_comment(*FOR_WRITING, body="Too", in_reply_to=root.id).parsed_data
        self.assertEqual(root.id, other_way.in_reply_to_id)
        self.refused(404, "Not Found", reply, *FOR_WRITING, world.NO_SUCH_ID, body="To nobody")
        text = "Replies to replies are not supported: reply to the top-level comment of the thread."
        self.refused(422, text, reply, *FOR_WRITING, other_way.id, body="Deeper")

    def test_a_comment_is_edited_by_its_author(self):
        made = self.create(self.hubot, body="Befor")
        update = self.hubot.rest.pulls.update_review_comment
        self.assertEqual("Before", update(*HERE, made.id, body="Before").parsed_data.body)
        self.refused(404, "Not Found", update, *HERE, world.NO_SUCH_ID, body="None")
        body = self.refused(422, "Validation Failed", update, *HERE, made.id, body=" ")
        self.assertEqual("Body cannot be blank", body["errors"][0]["message"])
        stranger = self.stranger.rest.pulls.update_review_comment
        self.refused(403, "Must have push access to repository", stranger, *HERE, made.id, body="Mine")

    def test_a_deleted_comment_is_gone(self):
        made = self.create(body="Not for long")
        delete = self.mona.rest.pulls.delete_review_comment
        self.refused(403, "Must have push access to repository", self.stranger.rest.pulls.delete_review_comment, *HERE, made.id)
        self.assertEqual(204, delete(*HERE, made.id).status_code)
        self.refused(404, "Not Found", self.mona.rest.pulls.get_review_comment, *HERE, made.id)
        self.refused(404, "Not Found", delete, *HERE, made.id)

    def test_writing_needs_a_credential(self):
        words = {"body": "b", "commit_id": self.head(), "path": "notes.txt", "line": 1}
        self.refused(401, "Requires authentication", self.anonymous.rest.pulls.create_review_comment, *FOR_WRITING, **words)
        reads = self.opened(world.FINE_GRAINED_READS).rest.pulls
        self.refused(403, "Resource not accessible by personal access token", reads.create_review_comment, *FOR_WRITING, **words)

    def test_unchanged_comments_are_not_sent_again(self):
        made = self.create(body="Constant")
        pulls = self.uncached.rest.pulls
        self.not_modified(pulls.get_review_comment, *HERE, made.id)
        self.not_modified(pulls.list_review_comments, *FOR_WRITING)
        self.not_modified(pulls.list_review_comments_for_repo, *HERE)

    def test_the_cache_of_the_client_sees_an_edit(self):
        made = self.create(body="First")
        read = lambda: self.mona.rest.pulls.get_review_comment(*HERE, made.id)
        self.assertEqual("First", read().parsed_data.body)
        self.assertTrue(read().raw_response.extensions["hishel_from_cache"])
        self.mona.rest.pulls.update_review_comment(*HERE, made.id, body="Second")
        self.assertEqual("Second", read().parsed_data.body)


def keys_of_text(comment):
    return {key for key in comment if key.startswith("body")}
