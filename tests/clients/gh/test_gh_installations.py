"""gh on installations of an app."""

import fixtures
from program import GhTestCase

USER = "user/installations"


class Installations(GhTestCase):
    def installation_of(self, account):
        jq = f'.installations[] | select(.account.login == "{account}") | .id'
        return self.text(USER, "--jq", jq, token=fixtures.APP_USER).strip()

    def repository(self, name):
        return self.text(f"repos/{name}", "--jq", ".id").strip()

    def test_pagination_of_installation_repositories_reaches_the_last_page(self):
        for size in (7, 39, 100):
            names = self.lines(f"installation/repositories?per_page={size}", "--paginate", "--jq", ".repositories[].full_name",
                               token=fixtures.INSTALLATION)
            self.assertEqual(fixtures.REPOSITORIES, len(set(names)))
        text = "You must authenticate with an installation access token in order to list repositories for an installation."
        self.assert_error(403, text, "installation/repositories")

    def test_user_lists_installations_of_the_app(self):
        accounts = self.lines(f"{USER}?per_page=1", "--paginate", "--jq", ".installations[].account.login", token=fixtures.APP_USER)
        self.assertEqual([fixtures.ORG, fixtures.SIDE_ORG, fixtures.USER], accounts)
        text = "You must authenticate with an access token authorized to a GitHub App in order to list installations"
        self.assert_error(403, text, USER)

    def test_user_lists_repositories_of_an_installation(self):
        path = f"{USER}/{self.installation_of(fixtures.ORG)}/repositories"
        jq = ".repositories[] | select(.permissions.admin) | .full_name"
        names = self.lines(f"{path}?per_page=15", "--paginate", "--jq", jq, token=fixtures.APP_USER)
        self.assertEqual(fixtures.REPOSITORIES, len(set(names)))
        self.assert_error(404, "Not Found", f"{USER}/{fixtures.NO_SUCH_ID}/repositories", token=fixtures.APP_USER)

    def test_repository_is_added_and_removed(self):
        path = f"{USER}/{self.installation_of(fixtures.SIDE_ORG)}/repositories"
        three = f"{path}/{self.repository('side-org/three')}"
        self.assertEqual("", self.text("-X", "PUT", three))
        self.assertIn("three", self.lines(path, "--jq", ".repositories[].name"))
        self.deleted(three)
        self.assert_error(404, "Not Found", "-X", "DELETE", three)
        self.assert_error(404, "Not Found", "-X", "PUT", f"{path}/{fixtures.NO_SUCH_ID}")
        self.assert_error(403, "Resource not accessible by integration", "-X", "PUT", three, token=fixtures.APP_USER)

    def test_remove_repository_rejects_installation_on_all_repositories(self):
        hello = self.repository(f"{fixtures.OWNER}/{fixtures.HELLO}")
        text = "This installation is on all repositories, please update in the Web UI."
        self.assert_error(422, text, "-X", "DELETE", f"{USER}/{self.installation_of(fixtures.ORG)}/repositories/{hello}")

    def test_revoked_token_is_rejected(self):
        self.assert_error(403, "Resource not accessible by personal access token", "-X", "DELETE", "installation/token")
        self.deleted("installation/token", token=fixtures.SIDE_INSTALLATION)
        self.assert_error(401, "Bad credentials", "installation/repositories", token=fixtures.SIDE_INSTALLATION)

    def test_unchanged_responses_are_not_modified(self):
        self.assert_not_modified("installation/repositories", token=fixtures.INSTALLATION)
        self.assert_not_modified(USER, token=fixtures.APP_USER)
        self.assert_not_modified(f"{USER}/{self.installation_of(fixtures.ORG)}/repositories", token=fixtures.APP_USER)
