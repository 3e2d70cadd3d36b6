"""gh on references."""

import world
from program import HOST, Stories

HERE = f"repos/{world.OWNER}/{world.REFS}/git"
EMPTY = f"repos/{world.OWNER}/{world.EMPTY}/git"


class Refs(Stories):
    def sha(self, ref):
        return self.text(f"{HERE}/ref/{ref}", "--jq", ".object.sha").strip()

    def make(self, name, sha):
        return self.call(f"{HERE}/refs", "-f", f"ref=refs/heads/made/{name}", "-f", f"sha={sha}", token=world.HUBOT)

    def test_a_reference_is_read_with_and_without_a_token(self):
        for token in (world.MONA, None):
            ref = self.call(f"{HERE}/ref/heads/main", token=token)
            self.assertEqual("refs/heads/main", ref["ref"])
            self.assertEqual(f"https://{HOST}/api/v3/{HERE}/refs/heads/main", ref["url"])
        self.refused(404, "Not Found", f"{HERE}/ref/heads/nothing")

    def test_the_address_of_a_reference_leads_to_it(self):
        ref = self.call(f"{HERE}/ref/heads/odd/%2350%25-fr%C3%BCh")
        self.assertEqual("refs/heads/odd/#50%-früh", ref["ref"])
        self.assertEqual(ref, self.call(ref["url"]))

    def test_names_match_by_their_beginning(self):
        found = self.lines(f"{HERE}/matching-refs/heads/feature", "--jq", ".[].ref")
        self.assertEqual(["refs/heads/feature/deep/down", "refs/heads/featureA", "refs/heads/featureB"], sorted(found))
        self.assertEqual(world.RELEASES, len(self.lines(f"{HERE}/matching-refs/tags/release", "--paginate", "--jq", ".[].ref")))
        self.refused(409, "Git Repository is empty.", f"{EMPTY}/matching-refs/heads")

    def test_a_branch_is_made_moved_and_deleted(self):
        main, ahead = self.sha("heads/main"), self.sha("heads/featureA")
        self.assertEqual(main, self.make("gh", main)["object"]["sha"])
        moving = f"{HERE}/refs/heads/made/gh"
        self.assertEqual(ahead, self.call("-X", "PATCH", moving, "-f", f"sha={ahead}")["object"]["sha"])
        self.refused(422, "Update is not a fast forward", "-X", "PATCH", moving, "-f", f"sha={main}", "-F", "force=false")
        back = self.call("-X", "PATCH", moving, "-f", f"sha={main}", "-F", "force=true")
        self.assertEqual((main, main), (back["object"]["sha"], self.sha("heads/made/gh")))
        self.deleted(moving)
        self.refused(422, "Reference does not exist", "-X", "DELETE", moving)
        self.refused(422, "Reference does not exist", "-X", "PATCH", moving, "-f", f"sha={main}")

    def test_the_default_branch_stays(self):
        self.refused(422, "Cannot delete the default branch", "-X", "DELETE", f"{HERE}/refs/heads/main")

    def test_a_bad_name_or_target_is_refused(self):
        main = self.sha("heads/main")
        for ref, sha, message in (
            ("heads/x", main, "Reference name must start with 'refs/'."),
            ("refs/heads/made/x", world.NO_SUCH_SHA, "Object does not exist"),
            ("refs/heads/main", main, "Reference already exists"),
            ("refs/heads/made/x", "abc", "Invalid request.\n\nAt least 40 characters are required; only 3 were supplied."),
        ):
            with self.subTest(ref):
                self.refused(422, message, f"{HERE}/refs", "-f", f"ref={ref}", "-f", f"sha={sha}")

    def test_what_is_unchanged_is_not_sent_again(self):
        self.not_modified(f"{HERE}/ref/heads/featureB")
        self.not_modified(f"{HERE}/matching-refs/tags/release")
