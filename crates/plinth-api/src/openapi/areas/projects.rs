//! Texts of the operations on projects.

use crate::openapi::operation::{Area, Operation, ok};
use crate::openapi::parameters::CURSORS;
use crate::openapi::schema::of;
use crate::projects::json::Project;

const CURSOR_ERRORS: &[(u16, &str)] = &[(422, "A cursor does not belong to this list, or both cursors were sent.")];

pub const AREA: Area = Area {
    name: "Projects",
    about: "Projects of organizations and users, as far as clients need them to find fields.",
    operations: &[
        Operation::new(
            "projects/list-for-org",
            "List the projects of an organization",
            "Public ones, and the private ones that the caller may read.",
            ok("The projects.", of::<Vec<Project>>),
        )
        .query(CURSORS)
        .errors(CURSOR_ERRORS),
        Operation::new(
            "projects/get-for-org",
            "Get a project of an organization",
            "",
            ok("The project.", of::<Project>),
        ),
        Operation::new(
            "projects/get",
            "Get a project by its id",
            "The target of a field's `project_url`.",
            ok("The project.", of::<Project>),
        ),
        Operation::new(
            "projects/list-for-user",
            "List the projects of a user",
            "For classic tokens and OAuth app tokens only.",
            ok("The projects.", of::<Vec<Project>>),
        )
        .query(CURSORS)
        .errors(CURSOR_ERRORS),
        Operation::new(
            "projects/get-for-user",
            "Get a project of a user",
            "For classic tokens and OAuth app tokens only.",
            ok("The project.", of::<Project>),
        ),
    ],
};
