"""Who may clone and push with git, by every kind of token and in every way to send one."""

import base64
import os

import world
from program import Stories, address

SECRET = f"{world.OWNER}/{world.SECRET}"
HELLO = f"{world.OWNER}/{world.HELLO}"
KINDS = (world.MONA, world.OAUTH, world.FINE_GRAINED, world.APP_USER, world.INSTALLATION)


def header(value):
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": f"Authorization: {value}"}


class Tokens(Stories):
    def test_every_kind_of_token_clones_a_private_repository(self):
        for count, token in enumerate(KINDS):
            with self.subTest(token):
                self.assertEqual(self.sha(SECRET, "heads/main"), self.clone(SECRET, token=token, name=f"clone-{count}").head())

    def test_a_token_is_sent_as_bearer_or_as_password(self):
        expected = f"{self.sha(SECRET, 'heads/main')}\tHEAD"
        for token in KINDS:
            password = base64.b64encode(f"anything:{token}".encode()).decode()
            for value in (f"Bearer {token}", f"token {token}", f"Basic {password}"):
                with self.subTest(token, value=value.split()[0]):
                    self.assertEqual(expected, self.git("ls-remote", address(SECRET), "HEAD", **header(value)))

    def test_a_helper_is_asked_for_the_password(self):
        helper = "!f() { echo username=mona; echo password=" + world.MONA + "; }; f"
        self.git("-c", f"credential.helper={helper}", "clone", "--quiet", address(SECRET), "clone")

    def test_every_kind_of_token_pushes(self):
        for count, token in enumerate((world.HUBOT, world.OAUTH, world.FINE_GRAINED, world.INSTALLATION)):
            with self.subTest(token):
                clone = self.clone(HELLO, token=token, name=f"clone-{count}")
                head = clone.commit("kind.txt", f"{count}\n")
                self.assertEqual(0, clone.push("origin", f"HEAD:refs/heads/kinds/{count}")[0])
                self.assertEqual(head, self.sha(HELLO, f"heads/kinds/{count}"))

    def test_what_is_public_is_cloned_by_anyone_and_pushed_by_nobody(self):
        clone = self.clone(HELLO, token=None)
        self.assertIn("could not read Username", clone.fails("push", "origin", "HEAD:refs/heads/kinds/never"))
        stranger = clone.fails("push", address(HELLO, world.STRANGER), "HEAD:refs/heads/kinds/never")
        self.assertIn("error: 403", stranger)
        reader = clone.fails("push", address(HELLO, world.FINE_GRAINED_READS), "HEAD:refs/heads/kinds/never")
        self.assertIn("error: 403", reader)
        self.assertEqual({}, self.refs(HELLO, "heads/kinds/never"))

    def test_what_is_private_is_hidden(self):
        self.assertIn("could not read Username", self.fails("clone", address(SECRET), "clone"))
        hidden = self.fails("ls-remote", address(SECRET, world.STRANGER))
        absent = self.fails("ls-remote", address(f"{world.OWNER}/absent", world.STRANGER))
        self.assertIn("not found", hidden)
        self.assertEqual(absent.replace("absent", world.SECRET), hidden)

    def test_an_unknown_token_is_refused_even_for_what_is_public(self):
        self.assertIn("Authentication failed", self.fails("ls-remote", address(SECRET, world.UNKNOWN)))
        # For what is public git sends a token only when it is told to.
        self.git("ls-remote", address(HELLO, world.UNKNOWN))
        self.assertIn("could not read Username", self.fails("ls-remote", address(HELLO), **header(f"Bearer {world.UNKNOWN}")))

    def test_everything_goes_over_tls_as_well(self):
        url = os.environ["PLINTH_TLS_URL"]
        trust = {"GIT_SSL_CAINFO": os.environ["PLINTH_CA_FILE"]}
        self.git("clone", "--quiet", address(HELLO, world.HUBOT, url=url), "clone", **trust)
        self.git("push", "--quiet", "origin", "HEAD:refs/heads/kinds/tls", cwd=self.folder / "clone", **trust)
        self.assertEqual(self.sha(HELLO, "heads/main"), self.sha(HELLO, "heads/kinds/tls"))
        self.assertIn("certificate", self.fails("ls-remote", address(HELLO, world.HUBOT, url=url)))
