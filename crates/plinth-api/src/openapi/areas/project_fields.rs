//! Texts of the operations on project fields.

use crate::openapi::operation::{Area, Operation, created, ok};
use crate::openapi::parameters::CURSORS;
use crate::openapi::schema::of;
use crate::project_fields::body::{AddOrgFieldBody, AddUserFieldBody};
use crate::project_fields::json::ProjectField;

const ABOUT_ADDING: &str = "The body has one of four forms: `issue_field_id` alone (organization projects) creates a field that mirrors an \
    issue field; `name` with the `data_type` `text`, `number` or `date` creates a plain one; `single_select` needs \
    `single_select_options`; `iteration` needs `iteration_configuration`.";
const ABOUT_USERS: &str = "Projects of users are for classic tokens and OAuth app tokens only.";
const INVALID: &[(u16, &str)] =
    &[(422, "The field is not valid, its name exists already, or the endpoint has been spammed.")];
const CURSOR_ERRORS: &[(u16, &str)] = &[(422, "A cursor does not belong to this list, or both cursors were sent.")];

pub const AREA: Area = Area {
    name: "Project fields",
    about: "The fields of a project that belongs to an organization or to a user.",
    operations: &[
        Operation::new(
            "projects/list-fields-for-org",
            "List the fields of an organization's project",
            "In the order of creation, with the built-in ones first.",
            ok("The fields.", of::<Vec<ProjectField>>),
        )
        .query(CURSORS)
        .errors(CURSOR_ERRORS),
        Operation::new(
            "projects/add-field-for-org",
            "Add a field to an organization's project",
            ABOUT_ADDING,
            created("The new field.", of::<ProjectField>),
        )
        .body(of::<AddOrgFieldBody>, r#"{"name": "Notes", "data_type": "text"}"#)
        .errors(INVALID),
        Operation::new(
            "projects/get-field-for-org",
            "Get a field of an organization's project",
            "",
            ok("The field.", of::<ProjectField>),
        ),
        Operation::new(
            "projects/list-fields-for-user",
            "List the fields of a user's project",
            ABOUT_USERS,
            ok("The fields.", of::<Vec<ProjectField>>),
        )
        .query(CURSORS)
        .errors(CURSOR_ERRORS),
        Operation::new(
            "projects/add-field-for-user",
            "Add a field to a user's project",
            "As for an organization's project, but without `issue_field_id`. Projects of users are for classic tokens and OAuth \
             app tokens only.",
            created("The new field.", of::<ProjectField>),
        )
        .body(of::<AddUserFieldBody>, r#"{"name": "Notes", "data_type": "text"}"#)
        .errors(INVALID),
        Operation::new(
            "projects/get-field-for-user",
            "Get a field of a user's project",
            ABOUT_USERS,
            ok("The field.", of::<ProjectField>),
        ),
    ],
};
