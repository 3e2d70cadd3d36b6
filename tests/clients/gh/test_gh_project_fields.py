"""gh on the fields of projects."""

import json

import world
from program import Stories

ORG = f"orgs/{world.ORG}/projectsV2"
USER = f"users/{world.USER}/projectsV2"
# The tokens have `project`, of which this version of gh does not know that it includes the other.
MISSED = "read:project"


class ProjectFields(Stories):
    def test_cursors_are_followed_to_the_end(self):
        for address, count in ((f"{ORG}/{world.ROADMAP}", world.ROADMAP_FIELDS), (f"{USER}/{world.MINE}", 35)):
            whole = self.lines(f"{address}/fields", "--paginate", "--jq", ".[].id")
            self.assertEqual(count, len(whole))
            for size in (1, 9, 40):
                with self.subTest(address, size=size):
                    self.assertEqual(whole, self.lines(f"{address}/fields?per_page={size}", "--paginate", "--jq", ".[].id"))

    def test_one_field_is_read_as_it_is_listed(self):
        for address in (f"{ORG}/{world.ROADMAP}/fields", f"{USER}/{world.MINE}/fields"):
            listed = self.call(address)[2]
            self.assertEqual(listed, self.call(f"{address}/{listed['id']}", token=world.HUBOT))
            self.refused(404, "Not Found", f"{address}/{world.NO_SUCH_ID}", scope=MISSED)

    def test_projects_that_are_hidden_or_absent_are_not_found(self):
        self.refused(404, "Not Found", f"{ORG}/{world.BEHIND_DOORS}/fields", token=world.STRANGER, scope=MISSED)
        self.refused(404, "Not Found", f"{USER}/{world.MONA_ALONE}/fields", token=world.STRANGER, scope=MISSED)
        self.refused(404, "Not Found", f"{ORG}/99/fields", scope=MISSED)

    def test_fields_are_added_from_words_and_from_a_file(self):
        address = f"{ORG}/{world.BEHIND_DOORS}/fields"
        text = self.call(address, "-f", "name=Gh text", "-f", "data_type=text")
        self.assertEqual(("Gh text", "text"), (text["name"], text["data_type"]))
        sprints = {"start_date": "2026-03-02", "duration": 7, "iterations": [{"title": "One", "start_date": "2026-03-02", "duration": 7}]}
        body = {"name": "Gh sprints", "data_type": "iteration", "iteration_configuration": sprints}
        added = self.call(address, "--input", "-", stdin=json.dumps(body))
        self.assertEqual("One", added["configuration"]["iterations"][0]["title"]["raw"])
        number = self.text(f"orgs/{world.ORG}/issue-fields", "--jq", '.[] | select(.name == "Due") | .id').strip()
        followed = self.call(address, "-F", f"issue_field_id={number}")
        self.assertEqual(("Due", "date", int(number)), (followed["name"], followed["data_type"], followed["issue_field_id"]))

    def test_options_are_added_by_nested_words(self):
        words = [word for name in ("Yes", "No") for part in (f"name={name}", "color=GREEN", "description=")
                 for word in ("-f", "single_select_options[]" + "[{}]={}".format(*part.split("=")))]
        added = self.call(f"{USER}/{world.MONA_ALONE}/fields", "-f", "name=Gh choice", "-f", "data_type=single_select", *words)
        self.assertEqual(["Yes", "No"], [option["name"]["raw"] for option in added["options"]])

    def test_a_wrong_field_is_refused(self):
        body = self.refused(422, "Validation Failed", f"{ORG}/{world.ROADMAP}/fields", "-f", "name=Points", "-f", "data_type=text")
        self.assertEqual("already_exists", body["errors"][0]["code"])
        self.refused(422, "Validation Failed", f"{USER}/{world.MINE}/fields", "-f", "name=Title", "-f", "data_type=text")

    def test_adding_needs_a_right(self):
        words = ("-f", "name=Never", "-f", "data_type=text")
        text = "Must have write access to the project"
        self.refused(403, text, f"{ORG}/{world.ROADMAP}/fields", *words, token=world.STRANGER)
        self.refused(403, text, f"{USER}/{world.MINE}/fields", *words, token=world.HUBOT)
        self.refused(401, "Requires authentication", f"{ORG}/{world.ROADMAP}/fields", *words, token=None)

    def test_what_is_unchanged_is_not_sent_again(self):
        self.not_modified(f"{ORG}/{world.ROADMAP}/fields?per_page=3")
        self.not_modified(f"{USER}/{world.MINE}/fields?per_page=3")
