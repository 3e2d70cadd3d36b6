"""Who may clone and push with git, with every kind of token and every way to send it."""

import base64
import os

import fixtures
from program import GitTestCase, clone_url

SECRET = f"{fixtures.OWNER}/{fixtures.SECRET}"
HELLO = f"{fixtures.OWNER}/{fixtures.HELLO}"
KINDS = (fixtures.MONA, fixtures.OAUTH, fixtures.FINE_GRAINED, fixtures.APP_USER, fixtures.INSTALLATION)


def header(value):
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": f"Authorization: {value}"}


class Tokens(GitTestCase):
    def test_every_kind_of_token_clones_a_private_repository(self):
        for count, token in enumerate(KINDS):
            with self.subTest(token):
                self.assertEqual(self.sha(SECRET, "heads/main"), self.clone(SECRET, token=token, name=f"clone-{count}").head())

    def test_token_is_accepted_as_bearer_and_as_password(self):
        expected = f"{self.sha(SECRET, 'heads/main')}\tHEAD"
        for token in KINDS:
            password = base64.b64encode(f"anything:{token}".encode()).decode()
            for value in (f"Bearer {token}", f"token {token}", f"Basic {password}"):
                with self.subTest(token, value=value.split()[0]):
                    self.assertEqual(expected, self.git("ls-remote", clone_url(SECRET), "HEAD", **header(value)))

    def test_credential_helper_supplies_the_token(self):
        helper = "!f() { echo username=mona; echo password=" + fixtures.MONA + "; }; f"
        self.git("-c", f"credential.helper={helper}", "clone", "--quiet", clone_url(SECRET), "clone")

    def test_every_kind_of_token_pushes(self):
        for count, token in enumerate((fixtures.HUBOT, fixtures.OAUTH, fixtures.FINE_GRAINED, fixtures.INSTALLATION)):
            with self.subTest(token):
                clone = self.clone(HELLO, token=token, name=f"clone-{count}")
                head = clone.commit("kind.txt", f"{count}\n")
                self.assertEqual(0, clone.push("origin", f"HEAD:refs/heads/kinds/{count}")[0])
                self.assertEqual(head, self.sha(HELLO, f"heads/kinds/{count}"))

    def test_public_repository_is_cloned_by_anyone_and_not_pushed_without_access(self):
        clone = self.clone(HELLO, token=None)
        self.assertIn("could not read Username", clone.fails("push", "origin", "HEAD:refs/heads/kinds/never"))
        stranger = clone.fails("push", clone_url(HELLO, fixtures.STRANGER), "HEAD:refs/heads/kinds/never")
        self.assertIn("error: 403", stranger)
        reader = clone.fails("push", clone_url(HELLO, fixtures.FINE_GRAINED_READS), "HEAD:refs/heads/kinds/never")
        self.assertIn("error: 403", reader)
        self.assertEqual({}, self.refs(HELLO, "heads/kinds/never"))

    def test_private_repository_is_hidden(self):
        self.assertIn("could not read Username", self.fails("clone", clone_url(SECRET), "clone"))
        hidden = self.fails("ls-remote", clone_url(SECRET, fixtures.STRANGER))
        absent = self.fails("ls-remote", clone_url(f"{fixtures.OWNER}/absent", fixtures.STRANGER))
        self.assertIn("not found", hidden)
        self.assertEqual(absent.replace("absent", fixtures.SECRET), hidden)

    def test_unknown_token_is_rejected_for_public_data(self):
        self.assertIn("Authentication failed", self.fails("ls-remote", clone_url(SECRET, fixtures.UNKNOWN)))
        # For a public repository git sends a token only if it is configured to.
        self.git("ls-remote", clone_url(HELLO, fixtures.UNKNOWN))
        self.assertIn("could not read Username", self.fails("ls-remote", clone_url(HELLO), **header(f"Bearer {fixtures.UNKNOWN}")))

    def test_clone_and_push_work_over_tls(self):
        url = os.environ["PLINTH_TLS_URL"]
        trust = {"GIT_SSL_CAINFO": os.environ["PLINTH_CA_FILE"]}
        self.git("clone", "--quiet", clone_url(HELLO, fixtures.HUBOT, url=url), "clone", **trust)
        self.git("push", "--quiet", "origin", "HEAD:refs/heads/kinds/tls", cwd=self.directory / "clone", **trust)
        self.assertEqual(self.sha(HELLO, "heads/main"), self.sha(HELLO, "heads/kinds/tls"))
        self.assertIn("certificate", self.fails("ls-remote", clone_url(HELLO, fixtures.HUBOT, url=url)))
