"""Cloning and fetching with git."""

import world
from program import Stories, address, rest

REFS = f"{world.OWNER}/{world.REFS}"
HELLO = f"{world.OWNER}/{world.HELLO}"


class Cloning(Stories):
    def test_a_clone_has_all_that_the_api_tells_in_both_protocols(self):
        for version in ("0", "2"):
            with self.subTest(version):
                clone = self.clone(REFS, "--mirror", "-c", f"protocol.version={version}", name=f"v{version}")
                here = dict(reversed(line.split()) for line in clone.git("for-each-ref", "--format=%(objectname) %(refname)").splitlines())
                self.assertEqual(self.refs(REFS), here)
                told = self.run_git("ls-remote", address(REFS, world.MONA), GIT_TRACE_PACKET="1", GIT_CONFIG_COUNT="1",
                                    GIT_CONFIG_KEY_0="protocol.version", GIT_CONFIG_VALUE_0=version)
                self.assertEqual(version == "2", "version 2" in told.stderr)
                self.assertEqual(f"{self.sha(REFS, 'heads/main')}\tHEAD", told.stdout.splitlines()[0])

    def test_the_default_branch_is_checked_out(self):
        clone = self.clone(HELLO)
        self.assertEqual("main", clone.git("branch", "--show-current"))
        self.assertEqual("# hello\n", (clone.folder / "README.md").read_text())
        self.assertEqual(["v1", "v1-light"], clone.git("tag").split())

    def test_a_shallow_clone_is_deepened(self):
        clone = self.clone(REFS, "--depth", "1")
        self.assertEqual("1", clone.git("rev-list", "--count", "HEAD"))
        clone.git("fetch", "--quiet", "--unshallow")
        self.assertEqual("2", clone.git("rev-list", "--count", "HEAD"))
        clone.git("fsck", "--strict")

    def test_a_partial_clone_gets_files_when_they_are_needed(self):
        for kind in ("blob:none", "tree:0"):
            with self.subTest(kind):
                clone = self.clone(HELLO, "--no-checkout", f"--filter={kind}", name=kind.replace(":", "-"))
                missing = clone.git("rev-list", "--objects", "--all", "--missing=print")
                self.assertIn("\n?", missing)
                clone.git("checkout", "--quiet", "origin/feature")
                self.assertEqual("a\nb\nc\n", (clone.folder / "src/new.txt").read_text())

    def test_a_fetch_brings_what_the_api_has_made_since(self):
        clone = self.clone(REFS)
        sha = self.sha(REFS, "heads/featureA")
        rest("POST", f"/repos/{REFS}/git/refs", {"ref": "refs/heads/fetched/later", "sha": sha})
        clone.git("fetch", "--quiet")
        self.assertEqual(sha, clone.head("origin/fetched/later"))
        rest("DELETE", f"/repos/{REFS}/git/refs/heads/fetched/later")
        clone.git("fetch", "--quiet", "--prune")
        self.assertNotIn("fetched/later", clone.git("branch", "--remotes"))

    def test_the_head_of_a_pull_request_is_fetched(self):
        clone = self.clone(HELLO)
        clone.git("fetch", "--quiet", "origin", f"refs/pull/{world.MANY}/head")
        self.assertEqual(rest("GET", f"/repos/{HELLO}/pulls/{world.MANY}")["head"]["sha"], clone.head("FETCH_HEAD"))

    def test_one_branch_is_cloned_alone(self):
        clone = self.clone(HELLO, "--single-branch", "--branch", "feature", "--no-tags")
        self.assertEqual(self.sha(HELLO, "heads/feature"), clone.head())
        self.assertEqual("origin/feature", clone.git("branch", "--remotes"))

    def test_an_empty_repository_is_cloned(self):
        clone = self.clone(f"{world.OWNER}/{world.EMPTY}")
        self.assertEqual("main", clone.git("branch", "--show-current"))
        self.assertIn("unknown revision", clone.fails("rev-parse", "HEAD"))

    def test_the_address_works_in_any_case_and_without_its_ending(self):
        expected = self.git("ls-remote", address(HELLO))
        self.assertEqual(expected, self.git("ls-remote", address("Octo-Org/HELLO")))
        self.assertEqual(expected, self.git("ls-remote", address(HELLO).removesuffix(".git")))
