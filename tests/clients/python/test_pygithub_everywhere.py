"""PyGithub on what holds for every operation: credentials and addresses."""

from github import Auth, Github

import world
from hub import AT_ONCE, Stories, client

HELLO = f"{world.OWNER}/{world.HELLO}"


class Everywhere(Stories):
    def test_every_kind_of_token_reads_a_private_repository(self):
        for token in (world.MONA, world.OAUTH, world.FINE_GRAINED, world.APP_USER, world.INSTALLATION):
            with self.subTest(token):
                self.assertTrue(client(token).get_repo(f"{world.OWNER}/{world.SECRET}").private)

    def test_a_token_is_as_good_as_a_password(self):
        github = client(Auth.Login("mona", world.MONA))
        self.assertEqual("mona", github.get_user().login)
        self.assertTrue(github.get_repo(f"{world.OWNER}/{world.SECRET}").private)

    def test_people_and_organizations_are_known(self):
        self.assertEqual(("mona", "Mona Lisa"), (self.mona.get_user().login, self.mona.get_user().name))
        self.assertEqual("User", self.hubot.get_user("mona").type)
        self.assertEqual("Octo", self.hubot.get_organization(world.ORG).name)

    def test_the_other_prefix_serves_the_same_and_stays(self):
        url = f"{world.URL}/api/v3"
        github = self.enterContext(Github(base_url=url, auth=Auth.Token(world.MONA), per_page=20, **AT_ONCE))
        pull = github.get_repo(HELLO).get_pull(world.MANY)
        comments = list(pull.get_review_comments())
        self.assertEqual(world.COMMENTS, len(comments))
        self.assertEqual(f"{url}/repos/{HELLO}/pulls/comments/{comments[0].id}", comments[0].url)
        made = pull.create_review_comment("Prefix", pull.head.sha, "src/new.txt", line=1)
        made.edit("Kept")
        self.assertFalse(made.update() and made.update())
        made.delete()

    def test_budgets_are_told(self):
        limits = self.mona.get_rate_limit()
        self.assertEqual(5000, limits.resources.core.limit)
        self.assertGreater(limits.resources.core.remaining, 0)
