"""githubkit on references."""

import world
from kit import Stories

HERE = (world.OWNER, world.REFS)


class Refs(Stories):
    def sha(self, ref):
        return self.mona.rest.git.get_ref(*HERE, ref).parsed_data.object_.sha

    def make(self, name, sha=None):
        sha = sha or self.sha("heads/main")
        return self.hubot.rest.git.create_ref(*HERE, ref=f"refs/heads/{name}", sha=sha).parsed_data

    def test_a_reference_is_read_by_anyone_when_its_repository_is_public(self):
        ref = self.anonymous.rest.git.get_ref(*HERE, "heads/main").parsed_data
        self.assertEqual("refs/heads/main", ref.ref)
        self.assertEqual("commit", ref.object_.type)
        self.assertEqual(f"{world.URL}/repos/octo-org/refs/git/refs/heads/main", ref.url)
        self.assertEqual(f"{world.URL}/repos/octo-org/refs/git/commits/{ref.object_.sha}", ref.object_.url)

    def test_names_with_slashes_and_special_letters_are_found(self):
        for name in ("feature/deep/down", "odd/%2350%25-fr%C3%BCh", "odd%2F%2350%25-fr%C3%BCh"):
            with self.subTest(name):
                ref = self.mona.rest.git.get_ref(*HERE, f"heads/{name}").parsed_data
                self.assertIn(ref.ref, ("refs/heads/feature/deep/down", "refs/heads/odd/#50%-früh"))
                self.assertEqual(ref, self.mona.request("GET", ref.url, response_model=type(ref)).parsed_data)

    def test_an_annotated_tag_is_a_tag_and_a_light_one_a_commit(self):
        types = [self.mona.rest.git.get_ref(world.OWNER, world.HELLO, f"tags/{tag}").parsed_data.object_.type
                 for tag in ("v1", "v1-light")]
        self.assertEqual(["tag", "commit"], types)

    def test_what_is_not_there_is_not_found(self):
        for name in ("heads/nothing", "heads/feature", "heads", self.sha("heads/main")):
            with self.subTest(name):
                self.refused(404, "Not Found", self.mona.rest.git.get_ref, *HERE, name)

    def test_a_private_repository_does_not_exist_for_a_stranger(self):
        # Both clients share one cache, in which the answer to the one must not be found by the other.
        self.assertEqual("refs/heads/main", self.mona.rest.git.get_ref(world.OWNER, world.SECRET, "heads/main").parsed_data.ref)
        get = self.stranger.rest.git.get_ref
        hidden = self.refused(404, "Not Found", get, world.OWNER, world.SECRET, "heads/main")
        absent = self.refused(404, "Not Found", get, world.OWNER, "no-such-repository", "heads/main")
        self.assertEqual(hidden, absent)

    def test_names_match_by_their_beginning(self):
        found = self.mona.rest.git.list_matching_refs(*HERE, "heads/feature").parsed_data
        self.assertEqual(["refs/heads/feature/deep/down", "refs/heads/featureA", "refs/heads/featureB"],
                         sorted(ref.ref for ref in found if "made" not in ref.ref))
        self.assertEqual([], self.mona.rest.git.list_matching_refs(*HERE, "heads/no-such").parsed_data)

    def test_matching_references_come_all_at_once(self):
        answer = self.mona.rest.git.list_matching_refs(*HERE, "tags/release")
        self.assertEqual(world.RELEASES, len(answer.parsed_data))
        self.assertNotIn("link", answer.headers)
        paged = self.mona.rest.paginate(self.mona.rest.git.list_matching_refs, None, *HERE, "tags/release")
        self.assertEqual(world.RELEASES, len(list(paged)))
        every = {ref.ref for ref in self.mona.rest.git.list_matching_refs(*HERE, "").parsed_data}
        self.assertLess({"refs/heads/main", "refs/tags/release/r001"}, every)

    def test_a_repository_without_a_commit_is_a_conflict(self):
        git = self.mona.rest.git
        there = (world.OWNER, world.EMPTY)
        text = "Git Repository is empty."
        self.refused(409, text, git.get_ref, *there, "heads/main")
        self.refused(409, text, git.list_matching_refs, *there, "heads")
        self.refused(409, text, git.create_ref, *there, ref="refs/heads/a", sha=world.NO_SUCH_SHA)
        self.refused(409, text, git.update_ref, *there, "heads/main", sha=world.NO_SUCH_SHA)
        self.refused(409, text, git.delete_ref, *there, "heads/main")

    def test_a_branch_is_made_and_is_there_at_once(self):
        answer = self.hubot.rest.git.create_ref(*HERE, ref="refs/heads/made/kit", sha=self.sha("heads/main"))
        self.assertEqual(201, answer.status_code)
        self.assertEqual(answer.parsed_data.url, answer.headers["location"])
        self.assertEqual(answer.parsed_data, self.mona.rest.git.get_ref(*HERE, "heads/made/kit").parsed_data)

    def test_a_new_name_must_be_a_good_one_and_lead_somewhere(self):
        create = self.careless.rest.git.create_ref
        main = self.sha("heads/main")
        for ref, sha, message in (
            ("heads/x", main, "Reference name must start with 'refs/'."),
            ("refs/nonsense", main, "Reference name must contain at least three slash-separated components."),
            ("refs/heads/a..b", main, "refs/heads/a..b is not a valid ref name."),
            ("refs/heads/new", world.NO_SUCH_SHA, "Object does not exist"),
            ("refs/heads/main", main, "Reference already exists"),
            ("refs/heads/main/below", main, "Reference update failed"),
            ("refs/heads/new", "abc", "Invalid request.\n\nAt least 40 characters are required; only 3 were supplied."),
        ):
            with self.subTest(ref, sha=sha):
                body = self.refused(422, message, create, *HERE, ref=ref, sha=sha)
                self.assertNotIn("errors", body)
        self.refused(422, "Invalid request.\n\n\"sha\" wasn't supplied.", create, *HERE, ref="refs/heads/new")

    def test_a_branch_moves_forward_and_back_only_by_force(self):
        update = self.hubot.rest.git.update_ref
        main, ahead = self.sha("heads/main"), self.sha("heads/featureA")
        self.make("made/moving", main)
        self.assertEqual(ahead, update(*HERE, "heads/made/moving", sha=ahead).parsed_data.object_.sha)
        self.refused(422, "Update is not a fast forward", update, *HERE, "heads/made/moving", sha=main)
        self.assertEqual(ahead, self.sha("heads/made/moving"))
        self.assertEqual(main, update(*HERE, "heads/made/moving", sha=main, force=True).parsed_data.object_.sha)

    def test_what_is_not_there_is_not_moved(self):
        update = self.hubot.rest.git.update_ref
        main = self.sha("heads/main")
        self.refused(422, "Reference does not exist", update, *HERE, "heads/nothing", sha=main)
        self.refused(422, "Object does not exist", update, *HERE, "heads/main", sha=world.NO_SUCH_SHA)

    def test_a_deleted_branch_is_gone_and_the_default_branch_stays(self):
        delete = self.hubot.rest.git.delete_ref
        self.make("made/short-lived")
        self.assertEqual(204, delete(*HERE, "heads/made/short-lived").status_code)
        self.refused(404, "Not Found", self.mona.rest.git.get_ref, *HERE, "heads/made/short-lived")
        self.refused(422, "Reference does not exist", delete, *HERE, "heads/made/short-lived")
        self.refused(422, "Cannot delete the default branch", delete, *HERE, "heads/main")

    def test_writing_needs_a_credential_and_a_right(self):
        words = {"ref": "refs/heads/made/never", "sha": self.sha("heads/main")}
        self.refused(401, "Requires authentication", self.anonymous.rest.git.create_ref, *HERE, **words)
        self.refused(403, "Must have push access to repository", self.stranger.rest.git.create_ref, *HERE, **words)

    def test_an_unchanged_reference_is_not_sent_again(self):
        self.make("made/tagged")
        self.not_modified(self.uncached.rest.git.get_ref, *HERE, "heads/made/tagged")
        self.not_modified(self.uncached.rest.git.list_matching_refs, *HERE, "heads/made/tagged")

    def test_the_cache_of_the_client_sees_a_moved_branch(self):
        main, ahead = self.sha("heads/main"), self.sha("heads/featureA")
        self.make("made/cached", main)
        read = lambda: self.mona.rest.git.get_ref(*HERE, "heads/made/cached")
        self.assertFalse(read().raw_response.extensions["hishel_from_cache"])
        again = read()
        self.assertTrue(again.raw_response.extensions["hishel_from_cache"])
        self.assertEqual(main, again.parsed_data.object_.sha)
        self.mona.rest.git.update_ref(*HERE, "heads/made/cached", sha=ahead)
        moved = read()
        self.assertFalse(moved.raw_response.extensions["hishel_from_cache"])
        self.assertEqual(ahead, moved.parsed_data.object_.sha)
