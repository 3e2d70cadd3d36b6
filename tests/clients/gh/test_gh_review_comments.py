"""gh on review comments of pull requests."""

import fixtures
from program import GhTestCase

REPO = f"repos/{fixtures.OWNER}/{fixtures.HELLO}"
MANY = f"{REPO}/pulls/{fixtures.MANY}/comments"
WRITABLE = f"{REPO}/pulls/{fixtures.WRITABLE}/comments"


class ReviewComments(GhTestCase):
    def create(self, body="Gh", *arguments, token=fixtures.MONA):
        head = self.text(f"{REPO}/pulls/{fixtures.WRITABLE}", "--jq", ".head.sha").strip()
        arguments = arguments or ("-f", "path=notes.txt", "-F", "line=2")
        return self.call(WRITABLE, "-f", f"body={body}", "-f", f"commit_id={head}", *arguments, token=token)

    def test_pagination_reaches_the_last_page(self):
        whole = self.lines(MANY, "--paginate", "--jq", ".[].id")
        self.assertEqual(fixtures.COMMENTS, len(whole))
        for size in (1, 21, 63):
            with self.subTest(size):
                self.assertEqual(whole, self.lines(f"{MANY}?per_page={size}", "--paginate", "--jq", ".[].id"))
        self.assertLessEqual(set(whole), set(self.lines(f"{REPO}/pulls/comments?per_page=40", "--paginate", "--jq", ".[].id")))

    def test_arguments_of_get_become_query_parameters(self):
        mine = self.create("The newest")
        arguments = ("-f", "sort=created", "-f", "direction=desc", "-F", "per_page=1")
        self.assertEqual(mine["id"], self.call("-X", "GET", f"{REPO}/pulls/comments", *arguments)[0]["id"])
        self.assertEqual([], self.call("-X", "GET", WRITABLE, "-f", "since=2999-01-01T00:00:00Z"))

    def test_lists_of_absent_resources_are_not_found(self):
        self.assert_error(404, "Not Found", f"repos/{fixtures.OWNER}/{fixtures.SECRET}/pulls/comments", token=fixtures.STRANGER)
        self.assert_error(404, "Not Found", f"{REPO}/pulls/99/comments", "--paginate")

    def test_comment_text_is_returned_in_the_requested_media_type(self):
        made = self.create("**Bold** words")
        for form, keys in (("raw", ["body"]), ("text", ["body_text"]), ("html", ["body_html"]),
                           ("full", ["body", "body_html", "body_text"])):
            with self.subTest(form):
                accept = ("-H", f"Accept: application/vnd.github-commitcomment.{form}+json")
                for arguments in ((f"{REPO}/pulls/comments/{made['id']}",), ("-X", "PATCH", f"{REPO}/pulls/comments/{made['id']}", "-f", "body=**Bold** words")):
                    body = self.call(*arguments, *accept)
                    self.assertEqual(keys, sorted(key for key in body if key.startswith("body")))
        html = self.text(f"{REPO}/pulls/comments/{made['id']}", *accept, "--jq", ".body_html")
        self.assertIn("<strong>Bold</strong> words", html)

    def test_comment_is_created_edited_replied_to_and_deleted(self):
        made = self.create("Befor", "-f", "path=README.md", "-F", "line=1", "-f", "side=LEFT", token=fixtures.HUBOT)
        self.assertEqual((1, "LEFT"), (made["line"], made["side"]))
        path = f"{REPO}/pulls/comments/{made['id']}"
        self.assertEqual("Before", self.call("-X", "PATCH", path, "-f", "body=Before", token=fixtures.HUBOT)["body"])
        reply = self.call(f"{WRITABLE}/{made['id']}/replies", "-f", "body=Answer")
        self.assertEqual(made["id"], reply["in_reply_to_id"])
        self.deleted(path)
        self.assert_error(404, "Not Found", path)
        self.assert_error(404, "Not Found", "-X", "DELETE", path)
        self.assert_error(404, "Not Found", "-X", "PATCH", path, "-f", "body=Gone")
        self.assert_error(404, "Not Found", f"{WRITABLE}/{made['id']}/replies", "-f", "body=To nobody")

    def test_create_comment_rejects_position_outside_of_the_diff(self):
        head = self.text(f"{REPO}/pulls/{fixtures.WRITABLE}", "--jq", ".head.sha").strip()
        body = self.assert_error(422, "Validation Failed", WRITABLE, "-f", "body=Where?", "-f", f"commit_id={head}", "-f", "path=notes.txt", "-F", "line=99")
        self.assertEqual("pull_request_review_thread.line must be part of the diff", body["errors"][0]["message"])

    def test_create_comment_requires_write_access(self):
        made = self.create("Mine")
        path = f"{REPO}/pulls/comments/{made['id']}"
        text = "Must have push access to repository"
        self.assert_error(403, text, "-X", "PATCH", path, "-f", "body=Theirs", token=fixtures.STRANGER)
        self.assert_error(401, "Requires authentication", f"{WRITABLE}/{made['id']}/replies", "-f", "body=b", token=None)

    def test_unchanged_responses_are_not_modified(self):
        for path in (f"{REPO}/pulls/comments/{self.create('Constant')['id']}", WRITABLE, f"{REPO}/pulls/comments"):
            self.assert_not_modified(path)
