//! Texts of the operations on accounts and repositories.

use crate::accounts::json::{Organization, Profile, SimpleOrganization, User};
use crate::openapi::operation::{Area, Operation, Parameter, choice, created, no_content, ok, parameter};
use crate::openapi::parameters::{PAGE, PER_PAGE};
use crate::openapi::schema::of;
use crate::repos::body::{CollaboratorBody, CreateRepoBody, TopicsBody, UpdateRepoBody};
use crate::repos::collaborators::{Collaborator, CollaboratorPermission};
use crate::repos::json::Repository;
use crate::repos::languages::LanguagesSchema;
use crate::repos::topics::Topics;
use crate::wire::DateTime;

const SORTS: &[&str] = &["created", "updated", "pushed", "full_name"];
const DIRECTION: Parameter =
    choice("direction", &["asc", "desc"], "By default `asc` for `full_name` and `desc` otherwise.");

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
        Operation::new(
            "repos/update",
            "Update a repository",
            "For administrators. A private one needs the `repo` scope.",
            ok("The repository.", of::<Repository>),
        )
        .body(of::<UpdateRepoBody>, r#"{"description": "Something of my own"}"#)
        .errors(&[(422, "The branch does not exist, or another field is not valid.")]),
        Operation::new(
            "repos/list-languages",
            "List the languages of a repository",
            "Of the default branch, by the extensions of files; the largest first.",
            ok("The bytes of each language.", of::<LanguagesSchema>),
        ),
        Operation::new("repos/get-all-topics", "Get the topics of a repository", "", ok("The topics.", of::<Topics>)),
        Operation::new(
            "repos/replace-all-topics",
            "Replace the topics of a repository",
            "For administrators. Letters become lower case.",
            ok("The topics.", of::<Topics>),
        )
        .body(of::<TopicsBody>, r#"{"names": ["git", "rust"]}"#)
        .errors(&[(422, "A topic is not valid, or there are too many.")]),
        Operation::new(
            "repos/list-for-authenticated-user",
            "List the repositories of the authenticated user",
            "Those that the user owns, collaborates in, or sees as a member of an organization, as far as the token allows.",
            ok("The repositories.", of::<Vec<Repository>>),
        )
        .query(&[
            choice("visibility", &["all", "public", "private"], "`all` by default."),
            parameter("affiliation", of::<String>, "Some of `owner`, `collaborator` and `organization_member`, with commas."),
            choice("type", &["all", "owner", "public", "private", "member"], "Instead of the two above."),
            choice("sort", SORTS, "`full_name` by default."),
            DIRECTION,
            parameter("since", of::<DateTime>, "Only repositories updated after this time."),
            parameter("before", of::<DateTime>, "Only repositories updated before this time."),
            PER_PAGE,
            PAGE,
        ]),
        Operation::new(
            "repos/list-for-org",
            "List the repositories of an organization",
            "Private ones for callers who can see them.",
            ok("The repositories.", of::<Vec<Repository>>),
        )
        .query(&[
            choice("type", &["all", "public", "private", "forks", "sources", "member"], "`all` by default."),
            choice("sort", SORTS, "`created` by default."),
            DIRECTION,
            PER_PAGE,
            PAGE,
        ]),
        Operation::new(
            "repos/list-for-user",
            "List the public repositories of a user",
            "",
            ok("The repositories.", of::<Vec<Repository>>),
        )
        .query(&[
            choice("type", &["all", "owner", "member"], "`owner` by default."),
            choice("sort", SORTS, "`full_name` by default."),
            DIRECTION,
            PER_PAGE,
            PAGE,
        ]),
        Operation::new(
            "orgs/list-for-authenticated-user",
            "List the organizations of the caller",
            "Empty for tokens without scopes.",
            ok("The organizations.", of::<Vec<SimpleOrganization>>),
        )
        .query(&[PER_PAGE, PAGE]),
        Operation::new(
            "orgs/list-for-user",
            "List the public memberships of a user",
            "Empty: members of an organization are visible only to each other.",
            ok("The organizations.", of::<Vec<SimpleOrganization>>),
        )
        .query(&[PER_PAGE, PAGE]),
        Operation::new(
            "orgs/list-members",
            "List the members of an organization",
            "For members.",
            ok("The members.", of::<Vec<User>>),
        )
        .query(&[choice("role", &["all", "admin", "member"], "`all` by default."), PER_PAGE, PAGE]),
        Operation::new(
            "orgs/check-membership-for-user",
            "Check whether a user is a member of an organization",
            "404 if not.",
            no_content("The user is a member."),
        ),
        Operation::new(
            "repos/list-collaborators",
            "List the users who have a role in a repository",
            "For callers with write access.",
            ok("The users.", of::<Vec<Collaborator>>),
        )
        .query(&[choice("affiliation", &["all", "direct", "outside"], "`all` by default."), PER_PAGE, PAGE]),
        Operation::new(
            "repos/check-collaborator",
            "Check whether a user has a role in a repository",
            "404 if not.",
            no_content("The user has a role."),
        ),
        Operation::new(
            "repos/add-collaborator",
            "Give a user a role in a repository",
            "For administrators. The role is effective at once, also one that replaces another.",
            no_content("The user has the role."),
        )
        .body(of::<CollaboratorBody>, r#"{"permission": "triage"}"#)
        .errors(&[(422, "The user owns the repository, or there is no such permission.")]),
        Operation::new(
            "repos/remove-collaborator",
            "Take the role of a collaborator away",
            "For administrators, and for the collaborator. A role that a user has as a member of an organization remains.",
            no_content("The user is no collaborator."),
        ),
        Operation::new(
            "repos/get-collaborator-permission-level",
            "Get what a user may do in a repository",
            "",
            ok("The permission.", of::<CollaboratorPermission>),
        ),
        Operation::new("repos/delete", "Delete a repository", "With everything in it.", no_content("Deleted.")),
    ],
};
