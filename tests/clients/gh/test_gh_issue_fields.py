"""gh on the issue fields of an organization."""

import json

import world
from program import Stories

HERE = f"orgs/{world.ORG}/issue-fields"


class IssueFields(Stories):
    def test_the_fields_are_listed_to_members(self):
        names = self.lines(HERE, "--jq", ".[].name", token=world.HUBOT)
        self.assertLessEqual({"Priority", "Areas", "Effort", "Due", "Summary"}, set(names))
        self.assertEqual(names, self.lines(HERE, "--paginate", "--jq", ".[].name"))
        self.refused(404, "Not Found", HERE, token=world.STRANGER)

    def test_a_field_is_created_changed_and_deleted(self):
        made = self.call(HERE, "-f", "name=Gh words", "-f", "data_type=text", "-F", "description=null")
        address = f"{HERE}/{made['id']}"
        changed = self.call("-X", "PATCH", address, "-f", "description=Words")
        self.assertEqual(("Gh words", "Words"), (changed["name"], changed["description"]))
        self.deleted(address)
        self.refused(404, "Not Found", "-X", "DELETE", address)
        self.refused(404, "Not Found", "-X", "PATCH", address, "-f", "name=Again")

    def test_options_are_given_as_json(self):
        options = [{"name": "One", "color": "blue", "priority": 1}, {"name": "Two", "color": "red", "priority": 2}]
        body = {"name": "Gh choice", "data_type": "single_select", "options": options}
        made = self.call(HERE, "--input", "-", stdin=json.dumps(body))
        kept = [{**options[1], "id": made["options"][1]["id"], "priority": 1}]
        changed = self.call("-X", "PATCH", f"{HERE}/{made['id']}", "--input", "-", stdin=json.dumps({"options": kept}))
        self.assertEqual([made["options"][1]["id"]], [option["id"] for option in changed["options"]])

    def test_what_is_wrong_is_told(self):
        body = self.refused(422, "Validation Failed", HERE, "-f", "name=Priority", "-f", "data_type=text")
        self.assertEqual(["Name has already been taken"], body["errors"])
        self.refused(422, "Invalid request.\n\n\"data_type\" wasn't supplied.", HERE, "-f", "name=Gh")

    def test_gh_says_which_scope_is_missing(self):
        self.refused(404, "Not Found", HERE, "-f", "name=Never", "-f", "data_type=text", token=world.HUBOT, scope="admin:org")

    def test_what_is_unchanged_is_not_sent_again(self):
        self.not_modified(HERE)
