"""gh on the issue fields of an organization."""

import json

import fixtures
from program import GhTestCase

HERE = f"orgs/{fixtures.ORG}/issue-fields"


class IssueFields(GhTestCase):
    def test_fields_are_listed_for_members(self):
        names = self.lines(HERE, "--jq", ".[].name", token=fixtures.HUBOT)
        self.assertLessEqual({"Priority", "Areas", "Effort", "Due", "Summary"}, set(names))
        self.assertEqual(names, self.lines(HERE, "--paginate", "--jq", ".[].name"))
        self.assert_error(404, "Not Found", HERE, token=fixtures.STRANGER)

    def test_field_is_created_updated_and_deleted(self):
        made = self.call(HERE, "-f", "name=Gh words", "-f", "data_type=text", "-F", "description=null")
        path = f"{HERE}/{made['id']}"
        changed = self.call("-X", "PATCH", path, "-f", "description=Words")
        self.assertEqual(("Gh words", "Words"), (changed["name"], changed["description"]))
        self.deleted(path)
        self.assert_error(404, "Not Found", "-X", "DELETE", path)
        self.assert_error(404, "Not Found", "-X", "PATCH", path, "-f", "name=Again")

    def test_options_are_sent_as_json(self):
        options = [{"name": "One", "color": "blue", "priority": 1}, {"name": "Two", "color": "red", "priority": 2}]
        body = {"name": "Gh choice", "data_type": "single_select", "options": options}
        made = self.call(HERE, "--input", "-", stdin=json.dumps(body))
        remaining = [{**options[1], "id": made["options"][1]["id"], "priority": 1}]
        changed = self.call("-X", "PATCH", f"{HERE}/{made['id']}", "--input", "-", stdin=json.dumps({"options": remaining}))
        self.assertEqual([made["options"][1]["id"]], [option["id"] for option in changed["options"]])

    def test_create_field_rejects_invalid_fields(self):
        body = self.assert_error(422, "Validation Failed", HERE, "-f", "name=Priority", "-f", "data_type=text")
        self.assertEqual(["Name has already been taken"], body["errors"])
        self.assert_error(422, "Invalid request.\n\n\"data_type\" wasn't supplied.", HERE, "-f", "name=Gh")

    def test_gh_names_the_missing_scope(self):
        self.assert_error(404, "Not Found", HERE, "-f", "name=Never", "-f", "data_type=text", token=fixtures.HUBOT, scope="admin:org")

    def test_unchanged_responses_are_not_modified(self):
        self.assert_not_modified(HERE)
