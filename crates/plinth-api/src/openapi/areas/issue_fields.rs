//! Texts of the operations on issue fields.

use crate::issue_fields::body::{CreateFieldBody, UpdateFieldBody};
use crate::issue_fields::json::{IssueField, ListedOption, WholeOption};
use crate::openapi::operation::{Area, Operation, no_content, ok};
use crate::openapi::schema::of;

const INVALID: &[(u16, &str)] = &[(422, "The field is not valid, or the endpoint has been spammed.")];

pub const AREA: Area = Area {
    name: "Issue fields",
    about: "Fields that an organization defines for its issues.",
    operations: &[
        Operation::new(
            "orgs/list-issue-fields",
            "List the issue fields of an organization",
            "All of them, by `id`. Options of select fields show only `id`, `name` and `color` here.",
            ok("The fields.", of::<Vec<IssueField<ListedOption>>>),
        ),
        Operation::new(
            "orgs/create-issue-field",
            "Create an issue field",
            "Select fields need `options`. Only administrators of the organization may call this.",
            ok("The new field.", of::<IssueField<WholeOption>>),
        )
        .body(of::<CreateFieldBody>, r#"{"name": "Priority", "data_type": "single_select", "options": [{"name": "High", "color": "red", "priority": 1}]}"#)
        .errors(INVALID),
        Operation::new(
            "orgs/update-issue-field",
            "Update an issue field",
            "Keys that are absent leave their value unchanged. `options` replaces the whole set: an option stays only if it is \
             sent with its `id`, and one without an `id` is new.",
            ok("The field after the change.", of::<IssueField<WholeOption>>),
        )
        .body(of::<UpdateFieldBody>, r#"{"description": "How soon it is needed"}"#)
        .errors(INVALID),
        Operation::new(
            "orgs/delete-issue-field",
            "Delete an issue field",
            "Project fields that mirror it are deleted, too.",
            no_content("Deleted."),
        )
        .errors(INVALID),
    ],
};
