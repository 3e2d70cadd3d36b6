"""githubkit on the issue fields of an organization."""

import world
from kit import Stories


def option(name, priority, **more):
    return {"name": name, "color": "blue", "priority": priority, **more}


class IssueFields(Stories):
    def create(self, name, data_type="text", **more):
        return self.mona.rest.orgs.create_issue_field(world.ORG, name=name, data_type=data_type, **more).parsed_data

    def listed(self, field_id):
        return next((field for field in self.mona.rest.orgs.list_issue_fields(world.ORG).parsed_data if field.id == field_id), None)

    def test_the_fields_of_the_organization_are_listed(self):
        fields = {field.name: field for field in self.hubot.rest.orgs.list_issue_fields(world.ORG).parsed_data}
        self.assertLessEqual({"Priority", "Areas", "Effort", "Due", "Summary"}, set(fields))
        self.assertEqual(["High", "Low"], [option.name for option in fields["Priority"].options])
        self.assertEqual("multi_select", fields["Areas"].data_type)
        self.assertEqual("all", fields["Areas"].visibility)

    def test_members_alone_see_them(self):
        self.refused(404, "Not Found", self.stranger.rest.orgs.list_issue_fields, world.ORG)
        self.refused(401, "Requires authentication", self.anonymous.rest.orgs.list_issue_fields, world.ORG)
        self.refused(404, "Not Found", self.mona.rest.orgs.list_issue_fields, "no-such-org")

    def test_a_field_is_created_changed_and_deleted(self):
        made = self.create("Kit text", description="Words")
        self.assertEqual(("Kit text", "Words", "text"), (made.name, made.description, made.data_type))
        update = self.mona.rest.orgs.update_issue_field
        changed = update(world.ORG, made.id, name="Kit words", description=None).parsed_data
        self.assertEqual(("Kit words", None), (changed.name, changed.description))
        self.assertEqual("Kit words", self.listed(made.id).name)
        delete = self.mona.rest.orgs.delete_issue_field
        gone = delete(world.ORG, made.id)
        self.assertEqual((204, b""), (gone.status_code, gone.content))
        self.assertIsNone(self.listed(made.id))
        self.refused(404, "Not Found", delete, world.ORG, made.id)
        self.refused(404, "Not Found", update, world.ORG, made.id, name="Again")

    def test_options_are_kept_by_their_id(self):
        made = self.create("Kit choice", "single_select", options=[option("One", 1, description="first"), option("Two", 2)])
        one, two = made.options
        self.assertEqual(("first", 1), (one.description, one.priority))
        wanted = [option("Two again", 1, id=two.id), option("Three", 2)]
        changed = self.mona.rest.orgs.update_issue_field(world.ORG, made.id, options=wanted).parsed_data
        self.assertEqual(["Two again", "Three"], [option.name for option in changed.options])
        self.assertEqual(two.id, changed.options[0].id)
        self.assertNotIn(one.id, [option.id for option in changed.options])

    def test_many_can_be_chosen(self):
        made = self.create("Kit many", "multi_select", options=[option("A", 1), option("B", 2)])
        self.assertEqual([("A", "blue"), ("B", "blue")], [(option.name, option.color) for option in made.options])

    def test_what_is_wrong_is_told_in_sentences(self):
        create = self.careless.rest.orgs.create_issue_field
        for words, sentence in (
            ({"name": "priority", "data_type": "text"}, "Name has already been taken"),
            ({"name": "Kit none", "data_type": "single_select"}, "Options can't be blank"),
        ):
            with self.subTest(sentence):
                body = self.refused(422, "Validation Failed", create, world.ORG, **words)
                self.assertEqual([sentence], body["errors"])
        self.refused(422, "Invalid request.\n\n\"data_type\" wasn't supplied.", create, world.ORG, name="Kit")
        made = self.create("Kit strict", "single_select", options=[option("A", 1)])
        update = self.careless.rest.orgs.update_issue_field
        foreign = option("B", 1, id=world.NO_SUCH_ID)
        body = self.refused(422, "Validation Failed", update, world.ORG, made.id, options=[foreign])
        self.assertEqual([f"Option id {world.NO_SUCH_ID} does not belong to this issue field"], body["errors"])

    def test_only_an_admin_writes(self):
        made = self.create("Kit guarded")
        for call, words in (
            (self.hubot.rest.orgs.create_issue_field, {"name": "Never", "data_type": "text"}),
            (self.hubot.rest.orgs.update_issue_field, {"issue_field_id": made.id, "name": "Never"}),
            (self.hubot.rest.orgs.delete_issue_field, {"issue_field_id": made.id}),
        ):
            with self.subTest(call.__name__):
                self.refused(404, "Not Found", call, world.ORG, **words)
        self.assertEqual("Kit guarded", self.listed(made.id).name)

    def test_an_installation_with_the_permission_may_write(self):
        made = self.installation.rest.orgs.create_issue_field(world.ORG, name="Kit of the app", data_type="date").parsed_data
        self.assertEqual("date", self.listed(made.id).data_type)

    def test_unchanged_issue_fields_are_not_sent_again(self):
        self.not_modified(self.uncached.rest.orgs.list_issue_fields, world.ORG)
