"""githubkit on references."""

import fixtures
from githubkit_client import GithubkitTestCase

HERE = (fixtures.OWNER, fixtures.REFS)


class Refs(GithubkitTestCase):
    def sha(self, ref):
        return self.mona.rest.git.get_ref(*HERE, ref).parsed_data.object_.sha

    def make(self, name, sha=None):
        sha = sha or self.sha("heads/main")
        return self.hubot.rest.git.create_ref(*HERE, ref=f"refs/heads/{name}", sha=sha).parsed_data

    def test_public_ref_is_readable_by_anyone(self):
        ref = self.anonymous.rest.git.get_ref(*HERE, "heads/main").parsed_data
        self.assertEqual("refs/heads/main", ref.ref)
        self.assertEqual("commit", ref.object_.type)
        self.assertEqual(f"{fixtures.URL}/repos/octo-org/refs/git/refs/heads/main", ref.url)
        self.assertEqual(f"{fixtures.URL}/repos/octo-org/refs/git/commits/{ref.object_.sha}", ref.object_.url)

    def test_ref_names_with_slashes_and_special_characters_are_found(self):
        for name in ("feature/deep/down", "odd/%2350%25-fr%C3%BCh", "odd%2F%2350%25-fr%C3%BCh"):
            with self.subTest(name):
                ref = self.mona.rest.git.get_ref(*HERE, f"heads/{name}").parsed_data
                self.assertIn(ref.ref, ("refs/heads/feature/deep/down", "refs/heads/odd/#50%-früh"))
                self.assertEqual(ref, self.mona.request("GET", ref.url, response_model=type(ref)).parsed_data)

    def test_annotated_tag_has_type_tag_and_lightweight_tag_has_type_commit(self):
        types = [self.mona.rest.git.get_ref(fixtures.OWNER, fixtures.HELLO, f"tags/{tag}").parsed_data.object_.type
                 for tag in ("v1", "v1-light")]
        self.assertEqual(["tag", "commit"], types)

    def test_absent_ref_is_not_found(self):
        for name in ("heads/nothing", "heads/feature", "heads", self.sha("heads/main")):
            with self.subTest(name):
                self.assert_error(404, "Not Found", self.mona.rest.git.get_ref, *HERE, name)

    def test_private_repository_is_hidden_from_strangers(self):
        # Both clients share one cache, in which one must not find the response to the other.
        self.assertEqual("refs/heads/main", self.mona.rest.git.get_ref(fixtures.OWNER, fixtures.SECRET, "heads/main").parsed_data.ref)
        get = self.stranger.rest.git.get_ref
        hidden = self.assert_error(404, "Not Found", get, fixtures.OWNER, fixtures.SECRET, "heads/main")
        absent = self.assert_error(404, "Not Found", get, fixtures.OWNER, "no-such-repository", "heads/main")
        self.assertEqual(hidden, absent)

    def test_matching_refs_match_by_prefix(self):
        found = self.mona.rest.git.list_matching_refs(*HERE, "heads/feature").parsed_data
        self.assertEqual(["refs/heads/feature/deep/down", "refs/heads/featureA", "refs/heads/featureB"],
                         sorted(ref.ref for ref in found if "made" not in ref.ref))
        self.assertEqual([], self.mona.rest.git.list_matching_refs(*HERE, "heads/no-such").parsed_data)

    def test_matching_refs_are_not_paginated(self):
        response = self.mona.rest.git.list_matching_refs(*HERE, "tags/release")
        self.assertEqual(fixtures.RELEASES, len(response.parsed_data))
        self.assertNotIn("link", response.headers)
        paged = self.mona.rest.paginate(self.mona.rest.git.list_matching_refs, None, *HERE, "tags/release")
        self.assertEqual(fixtures.RELEASES, len(list(paged)))
        every = {ref.ref for ref in self.mona.rest.git.list_matching_refs(*HERE, "").parsed_data}
        self.assertLess({"refs/heads/main", "refs/tags/release/r001"}, every)

    def test_empty_repository_is_a_conflict(self):
        git = self.mona.rest.git
        there = (fixtures.OWNER, fixtures.EMPTY)
        text = "Git Repository is empty."
        self.assert_error(409, text, git.get_ref, *there, "heads/main")
        self.assert_error(409, text, git.list_matching_refs, *there, "heads")
        self.assert_error(409, text, git.create_ref, *there, ref="refs/heads/a", sha=fixtures.NO_SUCH_SHA)
        self.assert_error(409, text, git.update_ref, *there, "heads/main", sha=fixtures.NO_SUCH_SHA)
        self.assert_error(409, text, git.delete_ref, *there, "heads/main")

    def test_created_branch_is_visible_at_once(self):
        response = self.hubot.rest.git.create_ref(*HERE, ref="refs/heads/made/kit", sha=self.sha("heads/main"))
        self.assertEqual(201, response.status_code)
        self.assertEqual(response.parsed_data.url, response.headers["location"])
        self.assertEqual(response.parsed_data, self.mona.rest.git.get_ref(*HERE, "heads/made/kit").parsed_data)

    def test_create_ref_rejects_invalid_names_and_targets(self):
        create = self.without_validation.rest.git.create_ref
        main = self.sha("heads/main")
        for ref, sha, message in (
            ("heads/x", main, "Reference name must start with 'refs/'."),
            ("refs/nonsense", main, "Reference name must contain at least three slash-separated components."),
            ("refs/heads/a..b", main, "refs/heads/a..b is not a valid ref name."),
            ("refs/heads/new", fixtures.NO_SUCH_SHA, "Object does not exist"),
            ("refs/heads/main", main, "Reference already exists"),
            ("refs/heads/main/below", main, "Reference update failed"),
            ("refs/heads/new", "abc", "Invalid request.\n\nAt least 40 characters are required; only 3 were supplied."),
        ):
            with self.subTest(ref, sha=sha):
                body = self.assert_error(422, message, create, *HERE, ref=ref, sha=sha)
                self.assertNotIn("errors", body)
        self.assert_error(422, "Invalid request.\n\n\"sha\" wasn't supplied.", create, *HERE, ref="refs/heads/new")

    def test_branch_moves_back_only_with_force(self):
        update = self.hubot.rest.git.update_ref
        main, ahead = self.sha("heads/main"), self.sha("heads/featureA")
        self.make("made/moving", main)
        self.assertEqual(ahead, update(*HERE, "heads/made/moving", sha=ahead).parsed_data.object_.sha)
        self.assert_error(422, "Update is not a fast forward", update, *HERE, "heads/made/moving", sha=main)
        self.assertEqual(ahead, self.sha("heads/made/moving"))
        self.assertEqual(main, update(*HERE, "heads/made/moving", sha=main, force=True).parsed_data.object_.sha)

    def test_update_ref_rejects_absent_refs_and_objects(self):
        update = self.hubot.rest.git.update_ref
        main = self.sha("heads/main")
        self.assert_error(422, "Reference does not exist", update, *HERE, "heads/nothing", sha=main)
        self.assert_error(422, "Object does not exist", update, *HERE, "heads/main", sha=fixtures.NO_SUCH_SHA)

    def test_deleted_branch_is_gone_and_default_branch_cannot_be_deleted(self):
        delete = self.hubot.rest.git.delete_ref
        self.make("made/short-lived")
        self.assertEqual(204, delete(*HERE, "heads/made/short-lived").status_code)
        self.assert_error(404, "Not Found", self.mona.rest.git.get_ref, *HERE, "heads/made/short-lived")
        self.assert_error(422, "Reference does not exist", delete, *HERE, "heads/made/short-lived")
        self.assert_error(422, "Cannot delete the default branch", delete, *HERE, "heads/main")

    def test_create_ref_requires_credential_and_push_access(self):
        fields = {"ref": "refs/heads/made/never", "sha": self.sha("heads/main")}
        self.assert_error(401, "Requires authentication", self.anonymous.rest.git.create_ref, *HERE, **fields)
        self.assert_error(403, "Must have push access to repository", self.stranger.rest.git.create_ref, *HERE, **fields)

    def test_unchanged_ref_is_not_modified(self):
        self.make("made/tagged")
        self.assert_not_modified(self.uncached.rest.git.get_ref, *HERE, "heads/made/tagged")
        self.assert_not_modified(self.uncached.rest.git.list_matching_refs, *HERE, "heads/made/tagged")

    def test_client_cache_notices_a_moved_branch(self):
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
