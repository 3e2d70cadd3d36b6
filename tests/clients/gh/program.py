"""gh as people use it with a self-hosted server: only the host, the token and the certificate are configured."""

import json
import os
import subprocess
import tempfile
import unittest
from urllib.parse import urlsplit

import fixtures

HOST = urlsplit(os.environ["PLINTH_TLS_URL"]).netloc
LIMIT_SECONDS = 60


class GhTestCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        # Ignores the configuration of this machine and leaves nothing on it.
        cls.home = cls.enterClassContext(tempfile.TemporaryDirectory())

    def run_gh(self, *arguments, token=fixtures.MONA, stdin=None, **environment):
        """Runs `gh api` with these arguments."""
        settings = {
            "PATH": os.environ["PATH"], "HOME": self.home, "GH_HOST": HOST, "SSL_CERT_FILE": os.environ["PLINTH_CA_FILE"],
            "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GH_PROMPT_DISABLED": "1", **environment,
        }
        if token:
            settings["GH_ENTERPRISE_TOKEN"] = token
        return subprocess.run(["gh", "api", *arguments], env=settings, cwd=self.home, input=stdin, capture_output=True,
                              text=True, timeout=LIMIT_SECONDS, check=False)

    def text(self, *arguments, **settings):
        """The output of a call that must succeed."""
        done = self.run_gh(*arguments, **settings)
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout

    def call(self, *arguments, **settings):
        """The JSON output of a call that must succeed."""
        return json.loads(self.text(*arguments, **settings))

    def lines(self, *arguments, **settings):
        return self.text(*arguments, **settings).splitlines()

    def assert_error(self, status, message, *arguments, scope=None, **settings):
        """The call fails as gh fails: an exit code, one message for people, and the whole response for programs.

        From the two headers about scopes, gh may name a missing scope.
        """
        done = self.run_gh(*arguments, **settings)
        host = HOST.split(":")[0]
        hint = scope and f'gh: This API operation needs the "{scope}" scope. To request it, run:  gh auth refresh -h {host} -s {scope}\n'
        self.assertEqual(f"gh: {message} (HTTP {status})\n{hint or ''}", done.stderr)
        self.assertEqual(1, done.returncode)
        body = json.loads(done.stdout)
        self.assertEqual((message, str(status)), (body["message"], body["status"]))
        return body

    def deleted(self, path, **settings):
        self.assertEqual("", self.text("-X", "DELETE", path, **settings))

    def assert_not_modified(self, path, **settings):
        """With the entity tag of the response, gh gets 304, which it reports as a failure."""
        output = self.text("-i", path, **settings).splitlines()
        tag = next(line for line in output if line.lower().startswith("etag: ")).split(": ", 1)[1]
        done = self.run_gh(path, "-H", f"If-None-Match: {tag}", **settings)
        self.assertEqual((1, "", "gh: HTTP 304\n"), (done.returncode, done.stdout, done.stderr))
