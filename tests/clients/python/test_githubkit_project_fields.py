"""githubkit on the fields of projects."""

from githubkit.exception import RequestFailed

import fixtures
from githubkit_client import GithubkitTestCase

SPRINTS = {
    "start_date": "2026-03-02",
    "duration": 7,
    "iterations": [{"title": "One", "start_date": "2026-03-02", "duration": 7}],
}


class ProjectFields(GithubkitTestCase):
    def org_fields(self, client, number=fixtures.ROADMAP, **query):
        return client.rest.paginate(client.rest.projects.list_fields_for_org, None, number, fixtures.ORG, **query)

    def field_of(self, name):
        return next(field for field in self.org_fields(self.mona) if field.name == name)

    def test_pagination_of_fields_reaches_the_last_page(self):
        whole = [field.id for field in self.org_fields(self.mona, per_page=100)]
        self.assertEqual(fixtures.ROADMAP_FIELDS, len(whole))
        for size in (1, 7, 40, 41):
            with self.subTest(size):
                self.assertEqual(whole, [field.id for field in self.org_fields(self.mona, per_page=size)])
        by_default = self.mona.rest.projects.list_fields_for_org(fixtures.ROADMAP, fixtures.ORG)
        self.assertEqual(30, len(by_default.parsed_data))

    def test_cursor_leads_back(self):
        first = self.mona.rest.projects.list_fields_for_org(fixtures.ROADMAP, fixtures.ORG, per_page=5)
        second = self.mona.request("GET", link(first, "next"))
        back = self.mona.request("GET", link(second, "prev"))
        self.assertEqual(first.json(), back.json())
        self.assertNotIn('rel="last"', first.headers["link"])

    def test_fields_of_a_user_are_paginated(self):
        rest = self.mona.rest
        fields = rest.paginate(rest.projects.list_fields_for_user, None, fixtures.MINE, fixtures.USER, per_page=9)
        names = [field.name for field in fields]
        self.assertEqual(35, len(names))
        self.assertEqual(["Title", "Note 25"], [names[0], names[-1]])

    def test_each_field_type_has_its_own_keys(self):
        stage, sprint, points = (self.field_of(name) for name in ("Stage", "Sprint", "Points"))
        self.assertEqual(["Idea"], [option.name.raw for option in stage.options])
        self.assertEqual("GRAY", stage.options[0].color)
        self.assertEqual(14, sprint.configuration.duration)
        self.assertEqual("One", sprint.configuration.iterations[0].title.raw)
        self.assertFalse(points.options or points.configuration)
        self.assertEqual("number", points.data_type)

    def test_get_field_equals_the_listed_field(self):
        for name in ("Title", "Status", "Sprint"):
            listed = self.field_of(name)
            read = self.anonymous.rest.projects.get_field_for_org(fixtures.ROADMAP, listed.id, fixtures.ORG).parsed_data
            self.assertEqual(listed, read)

    def test_get_field_of_a_user_equals_the_listed_field(self):
        listed = self.mona.rest.projects.list_fields_for_user(fixtures.MINE, fixtures.USER).parsed_data[0]
        read = self.hubot.rest.projects.get_field_for_user(fixtures.MINE, listed.id, fixtures.USER).parsed_data
        self.assertEqual(listed, read)

    def test_absent_field_or_project_is_not_found(self):
        projects = self.mona.rest.projects
        self.assert_error(404, "Not Found", projects.get_field_for_org, fixtures.ROADMAP, fixtures.NO_SUCH_ID, fixtures.ORG)
        self.assert_error(404, "Not Found", projects.get_field_for_user, fixtures.MINE, fixtures.NO_SUCH_ID, fixtures.USER)
        self.assert_error(404, "Not Found", projects.list_fields_for_org, 99, fixtures.ORG)
        self.assert_error(404, "Not Found", projects.list_fields_for_user, 99, fixtures.USER)
        self.assert_error(404, "Not Found", projects.add_field_for_org, 99, fixtures.ORG, name="n", data_type="text")
        self.assert_error(404, "Not Found", projects.add_field_for_user, fixtures.USER, 99, name="n", data_type="text")

    def test_private_project_is_hidden(self):
        for client in (self.stranger, self.anonymous):
            list_fields = client.rest.projects.list_fields_for_org
            self.assert_error(404, "Not Found", list_fields, fixtures.BEHIND_DOORS, fixtures.ORG)
        self.assert_error(404, "Not Found", self.hubot.rest.projects.list_fields_for_user, fixtures.MONA_ALONE, fixtures.USER)

    def test_fields_of_every_type_are_added(self):
        options = [{"name": "Yes", "color": "GREEN", "description": "Do it"}, {"name": "No", "color": "RED", "description": ""}]
        for fields in (
            {"name": "Kit text", "data_type": "text"},
            {"name": "Kit number", "data_type": "number"},
            {"name": "Kit date", "data_type": "date"},
            {"name": "Kit choice", "data_type": "single_select", "single_select_options": options},
            {"name": "Kit sprints", "data_type": "iteration", "iteration_configuration": SPRINTS},
        ):
            with self.subTest(fields["data_type"]):
                response = self.mona.rest.projects.add_field_for_org(fixtures.BEHIND_DOORS, fixtures.ORG, **fields)
                self.assertEqual(201, response.status_code)
                field = response.parsed_data
                self.assertEqual((fields["name"], fields["data_type"]), (field.name, field.data_type))
                read = self.mona.rest.projects.get_field_for_org(fixtures.BEHIND_DOORS, field.id, fixtures.ORG)
                self.assertEqual(field, read.parsed_data)

    def test_issue_field_is_added_to_a_project(self):
        issue_field = next(field for field in self.mona.rest.orgs.list_issue_fields(fixtures.ORG).parsed_data if field.name == "Effort")
        added = self.mona.rest.projects.add_field_for_org(fixtures.BEHIND_DOORS, fixtures.ORG, issue_field_id=issue_field.id).parsed_data
        self.assertEqual(("Effort", "number", issue_field.id), (added.name, added.data_type, added.issue_field_id))

    def test_field_is_added_to_user_project(self):
        add = self.mona.rest.projects.add_field_for_user
        added = add(fixtures.USER, fixtures.MONA_ALONE, name="Kit choice", data_type="single_select",
                    single_select_options=[{"name": "A", "color": "PINK", "description": ""}])
        self.assertEqual(201, added.status_code)
        self.assertEqual("PINK", added.parsed_data.options[0].color)

    def test_add_field_rejects_invalid_fields_with_reasons(self):
        add = self.without_validation.rest.projects.add_field_for_org
        body = self.assert_error(422, "Validation Failed", add, fixtures.ROADMAP, fixtures.ORG, name="points", data_type="text")
        self.assertEqual([("ProjectV2Field", "already_exists", "name")],
                         [(error["resource"], error["code"], error["field"]) for error in body["errors"]])
        for fields in ({}, {"name": "n"}, {"name": "n", "data_type": "labels"}, {"name": 5, "data_type": "text"},
                      {"name": "n", "data_type": "single_select"}, {"name": "n", "data_type": "iteration"}):
            with self.subTest(fields):
                with self.assertRaises(RequestFailed) as caught:
                    add(fixtures.ROADMAP, fixtures.ORG, data=fields)
                response = caught.exception.response
                self.assertEqual(422, response.status_code)
                self.assertTrue(response.json()["message"].startswith("Invalid request.\n\n"), response.text)
        mine = self.without_validation.rest.projects.add_field_for_user
        self.assert_error(422, "Validation Failed", mine, fixtures.USER, fixtures.MINE, name="Title", data_type="text")

    def test_add_field_requires_write_access(self):
        fields = {"name": "Never", "data_type": "text"}
        for client, status, message in ((self.anonymous, 401, "Requires authentication"),
                                        (self.stranger, 403, "Must have write access to the project")):
            with self.subTest(status):
                projects = client.rest.projects
                self.assert_error(status, message, projects.add_field_for_org, fixtures.ROADMAP, fixtures.ORG, **fields)
                self.assert_error(status, message, projects.add_field_for_user, fixtures.USER, fixtures.MINE, **fields)

    def test_app_and_fine_grained_tokens_cannot_read_user_projects(self):
        for client, kind in ((self.installation, "integration"), (self.app_user, "integration"),
                             (self.fine_grained, "personal access token")):
            with self.subTest(kind):
                self.assert_error(403, f"Resource not accessible by {kind}",
                             client.rest.projects.list_fields_for_user, fixtures.MINE, fixtures.USER)

    def test_unchanged_fields_are_not_modified(self):
        projects = self.uncached.rest.projects
        listed = self.assert_not_modified(projects.list_fields_for_org, fixtures.ROADMAP, fixtures.ORG, per_page=3)
        self.assert_not_modified(projects.get_field_for_org, fixtures.ROADMAP, listed.parsed_data[0].id, fixtures.ORG)
        listed = self.assert_not_modified(projects.list_fields_for_user, fixtures.MINE, fixtures.USER, per_page=3)
        self.assert_not_modified(projects.get_field_for_user, fixtures.MINE, listed.parsed_data[0].id, fixtures.USER)


def link(response, rel):
    return response.raw_response.links[rel]["url"]
