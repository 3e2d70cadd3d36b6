"""hub as people use it with a self-hosted server: only the host, the token and the certificate are configured."""

import json
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import urlsplit

import fixtures

BASE = os.environ["PLINTH_TLS_URL"]
HOST = urlsplit(BASE).netloc
LIMIT_SECONDS = 60
REPO = f"{fixtures.OWNER}/{fixtures.HELLO}"


class HubTestCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # Ignores the configuration of this machine and leaves nothing on it.
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.work = self.home / "clone"

    def environment(self, token):
        rewritten = f"url.https://x-access-token:{token}@{HOST}/.insteadOf"
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8", "GITHUB_HOST": HOST, "GITHUB_TOKEN": token, "GITHUB_USER": "",
            "SSL_CERT_FILE": os.environ["PLINTH_CA_FILE"], "GIT_SSL_CAINFO": os.environ["PLINTH_CA_FILE"],
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "HUB_PROTOCOL": "https",
            "GIT_AUTHOR_NAME": "Hubot", "GIT_AUTHOR_EMAIL": "hubot@example.com", "GIT_COMMITTER_NAME": "Hubot", "GIT_COMMITTER_EMAIL": "hubot@example.com",
            # git needs the token as the password, and hub leaves out a host with a port when it creates a URL for git.
            "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": rewritten, "GIT_CONFIG_VALUE_0": f"{BASE}/", "GIT_CONFIG_KEY_1": rewritten, "GIT_CONFIG_VALUE_1": "https:///",
        }

    def run_hub(self, *arguments, token=fixtures.HUBOT, cwd=None, stdin=None):
        return subprocess.run(["hub", *arguments], env=self.environment(token), cwd=cwd or self.work, input=stdin, capture_output=True,
                              text=True, timeout=LIMIT_SECONDS, check=False)

    def hub(self, *arguments, **settings):
        """The output of a command that must succeed; hub runs the commands of git too."""
        done = self.run_hub(*arguments, **settings)
        self.assertEqual(0, done.returncode, f"hub {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def fails(self, *arguments, **settings):
        """What a command that must fail prints."""
        done = self.run_hub(*arguments, **settings)
        self.assertNotEqual(0, done.returncode, f"hub {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done.stderr

    def clone(self):
        self.hub("clone", "--quiet", f"{BASE}/{REPO}.git", str(self.work), cwd=self.home)

    def commit(self, branch, name, text):
        """A commit on a new branch of main, pushed; returns its id."""
        self.hub("checkout", "--quiet", "-b", branch, "origin/main")
        (self.work / name).write_text(text)
        self.hub("add", name)
        self.hub("commit", "--quiet", "--message", f"Write {name}")
        self.hub("push", "--quiet", "--set-upstream", "origin", branch)
        return self.hub("rev-parse", "HEAD")

    def wait_for(self, read, is_done):
        """What is read once it is done; some changes are made in the background."""
        end = time.monotonic() + LIMIT_SECONDS
        while not is_done(found := read()):
            self.assertLess(time.monotonic(), end, found)
        return found

    def api(self, path, **settings):
        """A resource of the API, read with hub itself."""
        return json.loads(self.hub("api", path, **settings))
