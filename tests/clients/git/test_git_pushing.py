"""Pushing with git, and the API afterwards."""

import fixtures
from program import GitTestCase, clone_url, rest

REFS = f"{fixtures.OWNER}/{fixtures.REFS}"
HELLO = f"{fixtures.OWNER}/{fixtures.HELLO}"


class Pushing(GitTestCase):
    def test_branch_is_created_moved_forced_and_deleted(self):
        clone = self.clone(REFS, token=fixtures.HUBOT)
        clone.git("switch", "--quiet", "--create", "pushed/life")
        first = clone.commit("a.txt", "1\n")
        self.assertEqual((0, {"refs/heads/pushed/life": ("*", "[new branch]")}), clone.push("origin", "HEAD"))
        self.assertEqual(first, self.sha(REFS, "heads/pushed/life"))
        second = clone.commit("a.txt", "2\n")
        self.assertEqual(0, clone.push("origin", "HEAD")[0])
        self.assertEqual(second, self.sha(REFS, "heads/pushed/life"))
        clone.git("reset", "--quiet", "--hard", first)
        third = clone.commit("a.txt", "3\n")
        code, results = clone.push("origin", "HEAD")
        self.assertEqual((1, "!"), (code, results["refs/heads/pushed/life"][0]))
        self.assertEqual(second, self.sha(REFS, "heads/pushed/life"))
        self.assertEqual(0, clone.push("--force", "origin", "HEAD")[0])
        self.assertEqual(third, self.sha(REFS, "heads/pushed/life"))
        self.assertEqual((0, {"refs/heads/pushed/life": ("-", "[deleted]")}), clone.push("--delete", "origin", "pushed/life"))
        self.assertEqual({}, self.refs(REFS, "heads/pushed/life"))

    def test_push_does_not_overwrite_unseen_commits(self):
        clone = self.clone(REFS, token=fixtures.HUBOT)
        clone.git("switch", "--quiet", "--create", "pushed/lease")
        old = clone.commit("b.txt", "1\n")
        clone.push("origin", "HEAD")
        other = self.clone(REFS, "--branch", "pushed/lease", name="other")
        theirs = other.commit("b.txt", "theirs\n")
        self.assertEqual(0, other.push("origin", "HEAD")[0])
        clone.commit("b.txt", "2\n")
        self.assertEqual("[rejected] (fetch first)", clone.push("origin", "HEAD")[1]["refs/heads/pushed/lease"][1])
        results = clone.push(f"--force-with-lease=pushed/lease:{old}", "origin", "HEAD")[1]
        self.assertEqual("[rejected] (stale info)", results["refs/heads/pushed/lease"][1])
        self.assertEqual(theirs, self.sha(REFS, "heads/pushed/lease"))

    def test_tags_are_pushed(self):
        clone = self.clone(REFS)
        clone.git("tag", "pushed-light")
        clone.git("tag", "--annotate", "--message", "Heavy", "pushed-heavy")
        self.assertEqual(0, clone.push("--tags", "origin")[0])
        types = [rest("GET", f"/repos/{REFS}/git/ref/tags/{name}")["object"]["type"] for name in ("pushed-light", "pushed-heavy")]
        self.assertEqual(["commit", "tag"], types)
        self.assertEqual(clone.head("pushed-heavy"), self.sha(REFS, "tags/pushed-heavy"))
        self.assertEqual(0, clone.push("--delete", "origin", "pushed-light", "pushed-heavy")[0])
        self.assertEqual({}, self.refs(REFS, "tags/pushed-"))

    def test_push_rejects_each_ref_separately(self):
        clone = self.clone(REFS)
        code, results = clone.push("origin", ":refs/heads/main", "HEAD:refs/pull/1/head", "HEAD:refs/heads/pushed/accepted", "HEAD:refs/heads/featureA/below")
        self.assertEqual(1, code)
        self.assertEqual("*", results["refs/heads/pushed/accepted"][0])
        self.assertEqual(("!", "[remote rejected] (cannot delete the default branch)"), results["refs/heads/main"])
        self.assertEqual(("!", "[remote rejected] (the name is reserved for the server)"), results["refs/pull/1/head"])
        self.assertEqual("!", results["refs/heads/featureA/below"][0])
        self.assertEqual(clone.head(), self.sha(REFS, "heads/pushed/accepted"))
        self.assertEqual(404, rest("GET", f"/repos/{REFS}/git/ref/heads/featureA/below"))

    def test_atomic_push_updates_all_refs_or_none(self):
        clone = self.clone(REFS)
        code, results = clone.push("--atomic", "origin", "HEAD:refs/heads/pushed/atomic", "HEAD:refs/pull/2/head")
        self.assertEqual((1, "!", "!"), (code, results["refs/heads/pushed/atomic"][0], results["refs/pull/2/head"][0]))
        self.assertEqual({}, self.refs(REFS, "heads/pushed/atomic"))
        self.assertEqual(0, clone.push("--atomic", "origin", "HEAD:refs/heads/pushed/atomic", "HEAD:refs/heads/pushed/atomic-too")[0])
        self.assertEqual(2, len(self.refs(REFS, "heads/pushed/atomic")))

    def test_first_push_fills_an_empty_repository(self):
        repo = f"{fixtures.OWNER}/part-02"
        self.assertEqual(409, rest("GET", f"/repos/{repo}/git/ref/heads/main"))
        clone = self.clone(repo)
        head = clone.commit("README.md", "# First\n")
        self.assertEqual(0, clone.push("--set-upstream", "origin", "main")[0])
        self.assertEqual(head, self.sha(repo, "heads/main"))
        self.assertEqual("main", rest("GET", f"/repos/{repo}")["default_branch"])
        self.assertEqual(head, self.clone(repo, name="again").head())

    def test_push_updates_the_pull_request_and_its_comments(self):
        clone = self.clone(HELLO, "--branch", "scratch", token=fixtures.HUBOT)
        head = clone.commit("notes.txt", "0\n1\n2\n3\n4\n5\n")
        body = {"body": "On 3", "commit_id": clone.head("HEAD~1"), "path": "notes.txt", "line": 3}
        comment = rest("POST", f"/repos/{HELLO}/pulls/{fixtures.WRITABLE}/comments", body)
        self.assertEqual(0, clone.push("origin", "HEAD")[0])
        self.assertEqual(head, rest("GET", f"/repos/{HELLO}/pulls/{fixtures.WRITABLE}")["head"]["sha"])
        moved = rest("GET", f"/repos/{HELLO}/pulls/comments/{comment['id']}")
        self.assertEqual((3, 4, head), (comment["line"], moved["line"], moved["commit_id"]))

    def test_large_chunked_push_is_complete(self):
        clone = self.clone(f"{fixtures.OWNER}/part-04", "-c", "http.postBuffer=65536")
        # Numbers that compress badly, the same in every run.
        head = clone.commit("numbers.txt", "".join(f"{number ** 5}\n" for number in range(150_000)))
        self.assertEqual(0, clone.push("origin", "HEAD:refs/heads/main")[0])
        self.assertEqual(head, self.clone(f"{fixtures.OWNER}/part-04", name="again").head())

    def test_push_from_a_shallow_clone_is_accepted(self):
        clone = self.clone(REFS, "--depth", "1")
        head = clone.commit("shallow.txt", "1\n")
        self.assertEqual(0, clone.push("origin", "HEAD:refs/heads/pushed/shallow")[0])
        self.assertEqual(head, self.sha(REFS, "heads/pushed/shallow"))

    def test_push_works_with_protocol_version_0(self):
        clone = self.clone(REFS, "-c", "protocol.version=0")
        head = clone.commit("old.txt", "0\n")
        self.assertEqual(0, clone.push(clone_url(REFS, fixtures.MONA), "HEAD:refs/heads/pushed/old-protocol")[0])
        self.assertEqual(head, self.sha(REFS, "heads/pushed/old-protocol"))
