"""gh as people use it against a server of their own: only its host, its token and whom to trust are told."""

import json
import os
import subprocess
import tempfile
import unittest
from urllib.parse import urlsplit

import world

HOST = urlsplit(os.environ["PLINTH_TLS_URL"]).netloc
LIMIT_SECONDS = 60


class Stories(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        # Nothing that is configured on this machine counts, and nothing is left on it.
        cls.home = cls.enterClassContext(tempfile.TemporaryDirectory())

    def run_gh(self, *words, token=world.MONA, stdin=None, **environment):
        """Runs `gh api` with these words to its end."""
        settings = {
            "PATH": os.environ["PATH"], "HOME": self.home, "GH_HOST": HOST, "SSL_CERT_FILE": os.environ["PLINTH_CA_FILE"],
            "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GH_PROMPT_DISABLED": "1", **environment,
        }
        if token:
            settings["GH_ENTERPRISE_TOKEN"] = token
        return subprocess.run(["gh", "api", *words], env=settings, cwd=self.home, input=stdin, capture_output=True,
                              text=True, timeout=LIMIT_SECONDS, check=False)

    def text(self, *words, **settings):
        """What a call prints that is to succeed."""
        done = self.run_gh(*words, **settings)
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout

    def call(self, *words, **settings):
        """The JSON that a call prints that is to succeed."""
        return json.loads(self.text(*words, **settings))

    def lines(self, *words, **settings):
        return self.text(*words, **settings).splitlines()

    def refused(self, status, message, *words, scope=None, **settings):
        """The call fails as gh fails: a code, one sentence for people, and the whole answer for programs.

        From the two headers about scopes, gh may add which one it misses.
        """
        done = self.run_gh(*words, **settings)
        host = HOST.split(":")[0]
        hint = scope and f'gh: This API operation needs the "{scope}" scope. To request it, run:  gh auth refresh -h {host} -s {scope}\n'
        self.assertEqual(f"gh: {message} (HTTP {status})\n{hint or ''}", done.stderr)
        self.assertEqual(1, done.returncode)
        body = json.loads(done.stdout)
        self.assertEqual((message, str(status)), (body["message"], body["status"]))
        return body

    def deleted(self, path, **settings):
        self.assertEqual("", self.text("-X", "DELETE", path, **settings))

    def not_modified(self, path, **settings):
        """With the tag that was told, nothing is sent, which gh takes for a failure of its own kind."""
        told = self.text("-i", path, **settings).splitlines()
        tag = next(line for line in told if line.lower().startswith("etag: ")).split(": ", 1)[1]
        done = self.run_gh(path, "-H", f"If-None-Match: {tag}", **settings)
        self.assertEqual((1, "", "gh: HTTP 304\n"), (done.returncode, done.stdout, done.stderr))
