"""PyGithub: what applies to every operation: credentials and URLs."""

from github import Auth, Github

import fixtures
from pygithub_client import WITHOUT_PAUSES, PyGithubTestCase, client

HELLO = f"{fixtures.OWNER}/{fixtures.HELLO}"


class Common(PyGithubTestCase):
    def test_every_kind_of_token_reads_a_private_repository(self):
        for token in (fixtures.MONA, fixtures.OAUTH, fixtures.FINE_GRAINED, fixtures.APP_USER, fixtures.INSTALLATION):
            with self.subTest(token):
                self.assertTrue(client(token).get_repo(f"{fixtures.OWNER}/{fixtures.SECRET}").private)

    def test_token_is_accepted_as_password(self):
        github = client(Auth.Login("mona", fixtures.MONA))
        self.assertEqual("mona", github.get_user().login)
        self.assertTrue(github.get_repo(f"{fixtures.OWNER}/{fixtures.SECRET}").private)

    def test_users_and_organizations_are_found(self):
        self.assertEqual(("mona", "Mona Lisa"), (self.mona.get_user().login, self.mona.get_user().name))
        self.assertEqual("User", self.hubot.get_user("mona").type)
        self.assertEqual("Octo", self.hubot.get_organization(fixtures.ORG).name)

    def test_enterprise_prefix_serves_the_same_api(self):
        url = f"{fixtures.URL}/api/v3"
        github = self.enterContext(Github(base_url=url, auth=Auth.Token(fixtures.MONA), per_page=20, **WITHOUT_PAUSES))
        pull = github.get_repo(HELLO).get_pull(fixtures.MANY)
        comments = list(pull.get_review_comments())
        self.assertEqual(fixtures.COMMENTS, len(comments))
        self.assertEqual(f"{url}/repos/{HELLO}/pulls/comments/{comments[0].id}", comments[0].url)
        made = pull.create_review_comment("Prefix", pull.head.sha, "src/new.txt", line=1)
        made.edit("Kept")
        self.assertFalse(made.update() and made.update())
        made.delete()

    def test_rate_limits_are_reported(self):
        limits = self.mona.get_rate_limit()
        self.assertEqual(5000, limits.resources.core.limit)
        self.assertGreater(limits.resources.core.remaining, 0)
