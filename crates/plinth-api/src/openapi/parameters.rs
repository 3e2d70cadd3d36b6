//! Parts of paths, and the parameters that many lists share.

use super::operation::{Parameter, parameter};
use super::schema::{SchemaOf, of};
use plinth_base::ids::Sha;

/// A named part of a path.
pub struct PathParameter {
    pub name: &'static str,
    pub schema: SchemaOf,
    pub about: &'static str,
    pub example: &'static str,
}

const fn part(name: &'static str, schema: SchemaOf, about: &'static str, example: &'static str) -> PathParameter {
    PathParameter { name, schema, about, example }
}

/// Every name that the paths of the policy table use.
pub const PATH: &[PathParameter] = &[
    part("org", of::<String>, "The organization's login; case does not matter.", "octo-org"),
    part("username", of::<String>, "The account's login; case does not matter.", "mona"),
    part("owner", of::<String>, "Who owns the repository; case does not matter.", "octo-org"),
    part("repo", of::<String>, "The repository's name without `.git`; case does not matter.", "hello"),
    part("project_number", of::<i64>, "The project's number among those of its owner.", "1"),
    part("project_id", of::<i64>, "The `id` of the project.", "1"),
    part("field_id", of::<i64>, "The `id` of the project field.", "1"),
    part("item_id", of::<i64>, "The `id` of the item.", "1"),
    part("issue_field_id", of::<i64>, "The `id` of the issue field.", "1"),
    part("pull_number", of::<i64>, "The pull request's number in its repository.", "1"),
    part("issue_number", of::<i64>, "The number of the issue or pull request in its repository.", "1"),
    part("name", of::<String>, "The label's name; case does not matter.", "bug"),
    part("assignee", of::<String>, "The login of a user; case does not matter.", "mona"),
    part("comment_id", of::<i64>, "The `id` of the comment.", "1"),
    part("review_id", of::<i64>, "The `id` of the review.", "1"),
    part("thread_id", of::<i64>, "The `id` of the notification.", "1"),
    part("installation_id", of::<i64>, "The `id` of the installation.", "1"),
    part("repository_id", of::<i64>, "The `id` of the repository.", "1"),
    part(
        "ref",
        of::<String>,
        "`heads/…` for a branch, `tags/…` for a tag; slashes may be written as they are or as `%2F`.",
        "heads/main",
    ),
    part("branch", of::<String>, "The branch's name; slashes may be written as they are or as `%2F`.", "main"),
    part(
        "basehead",
        of::<String>,
        "`BASE...HEAD`, each a branch, a tag or an id, also as `owner:branch`; with two dots, the files of the head are \
         compared with those of the base itself.",
        "main...feature",
    ),
    part("path", of::<String>, "The path of a file or a directory.", "README.md"),
    part("dir", of::<String>, "The path of a directory.", "docs"),
    part("commit_sha", of::<Sha>, "The id of the commit.", "6dcb09b5b57875f334f61aebed695e2e4193db5e"),
    part("tag_sha", of::<Sha>, "The id of the annotated tag.", "940bd336248efae0f9ee5bc7b2d5c985887b16ac"),
    part(
        "tree_sha",
        of::<String>,
        "The id of a tree, or of a commit or tag that has one, or the name of a branch or tag.",
        "main",
    ),
    part("file_sha", of::<Sha>, "The id of the blob.", "95d09f2b10159347eece71399a7e2e907ea3df4f"),
    part("sha", of::<Sha>, "The id of the commit.", "6dcb09b5b57875f334f61aebed695e2e4193db5e"),
    part("release_id", of::<i64>, "The `id` of the release.", "1"),
    part("asset_id", of::<i64>, "The `id` of the file.", "1"),
    part("tag", of::<String>, "The name of the tag; slashes may be written as they are or as `%2F`.", "v1.0.0"),
    part("file", of::<String>, "The name of the tag, a slash, and the name of the file.", "v1.0.0/tool.tar.gz"),
    part("hook_id", of::<i64>, "The `id` of the hook.", "1"),
    part("delivery_id", of::<i64>, "The `id` of the delivery.", "1"),
    part("id", of::<i64>, "The `id` of the account.", "1"),
];

pub const PER_PAGE: Parameter =
    parameter("per_page", of::<i64>, "The number of items on a page: 30 by default, 100 at most.");
pub const PAGE: Parameter = parameter("page", of::<i64>, "The number of the page, counted from 1.");
pub const BEFORE: Parameter =
    parameter("before", of::<String>, "A cursor from the `Link` header: only items before it.");
pub const AFTER: Parameter = parameter("after", of::<String>, "A cursor from the `Link` header: only items after it.");

/// How operations with bodies describe their media types.
pub const ABOUT_FORMS: &str = "`Accept` chooses the form of the text: `raw` returns `body`, `text` returns `body_text`, `html` returns \
    `body_html`, `full` returns all three.";

/// Lists by page number.
pub const PAGES: &[Parameter] = &[PER_PAGE, PAGE];
/// Lists by cursor.
pub const CURSORS: &[Parameter] = &[PER_PAGE, BEFORE, AFTER];
