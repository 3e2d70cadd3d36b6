//! Issue fields, described.

use crate::openapi::operation::{Area, Operation, no_content, ok};
use crate::openapi::schema::Schema::{self, Integer, List, Named, Object, OrNull, Text, Time, Word};
use crate::openapi::schema::{field, maybe};

const INVALID: &[(u16, &str)] = &[(422, "The field is not valid, or the endpoint has been spammed.")];

pub const AREA: Area = Area {
    name: "Issue fields",
    about: "Fields that an organization defines for its issues.",
    operations: &[
        Operation::new(
            "orgs/list-issue-fields",
            "List the issue fields of an organization",
            "All of them, by `id`. Options of select fields show only `id`, `name` and `color` here.",
            ok("The fields.", List(&Named("issue-field"))),
        ),
        Operation::new(
            "orgs/create-issue-field",
            "Create an issue field",
            "Select fields need `options`. Only administrators of the organization may call this.",
            ok("The new field.", Named("issue-field")),
        )
        .body(NEW, r#"{"name": "Priority", "data_type": "single_select", "options": [{"name": "High", "color": "red", "priority": 1}]}"#)
        .refusals(INVALID),
        Operation::new(
            "orgs/update-issue-field",
            "Update an issue field",
            "What is left out stays as it is. `options` replaces the whole set: an option is kept only when it is sent with its \
             `id`, and one without an `id` is new.",
            ok("The field after the change.", Named("issue-field")),
        )
        .body(CHANGE, r#"{"description": "How soon it is needed"}"#)
        .refusals(INVALID),
        Operation::new(
            "orgs/delete-issue-field",
            "Delete an issue field",
            "Project fields that follow it go with it.",
            no_content("It is gone."),
        )
        .refusals(INVALID),
    ],
    schemas: &[("issue-field", FIELD)],
};

const DATA_TYPES: Schema = Word(&["text", "date", "single_select", "multi_select", "number"]);
const VISIBILITY: Schema = Word(&["organization_members_only", "all"]);
const COLORS: Schema = Word(&["gray", "blue", "green", "yellow", "orange", "red", "pink", "purple"]);

const FIELD: Schema = Object(&[
    field("id", Integer, ""),
    field("node_id", Text, ""),
    field("name", Text, ""),
    field("description", OrNull(&Text), ""),
    field("data_type", DATA_TYPES, ""),
    field("visibility", VISIBILITY, ""),
    maybe("options", List(&OPTION), "Only for `single_select` and `multi_select`."),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
]);

const OPTION: Schema = Object(&[
    field("id", Integer, ""),
    field("name", Text, ""),
    maybe("description", OrNull(&Text), "Not in lists."),
    field("color", COLORS, ""),
    maybe("priority", Integer, "Its place among the options. Not in lists."),
    maybe("created_at", Time, "Not in lists."),
    maybe("updated_at", Time, "Not in lists."),
]);

const NEW: Schema = Object(&[
    field("name", Text, ""),
    maybe("description", OrNull(&Text), ""),
    field("data_type", DATA_TYPES, ""),
    maybe("visibility", VISIBILITY, "`organization_members_only` unless given."),
    maybe("options", OrNull(&List(&NEW_OPTION)), "Needed for `single_select` and `multi_select`."),
]);

const NEW_OPTION: Schema = Object(&[
    field("name", Text, ""),
    maybe("description", OrNull(&Text), ""),
    field("color", COLORS, ""),
    maybe("priority", Integer, "Its place among the options; the order of the list where it is left out."),
]);

const CHANGE: Schema = Object(&[
    maybe("name", Text, ""),
    maybe("description", OrNull(&Text), ""),
    maybe("visibility", VISIBILITY, ""),
    maybe("options", List(&CHANGED_OPTION), "The whole new set."),
]);

const CHANGED_OPTION: Schema = Object(&[
    maybe("id", Integer, "The option to keep or change; a new one has none."),
    field("name", Text, ""),
    maybe("description", OrNull(&Text), ""),
    field("color", COLORS, ""),
    maybe("priority", Integer, "Its place among the options; the order of the list where it is left out."),
]);
