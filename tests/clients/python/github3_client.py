"""github3.py as people use it with a self-hosted server, and what its tests share."""

import unittest
import uuid

import github3

import fixtures

REPO = (fixtures.OWNER, fixtures.HELLO)


def client(token=fixtures.MONA):
    """A client of GitHub Enterprise, which adds /api/v3 to the URL."""
    return github3.github.GitHubEnterprise(fixtures.URL, token=token)


class Github3TestCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.mona, cls.hubot = client(), client(fixtures.HUBOT)
        cls.repo = cls.mona.repository(*REPO)

    def branch(self, files):
        """A new branch of main with one commit of these files; its name and the commit."""
        name = f"github3/{uuid.uuid4().hex[:8]}"
        base = self.repo.commit("main")
        entries = [{"path": path, "mode": "100644", "type": "blob", "sha": self.repo.create_blob(text, "utf-8")} for path, text in files.items()]
        tree = self.repo.create_tree(entries, self.repo.git_commit(base.sha).tree.sha)
        author = {"name": "Mona", "email": "mona@example.com", "date": "2024-01-02T03:04:05Z"}
        commit = self.repo.create_commit(f"Write {', '.join(files)}", tree.sha, [base.sha], author=author, committer=author)
        self.repo.create_branch_ref(name, commit.sha)
        return name, commit

    def pull(self, files, title="By github3"):
        """A new pull request of hubot with these files."""
        name, _ = self.branch(files)
        return self.hubot.repository(*REPO).create_pull(title, "main", name, body="**Why** not")

    def assert_error(self, kind, call, *arguments, **settings):
        with self.assertRaises(kind) as caught:
            call(*arguments, **settings)
        return caught.exception
