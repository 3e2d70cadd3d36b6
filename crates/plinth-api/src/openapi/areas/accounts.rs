//! Accounts and repositories, described.

use crate::openapi::operation::{Area, Operation, created, no_content, ok};
use crate::openapi::schema::Schema::{self, Boolean, Integer, More, Named, Object, OrNull, Text, Time, Url, Word};
use crate::openapi::schema::{Field, field, maybe};

const INVALID: &[(u16, &str)] = &[(422, "The name is not valid or taken, or another field is not valid.")];
const NEW_EXAMPLE: &str = r#"{"name": "mine", "description": "Something of my own", "private": false}"#;

pub const AREA: Area = Area {
    name: "Accounts and repositories",
    about: "Users, organizations and repositories by themselves.",
    operations: &[
        Operation::new(
            "users/get-authenticated",
            "Get the user behind the token",
            "With the e-mail address, which others do not see.",
            ok("The user.", Named("profile")),
        ),
        Operation::new("users/get-by-username", "Get a user", "", ok("The user.", Named("profile"))),
        Operation::new("orgs/get", "Get an organization", "", ok("The organization.", Named("organization"))),
        Operation::new(
            "repos/get",
            "Get a repository",
            "With `permissions` for callers who have a token.",
            ok("The repository.", Named("repository")),
        ),
        Operation::new(
            "repos/create-for-authenticated-user",
            "Create a repository of one's own",
            "Empty, with `main` as its default branch. A private one takes the `repo` scope.",
            created("The new repository.", Named("repository")),
        )
        .body(NEW, NEW_EXAMPLE)
        .refusals(INVALID),
        Operation::new(
            "repos/create-in-org",
            "Create a repository of an organization",
            "For its members; whoever creates it administers it.",
            created("The new repository.", Named("repository")),
        )
        .body(NEW, NEW_EXAMPLE)
        .refusals(INVALID),
        Operation::new("repos/delete", "Delete a repository", "With all that is in it.", no_content("It is gone.")),
    ],
    schemas: &[
        ("user", USER),
        ("profile", PROFILE),
        ("organization", ORGANIZATION),
        ("repository", super::repository::REPOSITORY),
        ("author-association", ASSOCIATION),
    ],
};

const ASSOCIATION: Schema = Word(&[
    "COLLABORATOR",
    "CONTRIBUTOR",
    "FIRST_TIMER",
    "FIRST_TIME_CONTRIBUTOR",
    "MANNEQUIN",
    "MEMBER",
    "NONE",
    "OWNER",
]);

const USER_FIELDS: &[Field] = &[
    field("login", Text, ""),
    field("id", Integer, ""),
    field("node_id", Text, ""),
    field("avatar_url", Url, ""),
    field("gravatar_id", Text, "Always empty."),
    field("url", Url, ""),
    field("html_url", Url, ""),
    field("followers_url", Url, ""),
    field("following_url", Text, ""),
    field("gists_url", Text, ""),
    field("starred_url", Text, ""),
    field("subscriptions_url", Url, ""),
    field("organizations_url", Url, ""),
    field("repos_url", Url, ""),
    field("events_url", Text, ""),
    field("received_events_url", Url, ""),
    field("type", Word(&["User", "Organization", "Bot"]), ""),
    maybe("user_view_type", Text, ""),
    field("site_admin", Boolean, ""),
];

const USER: Schema = Object(USER_FIELDS);

const PROFILE: Schema = More(
    &Named("user"),
    &[
        field("name", OrNull(&Text), ""),
        field("company", OrNull(&Text), ""),
        field("blog", Text, ""),
        field("location", OrNull(&Text), ""),
        field("email", OrNull(&Text), "Only one's own."),
        field("hireable", OrNull(&Boolean), ""),
        field("bio", OrNull(&Text), ""),
        field("public_repos", Integer, ""),
        field("public_gists", Integer, ""),
        field("followers", Integer, ""),
        field("following", Integer, ""),
        field("created_at", Time, ""),
        field("updated_at", Time, ""),
    ],
);

const ORGANIZATION: Schema = Object(&[
    field("login", Text, ""),
    field("id", Integer, ""),
    field("node_id", Text, ""),
    field("url", Url, ""),
    field("repos_url", Url, ""),
    field("events_url", Url, ""),
    field("hooks_url", Url, ""),
    field("issues_url", Url, ""),
    field("members_url", Text, ""),
    field("public_members_url", Text, ""),
    field("avatar_url", Url, ""),
    field("description", OrNull(&Text), ""),
    field("name", OrNull(&Text), ""),
    field("email", OrNull(&Text), ""),
    field("is_verified", Boolean, ""),
    field("has_organization_projects", Boolean, ""),
    field("has_repository_projects", Boolean, ""),
    field("public_repos", Integer, ""),
    field("public_gists", Integer, ""),
    field("followers", Integer, ""),
    field("following", Integer, ""),
    field("html_url", Url, ""),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
    field("archived_at", OrNull(&Time), ""),
    field("type", Text, ""),
]);

const NEW: Schema = Object(&[
    field("name", Text, ""),
    maybe("description", OrNull(&Text), "At most 350 characters."),
    maybe("private", Boolean, "False unless given."),
    maybe("visibility", Word(&["public", "private"]), "Says the same as `private` and counts more."),
]);
