"""git as people use it, and the API beside it to see what came of it."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import world

LIMIT_SECONDS = 120
# Nobody's configuration counts, nobody is asked for a password, and commits are the same wherever they are made.
SETTINGS = {
    "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "Mona", "GIT_AUTHOR_EMAIL": "mona@example.com", "GIT_COMMITTER_NAME": "Mona", "GIT_COMMITTER_EMAIL": "mona@example.com",
}


class Stories(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_git(self, *words, cwd=None, **environment):
        return subprocess.run(["git", *map(str, words)], env={**SETTINGS, "HOME": str(self.folder), **environment},
                              cwd=cwd or self.folder, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)

    def git(self, *words, **settings):
        """What a command prints that is to succeed."""
        done = self.run_git(*words, **settings)
        self.assertEqual(0, done.returncode, f"git {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def fails(self, *words, **settings):
        """What a command complains about that is to fail."""
        done = self.run_git(*words, **settings)
        self.assertNotEqual(0, done.returncode, f"git {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def clone(self, repo, *flags, token=world.MONA, name="clone"):
        """A clone of a repository, found to be whole."""
        self.git("clone", "--quiet", *flags, address(repo, token), name)
        self.git("fsck", "--strict", "--full", cwd=self.folder / name)
        return Clone(self, self.folder / name)

    def refs(self, repo, prefix=""):
        """The names that the API tells, and where they lead."""
        return {ref["ref"]: ref["object"]["sha"] for ref in rest("GET", f"/repos/{repo}/git/matching-refs/{prefix}")}

    def sha(self, repo, ref):
        return rest("GET", f"/repos/{repo}/git/ref/{quote(ref)}")["object"]["sha"]


class Clone:
    """A working copy, and what a person does in it."""

    def __init__(self, story, folder):
        self.story, self.folder = story, folder

    def git(self, *words, **settings):
        return self.story.git(*words, cwd=self.folder, **settings)

    def fails(self, *words, **settings):
        return self.story.fails(*words, cwd=self.folder, **settings)

    def commit(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Write {name}")
        return self.head()

    def head(self, name="HEAD"):
        return self.git("rev-parse", name)

    def push(self, *words, **settings):
        """What became of each name: a mark, its names and a remark."""
        done = self.story.run_git("push", "--porcelain", *words, cwd=self.folder, **settings)
        lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
        return done.returncode, {names.split(":")[1]: (mark, remark) for mark, names, remark in lines}


def address(repo, token=None, user="x-access-token", url=world.URL):
    """Where a repository is cloned from, with a token as people write it there."""
    scheme, rest_of_it = url.split("://")
    return f"{scheme}://{f'{user}:{token}@' if token else ''}{rest_of_it}/{repo}.git"


def rest(method, path, body=None, token=world.MONA):
    """The answer of the API to one request, or the status of its refusal."""
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "stories-of-git"}
    request = Request(f"{world.URL}{path}", json.dumps(body).encode() if body is not None else None, headers, method=method)
    try:
        with urlopen(request, timeout=LIMIT_SECONDS) as answer:
            return json.loads(answer.read() or "null")
    except HTTPError as error:
        return error.code
