"""gh on references."""

import fixtures
from program import HOST, GhTestCase

HERE = f"repos/{fixtures.OWNER}/{fixtures.REFS}/git"
EMPTY = f"repos/{fixtures.OWNER}/{fixtures.EMPTY}/git"


class Refs(GhTestCase):
    def sha(self, ref):
        return self.text(f"{HERE}/ref/{ref}", "--jq", ".object.sha").strip()

    def make(self, name, sha):
        return self.call(f"{HERE}/refs", "-f", f"ref=refs/heads/made/{name}", "-f", f"sha={sha}", token=fixtures.HUBOT)

    def test_public_ref_is_readable_with_and_without_a_token(self):
        for token in (fixtures.MONA, None):
            ref = self.call(f"{HERE}/ref/heads/main", token=token)
            self.assertEqual("refs/heads/main", ref["ref"])
            self.assertEqual(f"https://{HOST}/api/v3/{HERE}/refs/heads/main", ref["url"])
        self.assert_error(404, "Not Found", f"{HERE}/ref/heads/nothing")

    def test_url_of_a_ref_returns_the_ref(self):
        ref = self.call(f"{HERE}/ref/heads/odd/%2350%25-fr%C3%BCh")
        self.assertEqual("refs/heads/odd/#50%-früh", ref["ref"])
        self.assertEqual(ref, self.call(ref["url"]))

    def test_matching_refs_match_by_prefix(self):
        found = self.lines(f"{HERE}/matching-refs/heads/feature", "--jq", ".[].ref")
        self.assertEqual(["refs/heads/feature/deep/down", "refs/heads/featureA", "refs/heads/featureB"], sorted(found))
        self.assertEqual(fixtures.RELEASES, len(self.lines(f"{HERE}/matching-refs/tags/release", "--paginate", "--jq", ".[].ref")))
        self.assert_error(409, "Git Repository is empty.", f"{EMPTY}/matching-refs/heads")

    def test_branch_is_created_moved_and_deleted(self):
        main, ahead = self.sha("heads/main"), self.sha("heads/featureA")
        self.assertEqual(main, self.make("gh", main)["object"]["sha"])
        moving = f"{HERE}/refs/heads/made/gh"
        self.assertEqual(ahead, self.call("-X", "PATCH", moving, "-f", f"sha={ahead}")["object"]["sha"])
        self.assert_error(422, "Update is not a fast forward", "-X", "PATCH", moving, "-f", f"sha={main}", "-F", "force=false")
        back = self.call("-X", "PATCH", moving, "-f", f"sha={main}", "-F", "force=true")
        self.assertEqual((main, main), (back["object"]["sha"], self.sha("heads/made/gh")))
        self.deleted(moving)
        self.assert_error(422, "Reference does not exist", "-X", "DELETE", moving)
        self.assert_error(422, "Reference does not exist", "-X", "PATCH", moving, "-f", f"sha={main}")

    def test_delete_ref_rejects_the_default_branch(self):
        self.assert_error(422, "Cannot delete the default branch", "-X", "DELETE", f"{HERE}/refs/heads/main")

    def test_create_ref_rejects_bad_name_or_target(self):
        main = self.sha("heads/main")
        for ref, sha, message in (
            ("heads/x", main, "Reference name must start with 'refs/'."),
            ("refs/heads/made/x", fixtures.NO_SUCH_SHA, "Object does not exist"),
            ("refs/heads/main", main, "Reference already exists"),
            ("refs/heads/made/x", "abc", "Invalid request.\n\nAt least 40 characters are required; only 3 were supplied."),
        ):
            with self.subTest(ref):
                self.assert_error(422, message, f"{HERE}/refs", "-f", f"ref={ref}", "-f", f"sha={sha}")

    def test_unchanged_responses_are_not_modified(self):
        self.assert_not_modified(f"{HERE}/ref/heads/featureB")
        self.assert_not_modified(f"{HERE}/matching-refs/tags/release")
