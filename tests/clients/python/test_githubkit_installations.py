"""githubkit on installations of an app: with its own tokens, and as the app."""

import os
from pathlib import Path

from githubkit import AppAuthStrategy
from githubkit.exception import RequestError

import fixtures
from githubkit_client import GithubkitTestCase, client


class Installations(GithubkitTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = Path(os.environ["PLINTH_APP_KEY"]).read_text()
        cls.app_auth = AppAuthStrategy(os.environ["PLINTH_APP_ID"], cls.key)
        cls.app = cls.opened(cls.app_auth)

    def installation_of(self, account):
        rest = self.app_user.rest
        found = rest.paginate(rest.apps.list_installations_for_authenticated_user, lambda response: response.parsed_data.installations, per_page=1)
        return next(installation for installation in found if installation.account.login == account)

    def repository(self, name):
        return self.mona.rest.repos.get(fixtures.SIDE_ORG, name).parsed_data.id

    def test_pagination_of_installation_repositories_reaches_the_last_page(self):
        rest = self.installation.rest
        for size in (7, 39, 40, 100):
            with self.subTest(size):
                call = rest.apps.list_repos_accessible_to_installation
                names = [repo.full_name for repo in rest.paginate(call, lambda response: response.parsed_data.repositories, per_page=size)]
                self.assertEqual(fixtures.REPOSITORIES, len(set(names)))
                self.assertEqual(fixtures.REPOSITORIES, call(per_page=1).parsed_data.total_count)

    def test_only_installations_list_their_repositories(self):
        text = "You must authenticate with an installation access token in order to list repositories for an installation."
        self.assert_error(403, text, self.mona.rest.apps.list_repos_accessible_to_installation)
        self.assert_error(401, "Requires authentication", self.anonymous.rest.apps.list_repos_accessible_to_installation)

    def test_user_lists_installations_of_the_app(self):
        response = self.app_user.rest.apps.list_installations_for_authenticated_user()
        accounts = {installation.account.login: installation for installation in response.parsed_data.installations}
        self.assertEqual(response.parsed_data.total_count, len(accounts))
        self.assertEqual("all", accounts[fixtures.ORG].repository_selection)
        self.assertEqual("selected", accounts[fixtures.SIDE_ORG].repository_selection)
        self.assertEqual("write", accounts[fixtures.ORG].permissions.contents)
        self.assertIsNotNone(accounts[fixtures.USER].suspended_at)
        text = "You must authenticate with an access token authorized to a GitHub App in order to list installations"
        self.assert_error(403, text, self.mona.rest.apps.list_installations_for_authenticated_user)

    def test_user_lists_repositories_of_an_installation(self):
        rest = self.app_user.rest
        call = rest.apps.list_installation_repos_for_authenticated_user
        number = self.installation_of(fixtures.ORG).id
        repos = list(rest.paginate(call, lambda response: response.parsed_data.repositories, number, per_page=20))
        self.assertEqual(fixtures.REPOSITORIES, len({repo.id for repo in repos}))
        self.assertEqual(fixtures.REPOSITORIES, call(number, per_page=1).parsed_data.total_count)
        self.assertTrue(all(repo.permissions.admin for repo in repos))
        self.assert_error(404, "Not Found", call, fixtures.NO_SUCH_ID)

    def test_repository_is_added_and_removed(self):
        apps = self.mona.rest.apps
        number, three = self.installation_of(fixtures.SIDE_ORG).id, self.repository("three")
        add, remove = apps.add_repo_to_installation_for_authenticated_user, apps.remove_repo_from_installation_for_authenticated_user
        names = lambda: {repo.name for repo in apps.list_installation_repos_for_authenticated_user(number).parsed_data.repositories}
        before = names()
        response = add(number, three)
        self.assertEqual((204, b""), (response.status_code, response.content))
        self.assertEqual(before | {"three"}, names())
        self.assertEqual(204, add(number, three).status_code)
        self.assertEqual(204, remove(number, three).status_code)
        self.assertEqual(before, names())
        self.assert_error(404, "Not Found", add, number, fixtures.NO_SUCH_ID)
        self.assert_error(404, "Not Found", remove, number, three)

    def test_remove_repository_rejects_installation_on_all_repositories(self):
        remove = self.mona.rest.apps.remove_repo_from_installation_for_authenticated_user
        hello = self.mona.rest.repos.get(fixtures.OWNER, fixtures.HELLO).parsed_data.id
        text = "This installation is on all repositories, please update in the Web UI."
        self.assert_error(422, text, remove, self.installation_of(fixtures.ORG).id, hello)

    def test_remove_repository_rejects_the_last_one(self):
        number = self.installation_of(fixtures.SIDE_ORG).id
        apps = self.mona.rest.apps
        apps.remove_repo_from_installation_for_authenticated_user(number, self.repository("two"))
        text = "This is the last repository of the installation: removing it would leave the app with no repository."
        self.assert_error(422, text, apps.remove_repo_from_installation_for_authenticated_user, number, self.repository("one"))
        apps.add_repo_to_installation_for_authenticated_user(number, self.repository("two"))

    def test_only_classic_tokens_change_an_installation(self):
        number, three = self.installation_of(fixtures.SIDE_ORG).id, self.repository("three")
        for other, kind in ((self.app_user, "integration"), (self.installation, "integration"), (self.fine_grained, "personal access token")):
            apps = other.rest.apps
            text = f"Resource not accessible by {kind}"
            self.assert_error(403, text, apps.add_repo_to_installation_for_authenticated_user, number, three)
            self.assert_error(403, text, apps.remove_repo_from_installation_for_authenticated_user, number, three)

    def test_app_acts_as_its_installations(self):
        self.assertEqual("helper", self.app.rest.apps.get_authenticated().parsed_data.slug)
        number = self.app.rest.apps.get_org_installation(fixtures.ORG).parsed_data.id
        self.assertEqual(number, self.app.rest.apps.get_repo_installation(fixtures.OWNER, fixtures.HELLO).parsed_data.id)
        acting = self.opened(self.app_auth.as_installation(number))
        self.assertEqual("refs/heads/main", acting.rest.git.get_ref(fixtures.OWNER, fixtures.SECRET, "heads/main").parsed_data.ref)

    def test_token_can_be_narrowed(self):
        number = self.app.rest.apps.get_org_installation(fixtures.ORG).parsed_data.id
        narrow = self.opened(self.app_auth.as_installation(number, repositories=[fixtures.HELLO], permissions={"contents": "read"}))
        repos = narrow.rest.apps.list_repos_accessible_to_installation().parsed_data
        self.assertEqual([fixtures.HELLO], [repo.name for repo in repos.repositories])
        self.assert_error(404, "Not Found", narrow.rest.git.get_ref, fixtures.OWNER, fixtures.SECRET, "heads/main")
        sha = narrow.rest.git.get_ref(fixtures.OWNER, fixtures.HELLO, "heads/main").parsed_data.object_.sha
        self.assert_error(403, "Resource not accessible by integration", narrow.rest.git.create_ref,
                     fixtures.OWNER, fixtures.HELLO, ref="refs/heads/never", sha=sha)

    def test_client_id_identifies_the_app(self):
        by_client_id = client(AppAuthStrategy(None, self.key, client_id=os.environ["PLINTH_APP_CLIENT_ID"]))
        self.assertEqual("helper", by_client_id.rest.apps.get_authenticated().parsed_data.slug)

    def test_suspended_installation_gets_no_token(self):
        number = self.app.rest.apps.get_user_installation(fixtures.USER).parsed_data.id
        suspended = client(self.app_auth.as_installation(number))
        with self.assertRaises(RequestError) as caught:
            suspended.rest.apps.list_repos_accessible_to_installation()
        # The client requests a token before its own request, and wraps the error of that.
        response = caught.exception.exc.response
        self.assertEqual((403, "This installation has been suspended"), (response.status_code, response.json()["message"]))

    def test_revoked_token_is_rejected(self):
        number = self.app.rest.apps.get_org_installation(fixtures.ORG).parsed_data.id
        token = self.app.rest.apps.create_installation_access_token(number).parsed_data.token
        holder = self.opened(token)
        holder.rest.apps.list_repos_accessible_to_installation(per_page=1)
        self.assertEqual(204, holder.rest.apps.revoke_installation_access_token().status_code)
        self.assert_error(401, "Bad credentials", holder.rest.apps.list_repos_accessible_to_installation, per_page=1)
        self.assert_error(401, "Bad credentials", holder.rest.apps.revoke_installation_access_token)
        self.assert_error(403, "Resource not accessible by personal access token", self.mona.rest.apps.revoke_installation_access_token)

    def test_unchanged_lists_are_not_modified(self):
        user = self.opened(fixtures.APP_USER, http_cache=False).rest.apps
        own = self.opened(fixtures.INSTALLATION, http_cache=False).rest.apps
        self.assert_not_modified(user.list_installations_for_authenticated_user)
        self.assert_not_modified(user.list_installation_repos_for_authenticated_user, self.installation_of(fixtures.ORG).id)
        self.assert_not_modified(own.list_repos_accessible_to_installation)
