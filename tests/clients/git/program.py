"""git as people use it, and the API to check the result."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import fixtures

LIMIT_SECONDS = 120
# Ignores the configuration of this machine, never prompts, and creates the same commits everywhere.
SETTINGS = {
    "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "Mona", "GIT_AUTHOR_EMAIL": "mona@example.com", "GIT_COMMITTER_NAME": "Mona", "GIT_COMMITTER_EMAIL": "mona@example.com",
}


class GitTestCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_git(self, *arguments, cwd=None, **environment):
        return subprocess.run(["git", *map(str, arguments)], env={**SETTINGS, "HOME": str(self.directory), **environment},
                              cwd=cwd or self.directory, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)

    def git(self, *arguments, **settings):
        """The output of a command that must succeed."""
        done = self.run_git(*arguments, **settings)
        self.assertEqual(0, done.returncode, f"git {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def fails(self, *arguments, **settings):
        """The output of a command that must fail."""
        done = self.run_git(*arguments, **settings)
        self.assertNotEqual(0, done.returncode, f"git {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def clone(self, repo, *flags, token=fixtures.MONA, name="clone"):
        """A clone of a repository, checked with fsck."""
        self.git("clone", "--quiet", *flags, clone_url(repo, token), name)
        self.git("fsck", "--strict", "--full", cwd=self.directory / name)
        return Clone(self, self.directory / name)

    def refs(self, repo, prefix=""):
        """The refs that the API lists, with their targets."""
        return {ref["ref"]: ref["object"]["sha"] for ref in rest("GET", f"/repos/{repo}/git/matching-refs/{prefix}")}

    def sha(self, repo, ref):
        return rest("GET", f"/repos/{repo}/git/ref/{quote(ref)}")["object"]["sha"]


class Clone:
    """A working copy, and what a user does in it."""

    def __init__(self, test, directory):
        self.test, self.directory = test, directory

    def git(self, *arguments, **settings):
        return self.test.git(*arguments, cwd=self.directory, **settings)

    def fails(self, *arguments, **settings):
        return self.test.fails(*arguments, cwd=self.directory, **settings)

    def commit(self, name, text):
        file = self.directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Write {name}")
        return self.head()

    def head(self, name="HEAD"):
        return self.git("rev-parse", name)

    def push(self, *arguments, **settings):
        """The exit code, and the flag and summary of each ref."""
        done = self.test.run_git("push", "--porcelain", *arguments, cwd=self.directory, **settings)
        lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
        return done.returncode, {names.split(":")[1]: (mark, remark) for mark, names, remark in lines}


def clone_url(repo, token=None, user="x-access-token", url=fixtures.URL):
    """The URL of a repository, with the token as people write it there."""
    scheme, rest_of_it = url.split("://")
    return f"{scheme}://{f'{user}:{token}@' if token else ''}{rest_of_it}/{repo}.git"


def rest(method, path, body=None, token=fixtures.MONA):
    """The response of the API to one request, or the status of an error response."""
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "git-tests"}
    request = Request(f"{fixtures.URL}{path}", json.dumps(body).encode() if body is not None else None, headers, method=method)
    try:
        with urlopen(request, timeout=LIMIT_SECONDS) as response:
            return json.loads(response.read() or "null")
    except HTTPError as error:
        return error.code
