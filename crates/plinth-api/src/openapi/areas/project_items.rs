//! Texts of the operations on project items.

use crate::openapi::operation::{Area, Operation, Parameter, created, no_content, ok, parameter};
use crate::openapi::parameters::{AFTER, BEFORE, PER_PAGE};
use crate::openapi::schema::of;
use crate::project_items::body::{AddItemBody, UpdateItemBody};
use crate::project_items::json::{Item, ItemWithFields};

const FIELDS: Parameter = parameter(
    "fields",
    of::<String>,
    "The ids of the fields whose values are shown, up to 50, separated by commas or as `fields[]`. By default the title.",
);
const LIST: &[Parameter] = &[PER_PAGE, BEFORE, AFTER, FIELDS];

const ABOUT: &str = "An item in a repository that the caller may not read has no `content`, and its values are null. Fields that mirror an issue \
    field show the value of the issue.";
const ABOUT_OF_USER: &str =
    "As for an organization's project. Projects of users are for classic tokens and OAuth app tokens only.";
const ABOUT_ADDING: &str = "An issue or a pull request that the caller may read, by `id`, or by `owner`, `repo` and `number`. If the project has it \
    already, the response is the existing item.";
const ABOUT_UPDATING: &str = "Sets values of the project's own fields, or clears them with null: a text, a number, a date (`YYYY-MM-DD`), or the id of an \
    option or iteration. All changes are made, or none. The response shows the title and the fields of the request. Values that belong to the \
    issue or pull request are changed there.";
const ABOUT_DELETING: &str = "The issue or pull request stays as it is.";
const LIST_ERRORS: &[(u16, &str)] = &[(
    422,
    "A cursor does not belong to this list, both cursors were sent, the project has no such field, or there is a filter `q`.",
)];
const GET_ERRORS: &[(u16, &str)] = &[(422, "The project has no such field.")];
const ADD_ERRORS: &[(u16, &str)] =
    &[(422, "The project has as many items as it can have, or the endpoint has been spammed.")];
const UPDATE_ERRORS: &[(u16, &str)] = &[(422, "A value does not have the type of its field, or cannot be set here.")];
const NEW: &str = r#"{"type": "Issue", "owner": "octo-org", "repo": "hello", "number": 1}"#;
const CHANGES: &str = r#"{"fields": [{"id": 3, "value": "47fc9ee4"}]}"#;

pub const AREA: Area = Area {
    name: "Project items",
    about: "Issues and pull requests in projects, with the values of the project's fields.",
    operations: &[
        Operation::new(
            "projects/list-items-for-org",
            "List the items of an organization's project",
            ABOUT,
            ok("The items.", of::<Vec<ItemWithFields>>),
        )
        .query(LIST)
        .errors(LIST_ERRORS),
        Operation::new(
            "projects/add-item-for-org",
            "Add an item to an organization's project",
            ABOUT_ADDING,
            created("The item.", of::<Item>),
        )
        .body(of::<AddItemBody>, NEW)
        .errors(ADD_ERRORS),
        Operation::new(
            "projects/get-org-item",
            "Get an item of an organization's project",
            ABOUT,
            ok("The item.", of::<ItemWithFields>),
        )
        .query(&[FIELDS])
        .errors(GET_ERRORS),
        Operation::new(
            "projects/update-item-for-org",
            "Update an item of an organization's project",
            ABOUT_UPDATING,
            ok("The item.", of::<ItemWithFields>),
        )
        .body(of::<UpdateItemBody>, CHANGES)
        .errors(UPDATE_ERRORS),
        Operation::new(
            "projects/delete-item-for-org",
            "Remove an item from an organization's project",
            ABOUT_DELETING,
            no_content("The project has no such item any more."),
        ),
        Operation::new(
            "projects/list-items-for-user",
            "List the items of a user's project",
            ABOUT_OF_USER,
            ok("The items.", of::<Vec<ItemWithFields>>),
        )
        .query(LIST)
        .errors(LIST_ERRORS),
        Operation::new(
            "projects/add-item-for-user",
            "Add an item to a user's project",
            ABOUT_OF_USER,
            created("The item.", of::<Item>),
        )
        .body(of::<AddItemBody>, NEW)
        .errors(ADD_ERRORS),
        Operation::new(
            "projects/get-user-item",
            "Get an item of a user's project",
            ABOUT_OF_USER,
            ok("The item.", of::<ItemWithFields>),
        )
        .query(&[FIELDS])
        .errors(GET_ERRORS),
        Operation::new(
            "projects/update-item-for-user",
            "Update an item of a user's project",
            ABOUT_OF_USER,
            ok("The item.", of::<ItemWithFields>),
        )
        .body(of::<UpdateItemBody>, CHANGES)
        .errors(UPDATE_ERRORS),
        Operation::new(
            "projects/delete-item-for-user",
            "Remove an item from a user's project",
            ABOUT_DELETING,
            no_content("The project has no such item any more."),
        ),
    ],
};
