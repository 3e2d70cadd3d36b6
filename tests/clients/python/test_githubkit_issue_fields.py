"""githubkit on the issue fields of an organization."""

import fixtures
from githubkit_client import GithubkitTestCase


def option(name, priority, **more):
    return {"name": name, "color": "blue", "priority": priority, **more}


class IssueFields(GithubkitTestCase):
    def create(self, name, data_type="text", **more):
        return self.mona.rest.orgs.create_issue_field(fixtures.ORG, name=name, data_type=data_type, **more).parsed_data

    def listed(self, field_id):
        return next((field for field in self.mona.rest.orgs.list_issue_fields(fixtures.ORG).parsed_data if field.id == field_id), None)

    def test_fields_of_the_organization_are_listed(self):
        fields = {field.name: field for field in self.hubot.rest.orgs.list_issue_fields(fixtures.ORG).parsed_data}
        self.assertLessEqual({"Priority", "Areas", "Effort", "Due", "Summary"}, set(fields))
        self.assertEqual(["High", "Low"], [option.name for option in fields["Priority"].options])
        self.assertEqual("multi_select", fields["Areas"].data_type)
        self.assertEqual("all", fields["Areas"].visibility)

    def test_fields_are_visible_only_to_members(self):
        self.assert_error(404, "Not Found", self.stranger.rest.orgs.list_issue_fields, fixtures.ORG)
        self.assert_error(401, "Requires authentication", self.anonymous.rest.orgs.list_issue_fields, fixtures.ORG)
        self.assert_error(404, "Not Found", self.mona.rest.orgs.list_issue_fields, "no-such-org")

    def test_field_is_created_updated_and_deleted(self):
        made = self.create("Kit text", description="Words")
        self.assertEqual(("Kit text", "Words", "text"), (made.name, made.description, made.data_type))
        update = self.mona.rest.orgs.update_issue_field
        changed = update(fixtures.ORG, made.id, name="Kit words", description=None).parsed_data
        self.assertEqual(("Kit words", None), (changed.name, changed.description))
        self.assertEqual("Kit words", self.listed(made.id).name)
        delete = self.mona.rest.orgs.delete_issue_field
        gone = delete(fixtures.ORG, made.id)
        self.assertEqual((204, b""), (gone.status_code, gone.content))
        self.assertIsNone(self.listed(made.id))
        self.assert_error(404, "Not Found", delete, fixtures.ORG, made.id)
        self.assert_error(404, "Not Found", update, fixtures.ORG, made.id, name="Again")

    def test_options_with_an_id_are_updated(self):
        made = self.create("Kit choice", "single_select", options=[option("One", 1, description="first"), option("Two", 2)])
        one, two = made.options
        self.assertEqual(("first", 1), (one.description, one.priority))
        wanted = [option("Two again", 1, id=two.id), option("Three", 2)]
        changed = self.mona.rest.orgs.update_issue_field(fixtures.ORG, made.id, options=wanted).parsed_data
        self.assertEqual(["Two again", "Three"], [option.name for option in changed.options])
        self.assertEqual(two.id, changed.options[0].id)
        self.assertNotIn(one.id, [option.id for option in changed.options])

    def test_multi_select_field_has_options(self):
        made = self.create("Kit many", "multi_select", options=[option("A", 1), option("B", 2)])
        self.assertEqual([("A", "blue"), ("B", "blue")], [(option.name, option.color) for option in made.options])

    def test_create_field_rejects_invalid_fields_with_messages(self):
        create = self.without_validation.rest.orgs.create_issue_field
        for fields, sentence in (
            ({"name": "priority", "data_type": "text"}, "Name has already been taken"),
            ({"name": "Kit none", "data_type": "single_select"}, "Options can't be blank"),
        ):
            with self.subTest(sentence):
                body = self.assert_error(422, "Validation Failed", create, fixtures.ORG, **fields)
                self.assertEqual([sentence], body["errors"])
        self.assert_error(422, "Invalid request.\n\n\"data_type\" wasn't supplied.", create, fixtures.ORG, name="Kit")
        made = self.create("Kit strict", "single_select", options=[option("A", 1)])
        update = self.without_validation.rest.orgs.update_issue_field
        foreign = option("B", 1, id=fixtures.NO_SUCH_ID)
        body = self.assert_error(422, "Validation Failed", update, fixtures.ORG, made.id, options=[foreign])
        self.assertEqual([f"Option id {fixtures.NO_SUCH_ID} does not belong to this issue field"], body["errors"])

    def test_only_admins_write(self):
        made = self.create("Kit guarded")
        for call, fields in (
            (self.hubot.rest.orgs.create_issue_field, {"name": "Never", "data_type": "text"}),
            (self.hubot.rest.orgs.update_issue_field, {"issue_field_id": made.id, "name": "Never"}),
            (self.hubot.rest.orgs.delete_issue_field, {"issue_field_id": made.id}),
        ):
            with self.subTest(call.__name__):
                self.assert_error(404, "Not Found", call, fixtures.ORG, **fields)
        self.assertEqual("Kit guarded", self.listed(made.id).name)

    def test_installation_with_permission_can_write(self):
        made = self.installation.rest.orgs.create_issue_field(fixtures.ORG, name="Kit of the app", data_type="date").parsed_data
        self.assertEqual("date", self.listed(made.id).data_type)

    def test_unchanged_issue_fields_are_not_modified(self):
        self.assert_not_modified(self.uncached.rest.orgs.list_issue_fields, fixtures.ORG)
