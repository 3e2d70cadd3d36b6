"""PyGithub on references."""

from github import UnknownObjectException

import fixtures
from pygithub_client import PyGithubTestCase

HERE = f"{fixtures.OWNER}/{fixtures.REFS}"


class Refs(PyGithubTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.repo = cls.hubot.get_repo(HERE)

    def sha(self, ref):
        return self.repo.get_git_ref(ref).object.sha

    def make(self, name, sha=None):
        return self.repo.create_git_ref(f"refs/heads/made/{name}", sha or self.sha("heads/main"))

    def test_get_ref_returns_the_ref(self):
        ref = self.anonymous.get_repo(HERE).get_git_ref("heads/main")
        self.assertEqual("refs/heads/main", self.repo.get_git_ref("heads/main").raw_data["ref"])
        self.assertEqual("commit", ref.object.type)
        self.assertEqual(f"{fixtures.URL}/repos/{HERE}/git/commits/{ref.object.sha}", ref.object.url)
        self.assertEqual("refs/heads/odd/#50%-früh", self.repo.get_git_ref("heads/odd/#50%-früh").raw_data["ref"])

    def test_absent_ref_raises_unknown_object(self):
        for name in ("heads/nothing", "heads/feature", "heads"):
            with self.subTest(name):
                self.assert_error(404, "Not Found", self.repo.get_git_ref, name, kind=UnknownObjectException)

    def test_private_repository_is_hidden_from_strangers(self):
        self.assert_error(404, "Not Found", self.stranger.get_repo, f"{fixtures.OWNER}/{fixtures.SECRET}", kind=UnknownObjectException)
        self.assertTrue(self.mona.get_repo(f"{fixtures.OWNER}/{fixtures.SECRET}").private)

    def test_matching_refs_match_by_prefix(self):
        found = [ref.ref for ref in self.repo.get_git_matching_refs("heads/feature")]
        self.assertEqual(["refs/heads/feature/deep/down", "refs/heads/featureA", "refs/heads/featureB"], sorted(found))
        self.assertEqual([], list(self.repo.get_git_matching_refs("heads/no-such")))

    def test_matching_refs_are_not_paginated(self):
        self.assertEqual(fixtures.RELEASES, len(list(self.repo.get_git_matching_refs("tags/release"))))
        self.assertIn("refs/heads/main", [ref.ref for ref in self.repo.get_git_matching_refs("")])

    def test_all_refs_are_paginated(self):
        for size in (7, 100):
            repo = self.opened(fixtures.MONA, per_page=size).get_repo(HERE)
            names = [ref.ref for ref in repo.get_git_refs()]
            self.assertEqual(len(names), len(set(names)))
            self.assertGreater(len(names), fixtures.RELEASES)

    def test_branch_is_created_moved_and_deleted(self):
        main, ahead = self.sha("heads/main"), self.sha("heads/featureA")
        ref = self.make("hub", main)
        self.assertEqual(("refs/heads/made/hub", main), (ref.ref, ref.object.sha))
        ref.edit(ahead)
        self.assertEqual((ahead, ahead), (ref.object.sha, self.sha("heads/made/hub")))
        data = self.assert_error(422, "Update is not a fast forward", ref.edit, main)
        self.assertNotIn("errors", data)
        ref.edit(main, force=True)
        self.assertEqual(main, self.sha("heads/made/hub"))
        ref.delete()
        self.assert_error(404, "Not Found", self.repo.get_git_ref, "heads/made/hub", kind=UnknownObjectException)
        self.assert_error(422, "Reference does not exist", ref.delete)
        self.assert_error(422, "Reference does not exist", ref.edit, main)

    def test_create_ref_rejects_bad_name_or_target(self):
        main = self.sha("heads/main")
        for ref, sha, message in (
            ("heads/x", main, "Reference name must start with 'refs/'."),
            ("refs/nonsense", main, "Reference name must contain at least three slash-separated components."),
            ("refs/heads/made/x", fixtures.NO_SUCH_SHA, "Object does not exist"),
            ("refs/heads/main", main, "Reference already exists"),
        ):
            with self.subTest(ref):
                self.assert_error(422, message, self.repo.create_git_ref, ref, sha)

    def test_delete_ref_rejects_the_default_branch(self):
        self.assert_error(422, "Cannot delete the default branch", self.repo.get_git_ref("heads/main").delete)

    def test_empty_repository_is_a_conflict(self):
        empty = self.mona.get_repo(f"{fixtures.OWNER}/{fixtures.EMPTY}")
        text = "Git Repository is empty."
        self.assert_error(409, text, list, empty.get_git_matching_refs("heads"))
        self.assert_error(409, text, empty.get_git_ref, "heads/main")
        self.assert_error(409, text, empty.create_git_ref, "refs/heads/main", fixtures.NO_SUCH_SHA)

    def test_create_ref_rejects_strangers(self):
        repo = self.stranger.get_repo(HERE)
        self.assert_error(403, "Must have push access to repository", repo.create_git_ref, "refs/heads/made/never", self.sha("heads/main"))

    def test_update_reports_whether_something_changed(self):
        ref = self.make("watched")
        other = self.repo.get_git_ref("heads/made/watched")
        self.assertTrue(other.object.sha)
        self.assertFalse(other.update())
        ref.edit(self.sha("heads/featureA"))
        self.assertTrue(other.update())
        self.assertEqual(self.sha("heads/featureA"), other.object.sha)
