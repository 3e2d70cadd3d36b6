"""PyGithub as an app, as an installation of it, and as a user of it."""

import os
from pathlib import Path

from github import Auth, BadCredentialsException, GithubIntegration, UnknownObjectException

import fixtures
from pygithub_client import WITHOUT_PAUSES, PyGithubTestCase


class Installations(PyGithubTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = Path(os.environ["PLINTH_APP_KEY"]).read_text()
        cls.auth = Auth.AppAuth(int(os.environ["PLINTH_APP_ID"]), cls.key)
        cls.app = cls.integration(cls.auth)
        cls.app_user = cls.opened(fixtures.APP_USER)

    @classmethod
    def integration(cls, auth, **settings):
        return cls.enterClassContext(GithubIntegration(base_url=fixtures.URL, auth=auth, **WITHOUT_PAUSES, **settings))

    def test_app_finds_itself_and_its_installations(self):
        self.assertEqual("helper", self.app.get_app().slug)
        accounts = {installation.account.login for installation in self.app.get_installations()}
        self.assertEqual({fixtures.ORG, fixtures.SIDE_ORG, fixtures.USER}, accounts)
        number = self.app.get_org_installation(fixtures.ORG).id
        self.assertEqual(number, self.app.get_repo_installation(fixtures.OWNER, fixtures.HELLO).id)
        self.assertEqual(number, self.app.get_app_installation(number).id)
        self.assert_error(404, "Not Found", self.app.get_org_installation, "no-such-org", kind=UnknownObjectException)

    def test_client_id_identifies_the_app(self):
        auth = Auth.AppAuth(os.environ["PLINTH_APP_CLIENT_ID"], self.key)
        self.assertEqual("helper", self.integration(auth).get_app().slug)

    def test_pagination_of_installation_repositories_reaches_the_last_page(self):
        for size in (7, 39, 100):
            installation = self.integration(self.auth, per_page=size).get_org_installation(fixtures.ORG)
            repos = installation.get_repos()
            self.assertEqual(fixtures.REPOSITORIES, repos.totalCount)
            self.assertEqual(fixtures.REPOSITORIES, len({repo.full_name for repo in repos}))

    def test_installation_reads_and_writes_within_its_permissions(self):
        number = self.app.get_org_installation(fixtures.ORG).id
        acting = self.opened(self.auth.get_installation_auth(number))
        repo = acting.get_repo(f"{fixtures.OWNER}/{fixtures.SECRET}")
        ref = repo.create_git_ref("refs/heads/made/by-the-app", repo.get_git_ref("heads/main").object.sha)
        self.assertEqual("refs/heads/made/by-the-app", ref.ref)
        read_only = self.opened(self.auth.get_installation_auth(number, {"contents": "read"}))
        repo = read_only.get_repo(f"{fixtures.OWNER}/{fixtures.SECRET}")
        self.assert_error(403, "Resource not accessible by integration", repo.create_git_ref, "refs/heads/made/never", ref.object.sha)

    def test_token_can_request_fewer_permissions_but_not_more(self):
        number = self.app.get_org_installation(fixtures.ORG).id
        access = self.app.get_access_token(number, {"contents": "read"})
        self.assertEqual({"contents": "read", "metadata": "read"}, access.permissions)
        self.assertTrue(access.token.startswith("ghs_"))
        self.assert_error(422, "The permissions requested are not granted to this installation.",
                     self.app.get_access_token, number, {"administration": "write"})
        self.assert_error(404, "Not Found", self.app.get_access_token, fixtures.NO_SUCH_ID, kind=UnknownObjectException)
        suspended = self.app.get_user_installation(fixtures.USER).id
        self.assert_error(403, "This installation has been suspended", self.app.get_access_token, suspended)

    def test_user_lists_installations_of_the_app(self):
        installations = {one.account.login: one for one in self.app_user.get_user().get_installations()}
        self.assertEqual({fixtures.ORG, fixtures.SIDE_ORG, fixtures.USER}, set(installations))
        self.assertEqual("selected", installations[fixtures.SIDE_ORG].repository_selection)
        self.assertEqual("write", installations[fixtures.ORG].permissions["contents"])
        paged = self.opened(fixtures.APP_USER, per_page=1).get_user().get_installations()
        self.assertEqual((3, 3), (paged.totalCount, len(list(paged))))

    def test_other_lists_require_other_tokens(self):
        text = "You must authenticate with an access token authorized to a GitHub App in order to list installations"
        self.assert_error(403, text, list, self.mona.get_user().get_installations())
        installation = self.app_user.get_user().get_installations()[0]
        text = "You must authenticate with an installation access token in order to list repositories for an installation."
        self.assert_error(403, text, list, installation.get_repos())

    def test_bad_credential_is_reported_as_such(self):
        unknown = self.opened(fixtures.UNKNOWN)
        self.assert_error(401, "Bad credentials", unknown.get_repo, f"{fixtures.OWNER}/{fixtures.HELLO}", kind=BadCredentialsException)
        wrong = self.integration(Auth.AppAuth(fixtures.NO_SUCH_ID, self.key))
        self.assert_error(401, "A JSON web token could not be decoded", wrong.get_app)
