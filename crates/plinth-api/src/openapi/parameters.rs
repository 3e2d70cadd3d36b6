//! Parts of paths, and the parameters that many lists share.

use super::operation::{Parameter, parameter};
use super::schema::Schema::{self, Integer, Sha, Text};

/// A named part of a path.
pub struct PathParameter {
    pub name: &'static str,
    pub schema: Schema,
    pub about: &'static str,
    pub example: &'static str,
}

const fn part(name: &'static str, schema: Schema, about: &'static str, example: &'static str) -> PathParameter {
    PathParameter { name, schema, about, example }
}

/// Every name that the paths of the access table use.
pub const PATH: &[PathParameter] = &[
    part("org", Text, "The organization's login; upper and lower case are the same.", "octo-org"),
    part("username", Text, "The account's login; upper and lower case are the same.", "mona"),
    part("owner", Text, "Who owns the repository; upper and lower case are the same.", "octo-org"),
    part("repo", Text, "The repository's name without `.git`; upper and lower case are the same.", "hello"),
    part("project_number", Integer, "The project's number among those of its owner.", "1"),
    part("project_id", Integer, "The `id` of the project.", "1"),
    part("field_id", Integer, "The `id` of the project field.", "1"),
    part("issue_field_id", Integer, "The `id` of the issue field.", "1"),
    part("pull_number", Integer, "The pull request's number in its repository.", "1"),
    part("comment_id", Integer, "The `id` of the review comment.", "1"),
    part("review_id", Integer, "The `id` of the review.", "1"),
    part("thread_id", Integer, "The `id` of the notification.", "1"),
    part("installation_id", Integer, "The `id` of the installation.", "1"),
    part("repository_id", Integer, "The `id` of the repository.", "1"),
    part(
        "ref",
        Text,
        "`heads/…` for a branch, `tags/…` for a tag; slashes may be written as they are or as `%2F`.",
        "heads/main",
    ),
    part("commit_sha", Sha, "The id of the commit.", "6dcb09b5b57875f334f61aebed695e2e4193db5e"),
    part("tag_sha", Sha, "The id of the annotated tag.", "940bd336248efae0f9ee5bc7b2d5c985887b16ac"),
    part("tree_sha", Text, "The id of the tree, or a name that leads to one.", "main"),
    part("file_sha", Sha, "The id of the blob.", "95d09f2b10159347eece71399a7e2e907ea3df4f"),
    part("id", Integer, "The `id` of the account.", "1"),
];

pub const PER_PAGE: Parameter =
    parameter("per_page", Integer, "How many items a page has: 30 unless given, 100 at most.");
pub const PAGE: Parameter = parameter("page", Integer, "Which page to answer with, counted from 1.");
pub const BEFORE: Parameter = parameter("before", Text, "A cursor from the `Link` header: only what comes before it.");
pub const AFTER: Parameter = parameter("after", Text, "A cursor from the `Link` header: only what comes after it.");

/// Lists by page number.
pub const PAGES: &[Parameter] = &[PER_PAGE, PAGE];
/// Lists by cursor.
pub const CURSORS: &[Parameter] = &[PER_PAGE, BEFORE, AFTER];
