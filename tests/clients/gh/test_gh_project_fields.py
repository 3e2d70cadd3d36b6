"""gh on the fields of projects."""

import json

import fixtures
from program import GhTestCase

ORG = f"orgs/{fixtures.ORG}/projectsV2"
USER = f"users/{fixtures.USER}/projectsV2"
# The tokens have `project`; gh does not know that it includes this scope.
MISSED = "read:project"


class ProjectFields(GhTestCase):
    def test_cursors_lead_to_the_last_page(self):
        for path, count in ((f"{ORG}/{fixtures.ROADMAP}", fixtures.ROADMAP_FIELDS), (f"{USER}/{fixtures.MINE}", 35)):
            whole = self.lines(f"{path}/fields", "--paginate", "--jq", ".[].id")
            self.assertEqual(count, len(whole))
            for size in (1, 9, 40):
                with self.subTest(path, size=size):
                    self.assertEqual(whole, self.lines(f"{path}/fields?per_page={size}", "--paginate", "--jq", ".[].id"))

    def test_get_field_equals_the_listed_field(self):
        for path in (f"{ORG}/{fixtures.ROADMAP}/fields", f"{USER}/{fixtures.MINE}/fields"):
            listed = self.call(path)[2]
            self.assertEqual(listed, self.call(f"{path}/{listed['id']}", token=fixtures.HUBOT))
            self.assert_error(404, "Not Found", f"{path}/{fixtures.NO_SUCH_ID}", scope=MISSED)

    def test_hidden_or_absent_projects_are_not_found(self):
        self.assert_error(404, "Not Found", f"{ORG}/{fixtures.BEHIND_DOORS}/fields", token=fixtures.STRANGER, scope=MISSED)
        self.assert_error(404, "Not Found", f"{USER}/{fixtures.MONA_ALONE}/fields", token=fixtures.STRANGER, scope=MISSED)
        self.assert_error(404, "Not Found", f"{ORG}/99/fields", scope=MISSED)

    def test_fields_are_added_from_arguments_and_from_a_file(self):
        path = f"{ORG}/{fixtures.BEHIND_DOORS}/fields"
        text = self.call(path, "-f", "name=Gh text", "-f", "data_type=text")
        self.assertEqual(("Gh text", "text"), (text["name"], text["data_type"]))
        sprints = {"start_date": "2026-03-02", "duration": 7, "iterations": [{"title": "One", "start_date": "2026-03-02", "duration": 7}]}
        body = {"name": "Gh sprints", "data_type": "iteration", "iteration_configuration": sprints}
        added = self.call(path, "--input", "-", stdin=json.dumps(body))
        self.assertEqual("One", added["configuration"]["iterations"][0]["title"]["raw"])
        number = self.text(f"orgs/{fixtures.ORG}/issue-fields", "--jq", '.[] | select(.name == "Due") | .id').strip()
        mirror = self.call(path, "-F", f"issue_field_id={number}")
        self.assertEqual(("Due", "date", int(number)), (mirror["name"], mirror["data_type"], mirror["issue_field_id"]))

    def test_options_are_added_with_nested_arguments(self):
        arguments = [word for name in ("Yes", "No") for part in (f"name={name}", "color=GREEN", "description=")
                     for word in ("-f", "single_select_options[]" + "[{}]={}".format(*part.split("=")))]
        added = self.call(f"{USER}/{fixtures.MONA_ALONE}/fields", "-f", "name=Gh choice", "-f", "data_type=single_select", *arguments)
        self.assertEqual(["Yes", "No"], [option["name"]["raw"] for option in added["options"]])

    def test_add_field_rejects_invalid_fields(self):
        body = self.assert_error(422, "Validation Failed", f"{ORG}/{fixtures.ROADMAP}/fields", "-f", "name=Points", "-f", "data_type=text")
        self.assertEqual("already_exists", body["errors"][0]["code"])
        self.assert_error(422, "Validation Failed", f"{USER}/{fixtures.MINE}/fields", "-f", "name=Title", "-f", "data_type=text")

    def test_add_field_requires_write_access(self):
        arguments = ("-f", "name=Never", "-f", "data_type=text")
        text = "Must have write access to the project"
        self.assert_error(403, text, f"{ORG}/{fixtures.ROADMAP}/fields", *arguments, token=fixtures.STRANGER)
        self.assert_error(403, text, f"{USER}/{fixtures.MINE}/fields", *arguments, token=fixtures.HUBOT)
        self.assert_error(401, "Requires authentication", f"{ORG}/{fixtures.ROADMAP}/fields", *arguments, token=None)

    def test_unchanged_responses_are_not_modified(self):
        self.assert_not_modified(f"{ORG}/{fixtures.ROADMAP}/fields?per_page=3")
        self.assert_not_modified(f"{USER}/{fixtures.MINE}/fields?per_page=3")
