//! App installations, described.

use crate::openapi::operation::{Area, Operation, created, no_content, ok};
use crate::openapi::parameters::PAGES;
use crate::openapi::schema::Schema::{self, Boolean, Integer, List, Map, Named, Object, OrNull, Text, Time, Url, Word};
use crate::openapi::schema::{field, maybe};

const SUSPENDED: (u16, &str) = (403, "The installation is suspended, or the right is missing.");

pub const AREA: Area = Area {
    name: "App installations",
    about: "What apps may reach on accounts, and the tokens that come from it.",
    operations: &[
        Operation::new(
            "apps/list-repos-accessible-to-installation",
            "List the repositories of the installation in use",
            "Those that the installation token reaches.",
            ok("A page of repositories.", Named("installation-repositories")),
        )
        .query(PAGES),
        Operation::new(
            "apps/revoke-installation-access-token",
            "Revoke the installation token in use",
            "The token that signs this request ends with it.",
            no_content("The token is dead."),
        ),
        Operation::new(
            "apps/list-installations-for-authenticated-user",
            "List the installations that a user reaches",
            "Those of the calling app on which the user may read, write or administer something.",
            ok("A page of installations.", Named("user-installations")),
        )
        .query(PAGES),
        Operation::new(
            "apps/list-installation-repos-for-authenticated-user",
            "List the repositories that a user reaches through an installation",
            "`permissions` of each repository says what the user may do there.",
            ok("A page of repositories.", Named("installation-repositories")),
        )
        .query(PAGES),
        Operation::new(
            "apps/add-repo-to-installation-for-authenticated-user",
            "Add a repository to an installation",
            "For administrators of the repository. Adding it once more changes nothing.",
            no_content("The installation has the repository."),
        )
        .refusals(&[(422, "The installation has all repositories already.")]),
        Operation::new(
            "apps/remove-repo-from-installation-for-authenticated-user",
            "Remove a repository from an installation",
            "For administrators of the repository, where the installation has `selected` repositories.",
            no_content("The installation does not have the repository any more."),
        )
        .refusals(&[(422, "The installation has all repositories, or this is its last one.")]),
        Operation::new("apps/get-authenticated", "Get the calling app", "", ok("The app.", Named("app"))),
        Operation::new(
            "apps/list-installations",
            "List the installations of the calling app",
            "",
            ok("The installations.", List(&Named("installation"))),
        )
        .query(PAGES),
        Operation::new(
            "apps/get-installation",
            "Get an installation of the calling app",
            "",
            ok("The installation.", Named("installation")),
        ),
        Operation::new(
            "apps/delete-installation",
            "Uninstall the calling app from an account",
            "Its tokens end with it.",
            no_content("It is gone."),
        ),
        Operation::new(
            "apps/create-installation-access-token",
            "Create an installation token",
            "Lives for 60 minutes and is shown this once. The body may narrow it to some repositories and permissions.",
            created("The token.", Named("installation-token")),
        )
        .optional_body(NARROWED, r#"{"repositories": ["hello"], "permissions": {"contents": "read"}}"#)
        .refusals(&[SUSPENDED, (422, "The installation does not have what was asked for.")]),
        Operation::new(
            "apps/suspend-installation",
            "Suspend an installation",
            "Its tokens are refused until it is resumed.",
            no_content("It is suspended."),
        ),
        Operation::new("apps/unsuspend-installation", "Resume an installation", "", no_content("It works again.")),
        Operation::new(
            "apps/get-repo-installation",
            "Find the calling app's installation for a repository",
            "",
            ok("The installation.", Named("installation")),
        ),
        Operation::new(
            "apps/get-org-installation",
            "Find the calling app's installation on an organization",
            "",
            ok("The installation.", Named("installation")),
        ),
        Operation::new(
            "apps/get-user-installation",
            "Find the calling app's installation on a user",
            "",
            ok("The installation.", Named("installation")),
        ),
    ],
    schemas: &[
        ("app", APP),
        ("installation", INSTALLATION),
        ("installation-repositories", REPOSITORIES),
        ("user-installations", INSTALLATIONS),
        ("installation-token", TOKEN),
        ("permissions", PERMISSIONS),
    ],
};

const SELECTION: Schema = Word(&["all", "selected"]);
const PERMISSIONS: Schema = Map(&Word(&["read", "write", "admin"]));

const INSTALLATION: Schema = Object(&[
    field("id", Integer, ""),
    maybe("client_id", Text, ""),
    field("account", Named("user"), "Where the app is installed."),
    field("repository_selection", SELECTION, ""),
    field("access_tokens_url", Url, ""),
    field("repositories_url", Url, ""),
    field("html_url", Url, ""),
    field("app_id", Integer, ""),
    field("app_slug", Text, ""),
    field("target_id", Integer, "The account's `id`."),
    field("target_type", Word(&["User", "Organization"]), ""),
    field("permissions", Named("permissions"), ""),
    field("events", List(&Text), ""),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
    field("single_file_name", OrNull(&Text), ""),
    field("has_multiple_single_files", Boolean, ""),
    field("single_file_paths", List(&Text), ""),
    field("suspended_by", OrNull(&Named("user")), ""),
    field("suspended_at", OrNull(&Time), ""),
]);

const APP: Schema = Object(&[
    field("id", Integer, ""),
    field("client_id", Text, ""),
    field("slug", Text, ""),
    field("node_id", Text, ""),
    field("owner", Named("user"), ""),
    field("name", Text, ""),
    field("description", OrNull(&Text), ""),
    field("external_url", Url, ""),
    field("html_url", Url, ""),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
    field("permissions", Named("permissions"), ""),
    field("events", List(&Text), ""),
    maybe("installations_count", Integer, ""),
]);

const REPOSITORIES: Schema = Object(&[
    field("total_count", Integer, "On all pages together."),
    maybe("repository_selection", SELECTION, ""),
    field("repositories", List(&Named("repository")), ""),
]);

const INSTALLATIONS: Schema = Object(&[
    field("total_count", Integer, "On all pages together."),
    field("installations", List(&Named("installation")), ""),
]);

const NARROWED: Schema = Object(&[
    maybe("repositories", List(&Text), "Names of repositories of the account."),
    maybe("repository_ids", List(&Integer), ""),
    maybe("permissions", Named("permissions"), "At most those of the installation."),
]);

const TOKEN: Schema = Object(&[
    field("token", Text, ""),
    field("expires_at", Time, ""),
    field("permissions", Named("permissions"), ""),
    field("repository_selection", SELECTION, ""),
    maybe("repositories", List(&Named("repository")), "Where the token was narrowed."),
]);
