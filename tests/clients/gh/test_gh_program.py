"""What gh does by itself with any operation."""

import fixtures
from program import HOST, GhTestCase

COMMENT = f"repos/{fixtures.OWNER}/{fixtures.HELLO}/pulls/comments/1"


class Program(GhTestCase):
    def test_every_kind_of_token_reads_a_private_repository(self):
        for token in (fixtures.MONA, fixtures.OAUTH, fixtures.FINE_GRAINED, fixtures.APP_USER, fixtures.INSTALLATION):
            with self.subTest(token):
                self.assertEqual("true", self.text(f"repos/{fixtures.OWNER}/{fixtures.SECRET}", "--jq", ".private", token=token).strip())
        self.assert_error(401, "Bad credentials", f"repos/{fixtures.OWNER}/{fixtures.HELLO}", token=fixtures.UNKNOWN)

    def test_repository_of_the_environment_fills_the_path(self):
        name = self.text("repos/{owner}/{repo}", "--jq", ".full_name", GH_REPO=f"{HOST}/{fixtures.OWNER}/{fixtures.HELLO}")
        self.assertEqual(f"{fixtures.OWNER}/{fixtures.HELLO}", name.strip())

    def test_template_formats_the_response(self):
        self.assertEqual("Right 1 on src/list.txt", self.text(COMMENT, "-t", "{{.body}} on {{.path}}"))

    def test_silent_prints_nothing(self):
        self.assertEqual("", self.text(COMMENT, "--silent"))

    def test_include_prints_headers(self):
        output = self.text("-i", COMMENT).splitlines()
        self.assertEqual("HTTP/1.1 200 OK", output[0])
        self.assertIn("X-Oauth-Scopes: admin:org, delete_repo, project, repo", output)

    def test_preview_names_have_no_effect(self):
        self.assertEqual(self.call(COMMENT), self.call("-p", "squirrel-girl,comfort-fade", COMMENT))

    def test_cache_of_gh_returns_the_stored_response(self):
        first = self.text("--cache", "1h", COMMENT)
        self.text("-X", "PATCH", COMMENT, "-f", "body=Right 1")
        self.assertEqual(first, self.text("--cache", "1h", COMMENT))

    def test_malformed_json_is_rejected(self):
        self.assert_error(400, "Problems parsing JSON", "user/repos", "--input", "-", stdin="{")
        self.assert_error(400, "Body should be a JSON object", "user/repos", "--input", "-", stdin="[]")
