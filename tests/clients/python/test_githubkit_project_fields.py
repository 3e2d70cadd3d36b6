"""githubkit on the fields of projects."""

from githubkit.exception import RequestFailed

import world
from kit import Stories

SPRINTS = {
    "start_date": "2026-03-02",
    "duration": 7,
    "iterations": [{"title": "One", "start_date": "2026-03-02", "duration": 7}],
}


class ProjectFields(Stories):
    def org_fields(self, client, number=world.ROADMAP, **query):
        return client.rest.paginate(client.rest.projects.list_fields_for_org, None, number, world.ORG, **query)

    def field_of(self, name):
        return next(field for field in self.org_fields(self.mona) if field.name == name)

    def test_pages_of_fields_are_followed_to_the_end_by_cursor(self):
        whole = [field.id for field in self.org_fields(self.mona, per_page=100)]
        self.assertEqual(world.ROADMAP_FIELDS, len(whole))
        for size in (1, 7, 40, 41):
            with self.subTest(size):
                self.assertEqual(whole, [field.id for field in self.org_fields(self.mona, per_page=size)])
        by_default = self.mona.rest.projects.list_fields_for_org(world.ROADMAP, world.ORG)
        self.assertEqual(30, len(by_default.parsed_data))

    def test_a_cursor_leads_back_as_well(self):
        first = self.mona.rest.projects.list_fields_for_org(world.ROADMAP, world.ORG, per_page=5)
        second = self.mona.request("GET", link(first, "next"))
        back = self.mona.request("GET", link(second, "prev"))
        self.assertEqual(first.json(), back.json())
        self.assertNotIn('rel="last"', first.headers["link"])

    def test_a_users_fields_are_paged_too(self):
        rest = self.mona.rest
        fields = rest.paginate(rest.projects.list_fields_for_user, None, world.MINE, world.USER, per_page=9)
        names = [field.name for field in fields]
        self.assertEqual(35, len(names))
        self.assertEqual(["Title", "Note 25"], [names[0], names[-1]])

    def test_each_type_of_field_has_what_belongs_to_it(self):
        stage, sprint, points = (self.field_of(name) for name in ("Stage", "Sprint", "Points"))
        self.assertEqual(["Idea"], [option.name.raw for option in stage.options])
        self.assertEqual("GRAY", stage.options[0].color)
        self.assertEqual(14, sprint.configuration.duration)
        self.assertEqual("One", sprint.configuration.iterations[0].title.raw)
        self.assertFalse(points.options or points.configuration)
        self.assertEqual("number", points.data_type)

    def test_one_field_is_read_as_it_is_listed(self):
        for name in ("Title", "Status", "Sprint"):
            listed = self.field_of(name)
            read = self.anonymous.rest.projects.get_field_for_org(world.ROADMAP, listed.id, world.ORG).parsed_data
            self.assertEqual(listed, read)

    def test_one_field_of_a_user_is_read(self):
        listed = self.mona.rest.projects.list_fields_for_user(world.MINE, world.USER).parsed_data[0]
        read = self.hubot.rest.projects.get_field_for_user(world.MINE, listed.id, world.USER).parsed_data
        self.assertEqual(listed, read)

    def test_a_field_or_project_that_is_not_there_is_not_found(self):
        projects = self.mona.rest.projects
        self.refused(404, "Not Found", projects.get_field_for_org, world.ROADMAP, world.NO_SUCH_ID, world.ORG)
        self.refused(404, "Not Found", projects.get_field_for_user, world.MINE, world.NO_SUCH_ID, world.USER)
        self.refused(404, "Not Found", projects.list_fields_for_org, 99, world.ORG)
        self.refused(404, "Not Found", projects.list_fields_for_user, 99, world.USER)
        self.refused(404, "Not Found", projects.add_field_for_org, 99, world.ORG, name="n", data_type="text")
        self.refused(404, "Not Found", projects.add_field_for_user, world.USER, 99, name="n", data_type="text")

    def test_a_private_project_is_hidden(self):
        for client in (self.stranger, self.anonymous):
            list_fields = client.rest.projects.list_fields_for_org
            self.refused(404, "Not Found", list_fields, world.BEHIND_DOORS, world.ORG)
        self.refused(404, "Not Found", self.hubot.rest.projects.list_fields_for_user, world.MONA_ALONE, world.USER)

    def test_fields_of_every_type_are_added(self):
        options = [{"name": "Yes", "color": "GREEN", "description": "Do it"}, {"name": "No", "color": "RED", "description": ""}]
        for words in (
            {"name": "Kit text", "data_type": "text"},
            {"name": "Kit number", "data_type": "number"},
            {"name": "Kit date", "data_type": "date"},
            {"name": "Kit choice", "data_type": "single_select", "single_select_options": options},
            {"name": "Kit sprints", "data_type": "iteration", "iteration_configuration": SPRINTS},
        ):
            with self.subTest(words["data_type"]):
                answer = self.mona.rest.projects.add_field_for_org(world.BEHIND_DOORS, world.ORG, **words)
                self.assertEqual(201, answer.status_code)
                field = answer.parsed_data
                self.assertEqual((words["name"], words["data_type"]), (field.name, field.data_type))
                read = self.mona.rest.projects.get_field_for_org(world.BEHIND_DOORS, field.id, world.ORG)
                self.assertEqual(field, read.parsed_data)

    def test_an_issue_field_becomes_a_field_of_the_project(self):
        issue_field = next(field for field in self.mona.rest.orgs.list_issue_fields(world.ORG).parsed_data if field.name == "Effort")
        added = self.mona.rest.projects.add_field_for_org(world.BEHIND_DOORS, world.ORG, issue_field_id=issue_field.id).parsed_data
        self.assertEqual(("Effort", "number", issue_field.id), (added.name, added.data_type, added.issue_field_id))

    def test_a_field_is_added_to_a_users_project(self):
        add = self.mona.rest.projects.add_field_for_user
        added = add(world.USER, world.MONA_ALONE, name="Kit choice", data_type="single_select",
                    single_select_options=[{"name": "A", "color": "PINK", "description": ""}])
        self.assertEqual(201, added.status_code)
        self.assertEqual("PINK", added.parsed_data.options[0].color)

    def test_a_wrong_field_is_refused_with_its_reason(self):
        add = self.careless.rest.projects.add_field_for_org
        body = self.refused(422, "Validation Failed", add, world.ROADMAP, world.ORG, name="points", data_type="text")
        self.assertEqual([("ProjectV2Field", "already_exists", "name")],
                         [(error["resource"], error["code"], error["field"]) for error in body["errors"]])
        for words in ({}, {"name": "n"}, {"name": "n", "data_type": "labels"}, {"name": 5, "data_type": "text"},
                      {"name": "n", "data_type": "single_select"}, {"name": "n", "data_type": "iteration"}):
            with self.subTest(words):
                with self.assertRaises(RequestFailed) as caught:
                    add(world.ROADMAP, world.ORG, data=words)
                answer = caught.exception.response
                self.assertEqual(422, answer.status_code)
                self.assertTrue(answer.json()["message"].startswith("Invalid request.\n\n"), answer.text)
        mine = self.careless.rest.projects.add_field_for_user
        self.refused(422, "Validation Failed", mine, world.USER, world.MINE, name="Title", data_type="text")

    def test_adding_needs_a_right(self):
        words = {"name": "Never", "data_type": "text"}
        for client, status, message in ((self.anonymous, 401, "Requires authentication"),
                                        (self.stranger, 403, "Must have write access to the project")):
            with self.subTest(status):
                projects = client.rest.projects
                self.refused(status, message, projects.add_field_for_org, world.ROADMAP, world.ORG, **words)
                self.refused(status, message, projects.add_field_for_user, world.USER, world.MINE, **words)

    def test_tokens_of_apps_and_fine_grained_ones_have_no_business_with_users_projects(self):
        for client, kind in ((self.installation, "integration"), (self.app_user, "integration"),
                             (self.fine_grained, "personal access token")):
            with self.subTest(kind):
                self.refused(403, f"Resource not accessible by {kind}",
                             client.rest.projects.list_fields_for_user, world.MINE, world.USER)

    def test_unchanged_fields_are_not_sent_again(self):
        projects = self.uncached.rest.projects
        listed = self.not_modified(projects.list_fields_for_org, world.ROADMAP, world.ORG, per_page=3)
        self.not_modified(projects.get_field_for_org, world.ROADMAP, listed.parsed_data[0].id, world.ORG)
        listed = self.not_modified(projects.list_fields_for_user, world.MINE, world.USER, per_page=3)
        self.not_modified(projects.get_field_for_user, world.MINE, listed.parsed_data[0].id, world.USER)


def link(answer, rel):
    return answer.raw_response.links[rel]["url"]
