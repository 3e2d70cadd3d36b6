//! Projects, described.

use crate::openapi::operation::{Area, Operation, ok};
use crate::openapi::parameters::CURSORS;
use crate::openapi::schema::Schema::{self, Boolean, Integer, List, Named, Null, Object, OrNull, Text, Time, Word};
use crate::openapi::schema::field;

const CURSOR_REFUSED: &[(u16, &str)] = &[(422, "A cursor is not one of this list, or both cursors were given.")];

pub const AREA: Area = Area {
    name: "Projects",
    about: "Projects of organizations and users, as far as clients need them to find fields.",
    operations: &[
        Operation::new(
            "projects/list-for-org",
            "List the projects of an organization",
            "Public ones, and the private ones that the caller may read.",
            ok("The projects.", List(&Named("project"))),
        )
        .query(CURSORS)
        .refusals(CURSOR_REFUSED),
        Operation::new(
            "projects/get-for-org",
            "Get a project of an organization",
            "",
            ok("The project.", Named("project")),
        ),
        Operation::new(
            "projects/get",
            "Get a project by its id",
            "Where `project_url` of a field leads to.",
            ok("The project.", Named("project")),
        ),
        Operation::new(
            "projects/list-for-user",
            "List the projects of a user",
            "For classic tokens and OAuth app tokens only.",
            ok("The projects.", List(&Named("project"))),
        )
        .query(CURSORS)
        .refusals(CURSOR_REFUSED),
        Operation::new(
            "projects/get-for-user",
            "Get a project of a user",
            "For classic tokens and OAuth app tokens only.",
            ok("The project.", Named("project")),
        ),
    ],
    schemas: &[("project", PROJECT)],
};

const PROJECT: Schema = Object(&[
    field("id", Integer, ""),
    field("node_id", Text, ""),
    field("owner", Named("user"), ""),
    field("creator", Named("user"), ""),
    field("title", Text, ""),
    field("description", OrNull(&Text), ""),
    field("public", Boolean, ""),
    field("closed_at", OrNull(&Time), ""),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
    field("number", Integer, "Counted from 1 for each owner."),
    field("short_description", OrNull(&Text), ""),
    field("deleted_at", OrNull(&Time), ""),
    field("deleted_by", OrNull(&Named("user")), ""),
    field("state", Word(&["open", "closed"]), ""),
    field("latest_status_update", Null, ""),
    field("is_template", Boolean, ""),
]);
