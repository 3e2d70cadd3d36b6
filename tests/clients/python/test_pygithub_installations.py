"""PyGithub as an app, as an installation of it, and as a user of it."""

import os
from pathlib import Path

from github import Auth, BadCredentialsException, GithubIntegration, UnknownObjectException

import world
from hub import AT_ONCE, Stories


class Installations(Stories):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = Path(os.environ["PLINTH_APP_KEY"]).read_text()
        cls.auth = Auth.AppAuth(int(os.environ["PLINTH_APP_ID"]), cls.key)
        cls.app = cls.integration(cls.auth)
        cls.app_user = cls.opened(world.APP_USER)

    @classmethod
    def integration(cls, auth, **settings):
        return cls.enterClassContext(GithubIntegration(base_url=world.URL, auth=auth, **AT_ONCE, **settings))

    def test_the_app_knows_itself_and_where_it_is_installed(self):
        self.assertEqual("helper", self.app.get_app().slug)
        accounts = {installation.account.login for installation in self.app.get_installations()}
        self.assertEqual({world.ORG, world.SIDE_ORG, world.USER}, accounts)
        number = self.app.get_org_installation(world.ORG).id
        self.assertEqual(number, self.app.get_repo_installation(world.OWNER, world.HELLO).id)
        self.assertEqual(number, self.app.get_app_installation(number).id)
        self.refused(404, "Not Found", self.app.get_org_installation, "no-such-org", kind=UnknownObjectException)

    def test_the_client_id_names_the_app_as_well(self):
        auth = Auth.AppAuth(os.environ["PLINTH_APP_CLIENT_ID"], self.key)
        self.assertEqual("helper", self.integration(auth).get_app().slug)

    def test_the_repositories_of_an_installation_are_paged_to_the_end(self):
        for size in (7, 39, 100):
            installation = self.integration(self.auth, per_page=size).get_org_installation(world.ORG)
            repos = installation.get_repos()
            self.assertEqual(world.REPOSITORIES, repos.totalCount)
            self.assertEqual(world.REPOSITORIES, len({repo.full_name for repo in repos}))

    def test_an_installation_reads_and_writes_what_it_may(self):
        number = self.app.get_org_installation(world.ORG).id
        acting = self.opened(self.auth.get_installation_auth(number))
        repo = acting.get_repo(f"{world.OWNER}/{world.SECRET}")
        ref = repo.create_git_ref("refs/heads/made/by-the-app", repo.get_git_ref("heads/main").object.sha)
        self.assertEqual("refs/heads/made/by-the-app", ref.ref)
        read_only = self.opened(self.auth.get_installation_auth(number, {"contents": "read"}))
        repo = read_only.get_repo(f"{world.OWNER}/{world.SECRET}")
        self.refused(403, "Resource not accessible by integration", repo.create_git_ref, "refs/heads/made/never", ref.object.sha)

    def test_a_token_is_asked_for_with_less_but_not_with_more(self):
        number = self.app.get_org_installation(world.ORG).id
        told = self.app.get_access_token(number, {"contents": "read"})
        self.assertEqual({"contents": "read", "metadata": "read"}, told.permissions)
        self.assertTrue(told.token.startswith("ghs_"))
        self.refused(422, "The permissions requested are not granted to this installation.",
                     self.app.get_access_token, number, {"administration": "write"})
        self.refused(404, "Not Found", self.app.get_access_token, world.NO_SUCH_ID, kind=UnknownObjectException)
        suspended = self.app.get_user_installation(world.USER).id
        self.refused(403, "This installation has been suspended", self.app.get_access_token, suspended)

    def test_a_user_sees_the_installations_of_the_app(self):
        installations = {one.account.login: one for one in self.app_user.get_user().get_installations()}
        self.assertEqual({world.ORG, world.SIDE_ORG, world.USER}, set(installations))
        self.assertEqual("selected", installations[world.SIDE_ORG].repository_selection)
        self.assertEqual("write", installations[world.ORG].permissions["contents"])
        paged = self.opened(world.APP_USER, per_page=1).get_user().get_installations()
        self.assertEqual((3, 3), (paged.totalCount, len(list(paged))))

    def test_the_other_lists_are_for_other_tokens(self):
        text = "You must authenticate with an access token authorized to a GitHub App in order to list installations"
        self.refused(403, text, list, self.mona.get_user().get_installations())
        installation = self.app_user.get_user().get_installations()[0]
        text = "You must authenticate with an installation access token in order to list repositories for an installation."
        self.refused(403, text, list, installation.get_repos())

    def test_a_bad_credential_is_told_as_such(self):
        unknown = self.opened(world.UNKNOWN)
        self.refused(401, "Bad credentials", unknown.get_repo, f"{world.OWNER}/{world.HELLO}", kind=BadCredentialsException)
        wrong = self.integration(Auth.AppAuth(world.NO_SUCH_ID, self.key))
        self.refused(401, "A JSON web token could not be decoded", wrong.get_app)
