//! Texts of the operations on app installations.

use crate::installations::body::CreateTokenBody;
use crate::installations::json::{AccessToken, App, Installation, Installations, Repositories};
use crate::openapi::operation::{Area, Operation, created, no_content, ok};
use crate::openapi::parameters::PAGES;
use crate::openapi::schema::of;

const SUSPENDED: (u16, &str) = (403, "The installation is suspended, or the right is missing.");

pub const AREA: Area = Area {
    name: "App installations",
    about: "Installations of apps on accounts, their repositories and their tokens.",
    operations: &[
        Operation::new(
            "apps/list-repos-accessible-to-installation",
            "List the repositories of the authenticated installation",
            "Those that the installation token may access.",
            ok("A page of repositories.", of::<Repositories>),
        )
        .query(PAGES),
        Operation::new(
            "apps/revoke-installation-access-token",
            "Revoke the installation token",
            "Revokes the token of this request.",
            no_content("Revoked."),
        ),
        Operation::new(
            "apps/list-installations-for-authenticated-user",
            "List the installations that a user may access",
            "Those of the calling app on which the user may read, write or administer something.",
            ok("A page of installations.", of::<Installations>),
        )
        .query(PAGES),
        Operation::new(
            "apps/list-installation-repos-for-authenticated-user",
            "List the repositories of an installation that a user may access",
            "`permissions` of each repository says what the user may do there.",
            ok("A page of repositories.", of::<Repositories>),
        )
        .query(PAGES),
        Operation::new(
            "apps/add-repo-to-installation-for-authenticated-user",
            "Add a repository to an installation",
            "For administrators of the repository. Adding it again changes nothing.",
            no_content("The installation has the repository."),
        )
        .errors(&[(422, "The installation has all repositories already.")]),
        Operation::new(
            "apps/remove-repo-from-installation-for-authenticated-user",
            "Remove a repository from an installation",
            "For administrators of the repository, where the installation has `selected` repositories.",
            no_content("The installation no longer has the repository."),
        )
        .errors(&[(422, "The installation has all repositories, or this is its last one.")]),
        Operation::new("apps/get-authenticated", "Get the calling app", "", ok("The app.", of::<App>)),
        Operation::new(
            "apps/list-installations",
            "List the installations of the calling app",
            "",
            ok("The installations.", of::<Vec<Installation>>),
        )
        .query(PAGES),
        Operation::new(
            "apps/get-installation",
            "Get an installation of the calling app",
            "",
            ok("The installation.", of::<Installation>),
        ),
        Operation::new(
            "apps/delete-installation",
            "Uninstall the calling app from an account",
            "Its tokens are revoked.",
            no_content("Deleted."),
        ),
        Operation::new(
            "apps/create-installation-access-token",
            "Create an installation token",
            "Valid for 60 minutes, and shown only here. The body may restrict it to some repositories and permissions.",
            created("The token.", of::<AccessToken>),
        )
        .optional_body(of::<CreateTokenBody>, r#"{"repositories": ["hello"], "permissions": {"contents": "read"}}"#)
        .errors(&[SUSPENDED, (422, "The installation does not have the requested repositories or permissions.")]),
        Operation::new(
            "apps/suspend-installation",
            "Suspend an installation",
            "Its tokens are rejected until it is unsuspended.",
            no_content("Suspended."),
        ),
        Operation::new("apps/unsuspend-installation", "Unsuspend an installation", "", no_content("Unsuspended.")),
        Operation::new(
            "apps/get-repo-installation",
            "Find the calling app's installation for a repository",
            "",
            ok("The installation.", of::<Installation>),
        ),
        Operation::new(
            "apps/get-org-installation",
            "Find the calling app's installation on an organization",
            "",
            ok("The installation.", of::<Installation>),
        ),
        Operation::new(
            "apps/get-user-installation",
            "Find the calling app's installation on a user",
            "",
            ok("The installation.", of::<Installation>),
        ),
    ],
};
