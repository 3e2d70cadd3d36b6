"""Pushing with git, and what the API says then."""

import world
from program import Stories, address, rest

REFS = f"{world.OWNER}/{world.REFS}"
HELLO = f"{world.OWNER}/{world.HELLO}"


class Pushing(Stories):
    def test_a_branch_is_made_moved_forced_and_deleted(self):
        clone = self.clone(REFS, token=world.HUBOT)
        clone.git("switch", "--quiet", "--create", "pushed/life")
        first = clone.commit("a.txt", "1\n")
        self.assertEqual((0, {"refs/heads/pushed/life": ("*", "[new branch]")}), clone.push("origin", "HEAD"))
        self.assertEqual(first, self.sha(REFS, "heads/pushed/life"))
        second = clone.commit("a.txt", "2\n")
        self.assertEqual(0, clone.push("origin", "HEAD")[0])
        self.assertEqual(second, self.sha(REFS, "heads/pushed/life"))
        clone.git("reset", "--quiet", "--hard", first)
        third = clone.commit("a.txt", "3\n")
        code, told = clone.push("origin", "HEAD")
        self.assertEqual((1, "!"), (code, told["refs/heads/pushed/life"][0]))
        self.assertEqual(second, self.sha(REFS, "heads/pushed/life"))
        self.assertEqual(0, clone.push("--force", "origin", "HEAD")[0])
        self.assertEqual(third, self.sha(REFS, "heads/pushed/life"))
        self.assertEqual((0, {"refs/heads/pushed/life": ("-", "[deleted]")}), clone.push("--delete", "origin", "pushed/life"))
        self.assertEqual({}, self.refs(REFS, "heads/pushed/life"))

    def test_what_others_moved_meanwhile_is_not_overwritten(self):
        clone = self.clone(REFS, token=world.HUBOT)
        clone.git("switch", "--quiet", "--create", "pushed/lease")
        old = clone.commit("b.txt", "1\n")
        clone.push("origin", "HEAD")
        other = self.clone(REFS, "--branch", "pushed/lease", name="other")
        theirs = other.commit("b.txt", "theirs\n")
        self.assertEqual(0, other.push("origin", "HEAD")[0])
        clone.commit("b.txt", "2\n")
        self.assertEqual("[rejected] (fetch first)", clone.push("origin", "HEAD")[1]["refs/heads/pushed/lease"][1])
        told = clone.push(f"--force-with-lease=pushed/lease:{old}", "origin", "HEAD")[1]
        self.assertEqual("[rejected] (stale info)", told["refs/heads/pushed/lease"][1])
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

    def test_each_name_is_refused_by_itself(self):
        clone = self.clone(REFS)
        code, told = clone.push("origin", ":refs/heads/main", "HEAD:refs/pull/1/head", "HEAD:refs/heads/pushed/beside", "HEAD:refs/heads/featureA/below")
        self.assertEqual(1, code)
        self.assertEqual("*", told["refs/heads/pushed/beside"][0])
        self.assertEqual(("!", "[remote rejected] (cannot delete the default branch)"), told["refs/heads/main"])
        self.assertEqual(("!", "[remote rejected] (the name is reserved for the server)"), told["refs/pull/1/head"])
        self.assertEqual("!", told["refs/heads/featureA/below"][0])
        self.assertEqual(clone.head(), self.sha(REFS, "heads/pushed/beside"))
        self.assertEqual(404, rest("GET", f"/repos/{REFS}/git/ref/heads/featureA/below"))

    def test_an_atomic_push_is_all_or_nothing(self):
        clone = self.clone(REFS)
        code, told = clone.push("--atomic", "origin", "HEAD:refs/heads/pushed/atomic", "HEAD:refs/pull/2/head")
        self.assertEqual((1, "!", "!"), (code, told["refs/heads/pushed/atomic"][0], told["refs/pull/2/head"][0]))
        self.assertEqual({}, self.refs(REFS, "heads/pushed/atomic"))
        self.assertEqual(0, clone.push("--atomic", "origin", "HEAD:refs/heads/pushed/atomic", "HEAD:refs/heads/pushed/atomic-too")[0])
        self.assertEqual(2, len(self.refs(REFS, "heads/pushed/atomic")))

    def test_a_first_push_fills_an_empty_repository(self):
        repo = f"{world.OWNER}/part-02"
        self.assertEqual(409, rest("GET", f"/repos/{repo}/git/ref/heads/main"))
        clone = self.clone(repo)
        head = clone.commit("README.md", "# First\n")
        self.assertEqual(0, clone.push("--set-upstream", "origin", "main")[0])
        self.assertEqual(head, self.sha(repo, "heads/main"))
        self.assertEqual("main", rest("GET", f"/repos/{repo}")["default_branch"])
        self.assertEqual(head, self.clone(repo, name="again").head())

    def test_a_pull_request_follows_its_branch(self):
        clone = self.clone(HELLO, "--branch", "scratch", token=world.HUBOT)
        head = clone.commit("notes.txt", "0\n1\n2\n3\n4\n5\n")
        body = {"body": "On 3", "commit_id": clone.head("HEAD~1"), "path": "notes.txt", "line": 3}
        comment = rest("POST", f"/repos/{HELLO}/pulls/{world.WRITABLE}/comments", body)
        self.assertEqual(0, clone.push("origin", "HEAD")[0])
        self.assertEqual(head, rest("GET", f"/repos/{HELLO}/pulls/{world.WRITABLE}")["head"]["sha"])
        moved = rest("GET", f"/repos/{HELLO}/pulls/comments/{comment['id']}")
        self.assertEqual((3, 4, head), (comment["line"], moved["line"], moved["commit_id"]))

    def test_a_large_push_comes_in_pieces_and_is_whole(self):
        clone = self.clone(f"{world.OWNER}/part-04", "-c", "http.postBuffer=65536")
        # Numbers that do not compress to nothing, the same in every run.
        head = clone.commit("numbers.txt", "".join(f"{number ** 5}\n" for number in range(150_000)))
        self.assertEqual(0, clone.push("origin", "HEAD:refs/heads/main")[0])
        self.assertEqual(head, self.clone(f"{world.OWNER}/part-04", name="again").head())

    def test_a_push_from_a_shallow_clone_is_taken(self):
        clone = self.clone(REFS, "--depth", "1")
        head = clone.commit("shallow.txt", "1\n")
        self.assertEqual(0, clone.push("origin", "HEAD:refs/heads/pushed/shallow")[0])
        self.assertEqual(head, self.sha(REFS, "heads/pushed/shallow"))

    def test_the_older_protocol_pushes_as_well(self):
        clone = self.clone(REFS, "-c", "protocol.version=0")
        head = clone.commit("old.txt", "0\n")
        self.assertEqual(0, clone.push(address(REFS, world.MONA), "HEAD:refs/heads/pushed/old-protocol")[0])
        self.assertEqual(head, self.sha(REFS, "heads/pushed/old-protocol"))
