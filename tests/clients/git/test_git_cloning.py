"""Cloning and fetching with git."""

import fixtures
from program import GitTestCase, clone_url, rest

REFS = f"{fixtures.OWNER}/{fixtures.REFS}"
HELLO = f"{fixtures.OWNER}/{fixtures.HELLO}"


class Cloning(GitTestCase):
    def test_clone_has_the_refs_of_the_api_in_both_protocols(self):
        for version in ("0", "2"):
            with self.subTest(version):
                clone = self.clone(REFS, "--mirror", "-c", f"protocol.version={version}", name=f"v{version}")
                here = dict(reversed(line.split()) for line in clone.git("for-each-ref", "--format=%(objectname) %(refname)").splitlines())
                self.assertEqual(self.refs(REFS), here)
                results = self.run_git("ls-remote", clone_url(REFS, fixtures.MONA), GIT_TRACE_PACKET="1", GIT_CONFIG_COUNT="1",
                                    GIT_CONFIG_KEY_0="protocol.version", GIT_CONFIG_VALUE_0=version)
                self.assertEqual(version == "2", "version 2" in results.stderr)
                self.assertEqual(f"{self.sha(REFS, 'heads/main')}\tHEAD", results.stdout.splitlines()[0])

    def test_clone_checks_out_the_default_branch(self):
        clone = self.clone(HELLO)
        self.assertEqual("main", clone.git("branch", "--show-current"))
        self.assertEqual("# hello\n", (clone.directory / "README.md").read_text())
        self.assertEqual(["v1", "v1-light"], clone.git("tag").split())

    def test_shallow_clone_is_deepened(self):
        clone = self.clone(REFS, "--depth", "1")
        self.assertEqual("1", clone.git("rev-list", "--count", "HEAD"))
        clone.git("fetch", "--quiet", "--unshallow")
        self.assertEqual("2", clone.git("rev-list", "--count", "HEAD"))
        clone.git("fsck", "--strict")

    def test_partial_clone_fetches_files_on_demand(self):
        for kind in ("blob:none", "tree:0"):
            with self.subTest(kind):
                clone = self.clone(HELLO, "--no-checkout", f"--filter={kind}", name=kind.replace(":", "-"))
                missing = clone.git("rev-list", "--objects", "--all", "--missing=print")
                self.assertIn("\n?", missing)
                clone.git("checkout", "--quiet", "origin/feature")
                self.assertEqual("a\nb\nc\n", (clone.directory / "src/new.txt").read_text())

    def test_fetch_gets_refs_created_by_the_api(self):
        clone = self.clone(REFS)
        sha = self.sha(REFS, "heads/featureA")
        rest("POST", f"/repos/{REFS}/git/refs", {"ref": "refs/heads/fetched/later", "sha": sha})
        clone.git("fetch", "--quiet")
        self.assertEqual(sha, clone.head("origin/fetched/later"))
        rest("DELETE", f"/repos/{REFS}/git/refs/heads/fetched/later")
        clone.git("fetch", "--quiet", "--prune")
        self.assertNotIn("fetched/later", clone.git("branch", "--remotes"))

    def test_head_of_a_pull_request_is_fetched(self):
        clone = self.clone(HELLO)
        clone.git("fetch", "--quiet", "origin", f"refs/pull/{fixtures.MANY}/head")
        self.assertEqual(rest("GET", f"/repos/{HELLO}/pulls/{fixtures.MANY}")["head"]["sha"], clone.head("FETCH_HEAD"))

    def test_single_branch_clone_has_one_branch(self):
        clone = self.clone(HELLO, "--single-branch", "--branch", "feature", "--no-tags")
        self.assertEqual(self.sha(HELLO, "heads/feature"), clone.head())
        self.assertEqual("origin/feature", clone.git("branch", "--remotes"))

    def test_empty_repository_is_cloned(self):
        clone = self.clone(f"{fixtures.OWNER}/{fixtures.EMPTY}")
        self.assertEqual("main", clone.git("branch", "--show-current"))
        self.assertIn("unknown revision", clone.fails("rev-parse", "HEAD"))

    def test_clone_url_ignores_case_and_suffix(self):
        expected = self.git("ls-remote", clone_url(HELLO))
        self.assertEqual(expected, self.git("ls-remote", clone_url("Octo-Org/HELLO")))
        self.assertEqual(expected, self.git("ls-remote", clone_url(HELLO).removesuffix(".git")))
