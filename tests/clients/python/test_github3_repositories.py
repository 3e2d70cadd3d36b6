"""github3.py on accounts, repositories, Git data and files."""

import github3

import fixtures
from github3_client import Github3TestCase, client


class Accounts(Github3TestCase):
    def test_accounts_are_readable(self):
        self.assertEqual(("mona", "Mona Lisa"), (self.mona.me().login, self.mona.me().name))
        self.assertEqual("Hubot", self.mona.user("hubot").name)
        organization = self.mona.organization(fixtures.ORG)
        self.assertEqual("Octo", organization.name)
        self.assertTrue(organization.is_member("hubot"))
        self.assertEqual(fixtures.REPOSITORIES, len(list(organization.repositories())))
        self.assertEqual({"mona", "hubot"}, {member.login for member in organization.members()})
        self.assertEqual({fixtures.ORG, fixtures.SIDE_ORG}, {organization.login for organization in self.mona.organizations()})
        self.assert_error(github3.exceptions.NotFoundError, self.mona.user, "nobody-there")
        self.assert_error(github3.exceptions.AuthenticationFailed, client(fixtures.UNKNOWN).me)

    def test_repositories_are_listed_as_github_lists_them(self):
        mine = {repo.full_name for repo in self.hubot.repositories()}
        self.assertIn(f"{fixtures.OWNER}/{fixtures.HELLO}", mine)
        owned = {repo.full_name for repo in self.mona.repositories_by("mona")}
        self.assertTrue(all(name.startswith("mona/") for name in owned), owned)

    def test_limits_are_readable(self):
        self.assertEqual(5000, self.mona.rate_limit()["resources"]["core"]["limit"])


class Repositories(Github3TestCase):
    def test_repository_is_created_changed_and_deleted(self):
        made = self.mona.create_repository("github3", description="By a library", auto_init=True)
        self.assertEqual(("mona/github3", "By a library"), (made.full_name, made.description))
        self.assertEqual("github3", made.readme().decoded.decode().strip("# \n").splitlines()[0])
        self.assertTrue(made.edit("github3", description="Changed", homepage="https://example.com"))
        again = self.mona.repository("mona", "github3")
        self.assertEqual(("Changed", "https://example.com"), (again.description, again.homepage))
        self.assertEqual(["rest", "tests"], sorted(again.replace_topics(["tests", "rest"]).names))
        self.assertEqual(["rest", "tests"], sorted(again.topics().names))
        self.assertFalse(again.is_collaborator("hubot"))
        self.assertTrue(again.delete())
        self.assert_error(github3.exceptions.NotFoundError, self.mona.repository, "mona", "github3")

    def test_history_is_readable(self):
        self.assertIn("feature", {branch.name for branch in self.repo.branches()})
        branch = self.repo.branch("feature")
        self.assertEqual("one more", branch.commit.commit.message)
        self.assertEqual({"v1", "v1-light"}, {tag.name for tag in self.repo.tags()} & {"v1", "v1-light"})
        messages = [commit.commit.message for commit in self.repo.commits(sha="feature")]
        self.assertEqual(["one more", "change every line but one, and a file less", "first"], messages)
        self.assertEqual(["one more"], [commit.commit.message for commit in self.repo.commits(sha="feature", path="src/new.txt")])
        commit = self.repo.commit(branch.commit.sha)
        self.assertEqual(["src/new.txt"], [file["filename"] for file in commit.files])
        self.assertIn(b"+a\n", commit.diff())
        self.assertIn(b"Subject: [PATCH] one more", commit.patch())
        comparison = self.repo.compare_commits("v1", "feature")
        self.assertEqual(("ahead", 2), (comparison.status, comparison.total_commits))
        self.assertIn(b"src/new.txt", comparison.diff())

    def test_git_data_is_created_and_read(self):
        name, commit = self.branch({"github3/a.txt": "a\n"})
        self.assertEqual(commit.sha, self.repo.ref(f"heads/{name}").object.sha)
        tree = self.repo.tree(commit.tree.sha, recursive=True)
        blob = next(entry for entry in tree.tree if entry.path == "github3/a.txt")
        self.assertEqual("a\n", self.repo.blob(blob.sha).decode_content())
        tag = self.repo.create_tag("github3-tag", "Tagged", commit.sha, "commit", {"name": "Mona", "email": "mona@example.com", "date": "2024-01-02T03:04:05Z"})
        self.assertEqual("github3-tag", tag.tag)
        ref = self.repo.ref(f"heads/{name}")
        self.assertTrue(ref.update(self.repo.commit("feature").sha, force=True))
        self.assertTrue(ref.delete())
        self.assert_error(github3.exceptions.NotFoundError, self.repo.ref, f"heads/{name}")

    def test_files_are_read_and_written(self):
        self.assertEqual("# hello\n", self.repo.file_contents("README.md").decoded.decode())
        self.assertEqual({"list.txt", "old.txt"}, {name for name, _ in self.repo.directory_contents("src")})
        name, _ = self.branch({"github3/b.txt": "b\n"})
        made = self.repo.create_file("github3/c.txt", "Write c", b"c\n", branch=name)
        self.assertEqual(("github3/c.txt", "Write c"), (made["content"].path, made["commit"].message))
        content = self.repo.file_contents("github3/c.txt", ref=name)
        updated = content.update("Write c again", b"cc\n", branch=name)
        self.assertEqual("Write c again", updated["commit"].message)
        self.assertEqual(b"cc\n", self.repo.file_contents("github3/c.txt", ref=name).decoded)
        deleted = self.repo.file_contents("github3/c.txt", ref=name).delete("Delete c", branch=name)
        self.assertEqual("Delete c", deleted["commit"].message)
        self.assert_error(github3.exceptions.NotFoundError, self.repo.file_contents, "github3/c.txt", ref=name)

    def test_statuses_and_releases_have_their_effects(self):
        name, commit = self.branch({"github3/d.txt": "d\n"})
        status = self.repo.create_status(commit.sha, "success", target_url="https://example.com/1", description="Built", context="ci/build")
        self.assertEqual(("success", "mona"), (status.state, status.creator.login))
        self.assertEqual(["ci/build"], [status.context for status in self.repo.statuses(commit.sha)])
        self.assertEqual("success", self.repo.commit(commit.sha).status().state)
        release = self.repo.create_release("github3-1.0", target_commitish=name, name="One", body="Notes", draft=False)
        asset = release.upload_asset("text/plain", "notes.txt", b"the notes\n", label="Notes")
        self.assertEqual(("notes.txt", 10), (asset.name, asset.size))
        again = self.repo.release_from_tag("github3-1.0")
        self.assertEqual((release.id, ["notes.txt"]), (again.id, [asset.name for asset in again.assets()]))
        self.assertEqual(release.id, self.repo.latest_release().id)
        self.assertEqual(commit.sha, self.repo.ref("tags/github3-1.0").object.sha)
        again.edit(name="One, edited")
        self.assertIn("One, edited", {release.name for release in self.repo.releases()})
        self.assertTrue(asset.delete())
        self.assertTrue(release.delete())
        self.assert_error(github3.exceptions.NotFoundError, self.repo.release_from_tag, "github3-1.0")

    def test_hooks_are_created_and_deleted(self):
        config = {"url": "http://127.0.0.1:9/", "content_type": "json"}
        hook = self.repo.create_hook("web", config, events=["push"], active=False)
        self.assertIn(hook.id, {hook.id for hook in self.repo.hooks()})
        self.assertTrue(hook.edit(config, events=["pull_request"]))
        self.assertTrue(hook.delete())
