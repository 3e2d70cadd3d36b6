"""gh on installations of an app."""

import world
from program import Stories

USER = "user/installations"


class Installations(Stories):
    def installation_of(self, account):
        jq = f'.installations[] | select(.account.login == "{account}") | .id'
        return self.text(USER, "--jq", jq, token=world.APP_USER).strip()

    def repository(self, name):
        return self.text(f"repos/{name}", "--jq", ".id").strip()

    def test_the_repositories_of_an_installation_are_paged_to_the_end(self):
        for size in (7, 39, 100):
            names = self.lines(f"installation/repositories?per_page={size}", "--paginate", "--jq", ".repositories[].full_name",
                               token=world.INSTALLATION)
            self.assertEqual(world.REPOSITORIES, len(set(names)))
        text = "You must authenticate with an installation access token in order to list repositories for an installation."
        self.refused(403, text, "installation/repositories")

    def test_a_user_sees_the_installations_of_the_app(self):
        accounts = self.lines(f"{USER}?per_page=1", "--paginate", "--jq", ".installations[].account.login", token=world.APP_USER)
        self.assertEqual([world.ORG, world.SIDE_ORG, world.USER], accounts)
        text = "You must authenticate with an access token authorized to a GitHub App in order to list installations"
        self.refused(403, text, USER)

    def test_a_user_sees_the_repositories_of_an_installation(self):
        address = f"{USER}/{self.installation_of(world.ORG)}/repositories"
        jq = ".repositories[] | select(.permissions.admin) | .full_name"
        names = self.lines(f"{address}?per_page=15", "--paginate", "--jq", jq, token=world.APP_USER)
        self.assertEqual(world.REPOSITORIES, len(set(names)))
        self.refused(404, "Not Found", f"{USER}/{world.NO_SUCH_ID}/repositories", token=world.APP_USER)

    def test_a_repository_is_added_and_removed(self):
        address = f"{USER}/{self.installation_of(world.SIDE_ORG)}/repositories"
        three = f"{address}/{self.repository('side-org/three')}"
        self.assertEqual("", self.text("-X", "PUT", three))
        self.assertIn("three", self.lines(address, "--jq", ".repositories[].name"))
        self.deleted(three)
        self.refused(404, "Not Found", "-X", "DELETE", three)
        self.refused(404, "Not Found", "-X", "PUT", f"{address}/{world.NO_SUCH_ID}")
        self.refused(403, "Resource not accessible by integration", "-X", "PUT", three, token=world.APP_USER)

    def test_what_is_on_all_repositories_loses_none_of_them(self):
        hello = self.repository(f"{world.OWNER}/{world.HELLO}")
        text = "This installation is on all repositories, please update in the Web UI."
        self.refused(422, text, "-X", "DELETE", f"{USER}/{self.installation_of(world.ORG)}/repositories/{hello}")

    def test_a_revoked_token_is_good_for_nothing(self):
        self.refused(403, "Resource not accessible by personal access token", "-X", "DELETE", "installation/token")
        self.deleted("installation/token", token=world.SIDE_INSTALLATION)
        self.refused(401, "Bad credentials", "installation/repositories", token=world.SIDE_INSTALLATION)

    def test_what_is_unchanged_is_not_sent_again(self):
        self.not_modified("installation/repositories", token=world.INSTALLATION)
        self.not_modified(USER, token=world.APP_USER)
        self.not_modified(f"{USER}/{self.installation_of(world.ORG)}/repositories", token=world.APP_USER)
