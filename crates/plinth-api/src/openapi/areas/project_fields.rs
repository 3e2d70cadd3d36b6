//! Project fields, described.

use crate::openapi::operation::{Area, Operation, created, ok};
use crate::openapi::parameters::CURSORS;
use crate::openapi::schema::Schema::{self, AnyOf, Boolean, Date, Integer, List, Named, Object, Text, Time, Url, Word};
use crate::openapi::schema::{field, maybe};

const ABOUT_ADDING: &str = "The body has one of four forms: `issue_field_id` alone (organization projects) makes a field that follows an \
    issue field; `name` with the `data_type` `text`, `number` or `date` makes a plain one; `single_select` takes \
    `single_select_options`; `iteration` takes `iteration_configuration`.";
const ABOUT_USERS: &str = "Projects of users are for classic tokens and OAuth app tokens only.";
const INVALID: &[(u16, &str)] =
    &[(422, "The field is not valid, its name is taken, or the endpoint has been spammed.")];
const CURSOR_REFUSED: &[(u16, &str)] = &[(422, "A cursor is not one of this list, or both cursors were given.")];

pub const AREA: Area = Area {
    name: "Project fields",
    about: "The fields of a project that belongs to an organization or to a user.",
    operations: &[
        Operation::new(
            "projects/list-fields-for-org",
            "List the fields of an organization's project",
            "Fields in the order in which they were made, built-in ones first.",
            ok("The fields.", List(&Named("project-field"))),
        )
        .query(CURSORS)
        .refusals(CURSOR_REFUSED),
        Operation::new(
            "projects/add-field-for-org",
            "Add a field to an organization's project",
            ABOUT_ADDING,
            created("The new field.", Named("project-field")),
        )
        .body(ORG_FORMS, r#"{"name": "Notes", "data_type": "text"}"#)
        .refusals(INVALID),
        Operation::new(
            "projects/get-field-for-org",
            "Get a field of an organization's project",
            "",
            ok("The field.", Named("project-field")),
        ),
        Operation::new(
            "projects/list-fields-for-user",
            "List the fields of a user's project",
            ABOUT_USERS,
            ok("The fields.", List(&Named("project-field"))),
        )
        .query(CURSORS)
        .refusals(CURSOR_REFUSED),
        Operation::new(
            "projects/add-field-for-user",
            "Add a field to a user's project",
            "As for an organization's project, but without `issue_field_id`. Projects of users are for classic tokens and OAuth \
             app tokens only.",
            created("The new field.", Named("project-field")),
        )
        .body(AnyOf(&[PLAIN_FORM, SELECT_FORM, ITERATION_FORM]), r#"{"name": "Notes", "data_type": "text"}"#)
        .refusals(INVALID),
        Operation::new(
            "projects/get-field-for-user",
            "Get a field of a user's project",
            ABOUT_USERS,
            ok("The field.", Named("project-field")),
        ),
    ],
    schemas: &[("project-field", FIELD), ("rich-text", RICH_TEXT)],
};

const RICH_TEXT: Schema =
    Object(&[field("html", Text, "As a page may show it."), field("raw", Text, "As it was written.")]);

const DATA_TYPES: Schema = Word(&[
    "assignees",
    "linked_pull_requests",
    "reviewers",
    "labels",
    "milestone",
    "repository",
    "title",
    "text",
    "single_select",
    "number",
    "date",
    "iteration",
    "issue_type",
    "parent_issue",
    "sub_issues_progress",
]);

const COLORS: Schema = Word(&["BLUE", "GRAY", "GREEN", "ORANGE", "PINK", "PURPLE", "RED", "YELLOW"]);

const FIELD: Schema = Object(&[
    field("id", Integer, ""),
    maybe("issue_field_id", Integer, "The issue field that this field follows."),
    field("node_id", Text, ""),
    field("name", Text, ""),
    field("data_type", DATA_TYPES, ""),
    field("project_url", Url, "The project it belongs to."),
    maybe("options", List(&OPTION), "Only for `single_select`."),
    maybe("configuration", CONFIGURATION, "Only for `iteration`."),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
]);

const OPTION: Schema = Object(&[
    field("id", Text, ""),
    field("name", Named("rich-text"), ""),
    field("color", COLORS, ""),
    field("description", Named("rich-text"), ""),
]);

const CONFIGURATION: Schema = Object(&[
    field("start_day", Integer, "The day of the week on which iterations begin, Monday being 1."),
    field("duration", Integer, "Days of an iteration, unless it says otherwise."),
    field("iterations", List(&ITERATION), ""),
]);

const ITERATION: Schema = Object(&[
    field("id", Text, ""),
    field("start_date", Date, ""),
    field("duration", Integer, "Days."),
    field("title", Named("rich-text"), ""),
    field("completed", Boolean, "Whether its last day has passed."),
]);

const ORG_FORMS: Schema = AnyOf(&[
    Object(&[field("issue_field_id", Integer, "The issue field to follow.")]),
    PLAIN_FORM,
    SELECT_FORM,
    ITERATION_FORM,
]);

const PLAIN_FORM: Schema =
    Object(&[field("name", Text, ""), field("data_type", Word(&["text", "number", "date"]), "")]);

const SELECT_FORM: Schema = Object(&[
    field("name", Text, ""),
    field("data_type", Word(&["single_select"]), ""),
    field("single_select_options", List(&NEW_OPTION), "At least one."),
]);

const NEW_OPTION: Schema = Object(&[
    maybe("name", Text, "What is shown."),
    maybe("color", COLORS, "`GRAY` unless given."),
    maybe("description", Text, ""),
]);

const ITERATION_FORM: Schema = Object(&[
    field("name", Text, ""),
    field("data_type", Word(&["iteration"]), ""),
    field("iteration_configuration", NEW_CONFIGURATION, ""),
]);

const NEW_CONFIGURATION: Schema = Object(&[
    field("start_date", Date, "When the first iteration begins."),
    field("duration", Integer, "Days of an iteration, unless it says otherwise."),
    maybe("iterations", List(&NEW_ITERATION), ""),
]);

const NEW_ITERATION: Schema =
    Object(&[field("title", Text, ""), field("start_date", Date, ""), field("duration", Integer, "Days.")]);
