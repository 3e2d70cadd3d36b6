"""PyGithub on review comments of pull requests."""

from datetime import datetime, timedelta, timezone

from github import UnknownObjectException

import fixtures
from pygithub_client import PyGithubTestCase

HERE = f"{fixtures.OWNER}/{fixtures.HELLO}"


class ReviewComments(PyGithubTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.repo = cls.mona.get_repo(HERE)
        cls.pull = cls.repo.get_pull(fixtures.WRITABLE)
        cls.head = cls.pull.head.sha

    def create(self, body="Hub", path="notes.txt", **fields):
        fields = fields or {"line": 2}
        return self.pull.create_review_comment(body, self.head, path, **fields)

    def test_pagination_reaches_the_last_page(self):
        for size in (13, 64, 100):
            with self.subTest(size):
                pull = self.opened(fixtures.HUBOT, per_page=size).get_repo(HERE).get_pull(fixtures.MANY)
                comments = pull.get_review_comments()
                self.assertEqual(fixtures.COMMENTS, comments.totalCount)
                self.assertEqual(fixtures.COMMENTS, len({comment.id for comment in comments}))
                self.assertEqual(["Right 1", "Further 55"], [comments[0].body, list(comments)[-1].body])
                self.assertEqual("Further 55", comments.reversed[0].body)

    def test_comments_of_the_repository_are_listed(self):
        mine = self.create("For the whole list")
        comments = self.repo.get_pulls_review_comments()
        self.assertIn(mine.id, [comment.id for comment in comments])
        newest = self.repo.get_pulls_review_comments(sort="created", direction="desc")
        self.assertEqual(mine.id, newest[0].id)
        tomorrow = datetime.now(timezone.utc) + timedelta(days=1)
        self.assertEqual([], list(self.repo.get_pulls_comments(since=tomorrow)))
        self.assertEqual([], list(self.pull.get_review_comments(since=tomorrow)))

    def test_lists_of_absent_resources_raise_unknown_object(self):
        absent = self.lazy.get_repo(f"{fixtures.OWNER}/no-such-repository")
        self.assert_error(404, "Not Found", list, absent.get_pulls_review_comments(), kind=UnknownObjectException)
        pull = self.lazy.get_repo(HERE).get_pull(99)
        self.assert_error(404, "Not Found", list, pull.get_review_comments(), kind=UnknownObjectException)

    def test_comment_is_complete_without_a_second_request(self):
        made = self.pull.get_review_comment(self.create("**Whole**", start_line=1, start_side="RIGHT", line=3, side="RIGHT").id)
        before = made.requester.rate_limiting
        actual = (made.body, made.path, made.line, made.side, made.start_line, made.start_side, made.user.login, made.commit_id,
                made.original_commit_id, made.subject_type, made.author_association, made.in_reply_to_id)
        self.assertEqual(("**Whole**", "notes.txt", 3, "RIGHT", 1, "RIGHT", "mona", self.head,
                          self.head, "line", "MEMBER", None), actual)
        self.assertTrue(made.diff_hunk.startswith("@@ -0,0 +1,5 @@"))
        self.assertEqual(before, made.requester.rate_limiting)

    def test_comments_are_created_at_every_kind_of_position(self):
        for fields, expected in (
            ({"path": "README.md", "line": 1, "side": "LEFT"}, (1, "LEFT", "line")),
            ({"path": "notes.txt", "line": 5}, (5, "RIGHT", "line")),
            ({"path": "notes.txt", "subject_type": "file"}, (1, "RIGHT", "file")),
        ):
            with self.subTest(fields):
                made = self.create(**fields)
                self.assertEqual(expected, (made.line, made.side, made.subject_type))
        for commit in (self.repo.get_commit(self.head), self.pull.get_commits().reversed[0]):
            self.assertEqual(self.head, self.pull.create_review_comment("By object", commit, "notes.txt", line=1).commit_id)
        suggestion = self.pull.create_review_comment("2nd", self.head, "notes.txt", line=2, as_suggestion=True)
        self.assertEqual("```suggestion\n2nd\n```", suggestion.body)

    def test_commit_of_a_comment_has_its_files(self):
        commit = self.repo.get_commit(self.create("On what?").commit_id)
        self.assertEqual([("README.md", "modified"), ("notes.txt", "added")], [(file.filename, file.status) for file in commit.files])
        self.assertEqual((6, 1), (commit.stats.additions, commit.stats.deletions))
        self.assert_error(422, "No commit found for SHA: nowhere", self.repo.get_commit, "nowhere")

    def test_create_comment_rejects_position_outside_of_the_diff(self):
        data = self.assert_error(422, "Validation Failed", self.create, line=99)
        self.assertEqual("pull_request_review_thread.line must be part of the diff", data["errors"][0]["message"])
        data = self.assert_error(422, "Validation Failed", self.create, path="nowhere.txt", line=1)
        self.assertEqual("pull_request_review_thread.path", data["errors"][0]["field"])

    def test_reply_belongs_to_the_first_comment(self):
        root = self.create("Root")
        reply = self.pull.create_review_comment_reply(root.id, "Answer")
        self.assertEqual((root.id, root.path, "Answer"), (reply.in_reply_to_id, reply.path, reply.body))
        self.assert_error(404, "Not Found", self.pull.create_review_comment_reply, fixtures.NO_SUCH_ID, "To nobody", kind=UnknownObjectException)

    def test_comment_is_edited_and_deleted(self):
        made = self.create("Befor")
        made.edit("Before")
        self.assertEqual("Before", made.body)
        self.assertEqual("Before", self.pull.get_review_comment(made.id).body)
        data = self.assert_error(422, "Validation Failed", made.edit, "")
        self.assertEqual("Body cannot be blank", data["errors"][0]["message"])
        made.delete()
        self.assert_error(404, "Not Found", self.pull.get_review_comment, made.id, kind=UnknownObjectException)
        self.assert_error(404, "Not Found", made.delete, kind=UnknownObjectException)
        self.assert_error(404, "Not Found", made.edit, "Gone", kind=UnknownObjectException)

    def test_update_reports_whether_something_changed(self):
        made = self.create("One")
        other = self.hubot.get_repo(HERE).get_pull(fixtures.WRITABLE).get_review_comment(made.id)
        self.assertFalse(other.update())
        made.edit("Two")
        self.assertTrue(other.update())
        self.assertEqual("Two", other.body)
        self.assertFalse(other.update())
        made.delete()
        self.assert_error(404, "Not Found", other.update, kind=UnknownObjectException)

    def test_closed_pull_request_has_state_closed(self):
        closed = self.repo.get_pull(fixtures.CLOSED)
        self.assertEqual(("closed", False), (closed.state, closed.merged))
        self.assertEqual([], list(closed.get_review_comments()))

    def test_create_comment_requires_write_access(self):
        anonymous = self.anonymous.get_repo(HERE).get_pull(fixtures.WRITABLE)
        self.assert_error(401, "Requires authentication", anonymous.create_review_comment, "b", self.head, "notes.txt", line=1)
        theirs = self.stranger.get_repo(HERE).get_pull(fixtures.WRITABLE).get_review_comment(self.create("Mine").id)
        self.assert_error(403, "Must have push access to repository", theirs.edit, "Theirs")
        self.assert_error(403, "Must have push access to repository", theirs.delete)
