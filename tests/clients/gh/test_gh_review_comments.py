"""gh on review comments of pull requests."""

import world
from program import Stories

REPO = f"repos/{world.OWNER}/{world.HELLO}"
MANY = f"{REPO}/pulls/{world.MANY}/comments"
WRITABLE = f"{REPO}/pulls/{world.WRITABLE}/comments"


class ReviewComments(Stories):
    def create(self, body="Gh", *words, token=world.MONA):
        head = self.text(f"{REPO}/pulls/{world.WRITABLE}", "--jq", ".head.sha").strip()
        words = words or ("-f", "path=notes.txt", "-F", "line=2")
        return self.call(WRITABLE, "-f", f"body={body}", "-f", f"commit_id={head}", *words, token=token)

    def test_pages_are_followed_to_the_end(self):
        whole = self.lines(MANY, "--paginate", "--jq", ".[].id")
        self.assertEqual(world.COMMENTS, len(whole))
        for size in (1, 21, 63):
            with self.subTest(size):
                self.assertEqual(whole, self.lines(f"{MANY}?per_page={size}", "--paginate", "--jq", ".[].id"))
        self.assertLessEqual(set(whole), set(self.lines(f"{REPO}/pulls/comments?per_page=40", "--paginate", "--jq", ".[].id")))

    def test_words_make_a_query_when_the_method_is_get(self):
        mine = self.create("The newest")
        words = ("-f", "sort=created", "-f", "direction=desc", "-F", "per_page=1")
        self.assertEqual(mine["id"], self.call("-X", "GET", f"{REPO}/pulls/comments", *words)[0]["id"])
        self.assertEqual([], self.call("-X", "GET", WRITABLE, "-f", "since=2999-01-01T00:00:00Z"))

    def test_lists_of_what_is_not_there_are_not_found(self):
        self.refused(404, "Not Found", f"repos/{world.OWNER}/{world.SECRET}/pulls/comments", token=world.STRANGER)
        self.refused(404, "Not Found", f"{REPO}/pulls/99/comments", "--paginate")

    def test_the_text_comes_in_the_forms_that_are_asked_for(self):
        made = self.create("**Bold** words")
        for form, keys in (("raw", ["body"]), ("text", ["body_text"]), ("html", ["body_html"]),
                           ("full", ["body", "body_html", "body_text"])):
            with self.subTest(form):
                accept = ("-H", f"Accept: application/vnd.github-commitcomment.{form}+json")
                for words in ((f"{REPO}/pulls/comments/{made['id']}",), ("-X", "PATCH", f"{REPO}/pulls/comments/{made['id']}", "-f", "body=**Bold** words")):
                    body = self.call(*words, *accept)
                    self.assertEqual(keys, sorted(key for key in body if key.startswith("body")))
        html = self.text(f"{REPO}/pulls/comments/{made['id']}", *accept, "--jq", ".body_html")
        self.assertIn("<strong>Bold</strong> words", html)

    def test_a_comment_is_made_edited_answered_and_deleted(self):
        made = self.create("Befor", "-f", "path=README.md", "-F", "line=1", "-f", "side=LEFT", token=world.HUBOT)
        self.assertEqual((1, "LEFT"), (made["line"], made["side"]))
        address = f"{REPO}/pulls/comments/{made['id']}"
        self.assertEqual("Before", self.call("-X", "PATCH", address, "-f", "body=Before", token=world.HUBOT)["body"])
        reply = self.call(f"{WRITABLE}/{made['id']}/replies", "-f", "body=Answer")
        self.assertEqual(made["id"], reply["in_reply_to_id"])
        self.deleted(address)
        self.refused(404, "Not Found", address)
        self.refused(404, "Not Found", "-X", "DELETE", address)
        self.refused(404, "Not Found", "-X", "PATCH", address, "-f", "body=Gone")
        self.refused(404, "Not Found", f"{WRITABLE}/{made['id']}/replies", "-f", "body=To nobody")

    def test_a_place_outside_of_the_changes_is_refused(self):
        head = self.text(f"{REPO}/pulls/{world.WRITABLE}", "--jq", ".head.sha").strip()
        body = self.refused(422, "Validation Failed", WRITABLE, "-f", "body=Where?", "-f", f"commit_id={head}", "-f", "path=notes.txt", "-F", "line=99")
        self.assertEqual("pull_request_review_thread.line must be part of the diff", body["errors"][0]["message"])

    def test_writing_needs_a_right(self):
        made = self.create("Mine")
        address = f"{REPO}/pulls/comments/{made['id']}"
        text = "Must have push access to repository"
        self.refused(403, text, "-X", "PATCH", address, "-f", "body=Theirs", token=world.STRANGER)
        self.refused(401, "Requires authentication", f"{WRITABLE}/{made['id']}/replies", "-f", "body=b", token=None)

    def test_what_is_unchanged_is_not_sent_again(self):
        for path in (f"{REPO}/pulls/comments/{self.create('Constant')['id']}", WRITABLE, f"{REPO}/pulls/comments"):
            self.not_modified(path)
