//! Texts of the operations on accounts and repositories.

use crate::accounts::json::{Organization, Profile};
use crate::openapi::operation::{Area, Operation, created, no_content, ok};
use crate::openapi::schema::of;
use crate::repos::body::CreateRepoBody;
use crate::repos::json::Repository;

const INVALID: &[(u16, &str)] = &[(422, "The name is not valid or taken, or another field is not valid.")];
const NEW_EXAMPLE: &str = r#"{"name": "mine", "description": "Something of my own", "private": false}"#;

pub const AREA: Area = Area {
    name: "Accounts and repositories",
    about: "Users, organizations and repositories.",
    operations: &[
        Operation::new(
            "users/get-authenticated",
            "Get the authenticated user",
            "With the e-mail address, which other callers do not see.",
            ok("The user.", of::<Profile>),
        ),
        Operation::new("users/get-by-username", "Get a user", "", ok("The user.", of::<Profile>)),
        Operation::new("orgs/get", "Get an organization", "", ok("The organization.", of::<Organization>)),
        Operation::new(
            "repos/get",
            "Get a repository",
            "With `permissions` for callers who have a token.",
            ok("The repository.", of::<Repository>),
        ),
        Operation::new(
            "repos/create-for-authenticated-user",
            "Create a repository for the authenticated user",
            "Empty, with `main` as its default branch. A private one needs the `repo` scope.",
            created("The new repository.", of::<Repository>),
        )
        .body(of::<CreateRepoBody>, NEW_EXAMPLE)
        .errors(INVALID),
        Operation::new(
            "repos/create-in-org",
            "Create a repository of an organization",
            "Only for members; the creator becomes its administrator.",
            created("The new repository.", of::<Repository>),
        )
        .body(of::<CreateRepoBody>, NEW_EXAMPLE)
        .errors(INVALID),
        Operation::new("repos/delete", "Delete a repository", "With everything in it.", no_content("Deleted.")),
    ],
};
