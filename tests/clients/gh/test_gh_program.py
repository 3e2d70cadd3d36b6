"""What gh does on its own with any operation."""

import world
from program import HOST, Stories

COMMENT = f"repos/{world.OWNER}/{world.HELLO}/pulls/comments/1"


class Program(Stories):
    def test_every_kind_of_token_reads_a_private_repository(self):
        for token in (world.MONA, world.OAUTH, world.FINE_GRAINED, world.APP_USER, world.INSTALLATION):
            with self.subTest(token):
                self.assertEqual("true", self.text(f"repos/{world.OWNER}/{world.SECRET}", "--jq", ".private", token=token).strip())
        self.refused(401, "Bad credentials", f"repos/{world.OWNER}/{world.HELLO}", token=world.UNKNOWN)

    def test_the_repository_of_the_environment_is_put_into_the_address(self):
        name = self.text("repos/{owner}/{repo}", "--jq", ".full_name", GH_REPO=f"{HOST}/{world.OWNER}/{world.HELLO}")
        self.assertEqual(f"{world.OWNER}/{world.HELLO}", name.strip())

    def test_an_answer_is_printed_by_a_template(self):
        self.assertEqual("Right 1 on src/list.txt", self.text(COMMENT, "-t", "{{.body}} on {{.path}}"))

    def test_an_answer_is_silent_when_that_is_wanted(self):
        self.assertEqual("", self.text(COMMENT, "--silent"))

    def test_headers_are_printed_when_that_is_wanted(self):
        told = self.text("-i", COMMENT).splitlines()
        self.assertEqual("HTTP/1.1 200 OK", told[0])
        self.assertIn("X-Oauth-Scopes: admin:org, delete_repo, project, repo", told)

    def test_names_of_previews_change_nothing(self):
        self.assertEqual(self.call(COMMENT), self.call("-p", "squirrel-girl,comfort-fade", COMMENT))

    def test_its_own_cache_keeps_an_answer(self):
        first = self.text("--cache", "1h", COMMENT)
        self.text("-X", "PATCH", COMMENT, "-f", "body=Right 1")
        self.assertEqual(first, self.text("--cache", "1h", COMMENT))

    def test_what_is_no_json_is_refused(self):
        self.refused(400, "Problems parsing JSON", "user/repos", "--input", "-", stdin="{")
        self.refused(400, "Body should be a JSON object", "user/repos", "--input", "-", stdin="[]")
