//! The shapes of pull requests and reviews.

use crate::openapi::schema::Schema::{
    self, Boolean, Integer, List, Map, More, Named, Null, Object, OrNull, Sha, Text, Time, Url, Word,
};
use crate::openapi::schema::{field, maybe};

const ANYTHING: Schema = Named("anything");

/// One in a list; what this service does not keep is there with an empty value.
pub const PULL: Schema = Object(&[
    field("url", Url, ""),
    field("id", Integer, ""),
    field("node_id", Text, ""),
    field("html_url", Url, ""),
    field("diff_url", Url, ""),
    field("patch_url", Url, ""),
    field("issue_url", Url, ""),
    field("commits_url", Url, ""),
    field("review_comments_url", Url, ""),
    field("review_comment_url", Text, "With the number of a comment in braces."),
    field("comments_url", Url, ""),
    field("statuses_url", Url, ""),
    field("number", Integer, ""),
    field("state", Word(&["open", "closed"]), ""),
    field("locked", Boolean, ""),
    field("title", Text, ""),
    field("user", OrNull(&Named("user")), "The author."),
    field("body", OrNull(&Text), "Markdown."),
    field("labels", List(&ANYTHING), ""),
    field("milestone", Null, ""),
    field("active_lock_reason", Null, ""),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
    field("closed_at", OrNull(&Time), ""),
    field("merged_at", OrNull(&Time), ""),
    field("merge_commit_sha", OrNull(&Sha), ""),
    field("assignee", Null, ""),
    field("assignees", List(&ANYTHING), ""),
    field("requested_reviewers", List(&ANYTHING), ""),
    field("requested_teams", List(&ANYTHING), ""),
    field("head", SIDE, "Where the changes come from."),
    field("base", SIDE, "Where they are to go."),
    field("_links", LINKS, ""),
    field("author_association", Named("author-association"), ""),
    field("auto_merge", Null, ""),
    field("draft", Boolean, ""),
]);

/// One by itself, with what takes a comparison of its branches.
pub const WHOLE_PULL: Schema = More(
    &Named("pull-request"),
    &[
        field("merged", Boolean, ""),
        field("mergeable", OrNull(&Boolean), ""),
        field("rebaseable", OrNull(&Boolean), ""),
        field("mergeable_state", Text, ""),
        field("merged_by", Null, ""),
        field("comments", Integer, ""),
        field("review_comments", Integer, ""),
        field("maintainer_can_modify", Boolean, ""),
        field("commits", Integer, ""),
        field("additions", Integer, ""),
        field("deletions", Integer, ""),
        field("changed_files", Integer, ""),
    ],
);

const LINK: Schema = Object(&[field("href", Text, "")]);

const LINKS: Schema = Object(&[
    field("self", LINK, ""),
    field("html", LINK, ""),
    field("issue", LINK, ""),
    field("comments", LINK, ""),
    field("review_comments", LINK, ""),
    field("review_comment", LINK, ""),
    field("commits", LINK, ""),
    field("statuses", LINK, ""),
]);

const SIDE: Schema = Object(&[
    field("label", Text, "`owner:branch`."),
    field("ref", Text, "The branch."),
    field("sha", Sha, ""),
    field("user", OrNull(&Named("user")), ""),
    field("repo", OrNull(&Named("repository")), ""),
]);

pub const NEW_PULL: Schema = Object(&[
    field("title", Text, ""),
    field("head", Text, "The branch with the changes."),
    field("base", Text, "The branch that they are to go to."),
    maybe("body", OrNull(&Text), "Markdown."),
    maybe("draft", Boolean, ""),
]);

pub const PULL_CHANGE: Schema = Object(&[
    maybe("title", Text, ""),
    maybe("body", OrNull(&Text), "Markdown."),
    maybe("state", Word(&["open", "closed"]), ""),
    maybe("base", Text, ""),
]);

pub const FILE: Schema = Object(&[
    field("sha", OrNull(&Sha), "The blob, after the change."),
    field("filename", Text, ""),
    field("status", Word(&["added", "removed", "modified", "renamed", "copied", "changed", "unchanged"]), ""),
    field("additions", Integer, ""),
    field("deletions", Integer, ""),
    field("changes", Integer, ""),
    maybe("blob_url", Url, ""),
    maybe("raw_url", Url, ""),
    maybe("contents_url", Url, ""),
    maybe("patch", Text, "Absent for binary files."),
    maybe("previous_filename", Text, "Only for renamed files."),
]);

pub const COMMIT_OF_PULL: Schema = Object(&[
    field("sha", Sha, ""),
    field("node_id", Text, ""),
    field("url", Url, ""),
    field("html_url", Url, ""),
    field("comments_url", Url, ""),
    field("commit", Map(&ANYTHING), "Author, committer, message and tree, as Git keeps them."),
    field("author", OrNull(&Named("user")), "The account with the author's e-mail address."),
    field("committer", OrNull(&Named("user")), ""),
    field("parents", List(&Map(&ANYTHING)), ""),
]);

pub const WHOLE_COMMIT: Schema = More(
    &Named("commit"),
    &[
        field(
            "stats",
            Object(&[field("total", Integer, ""), field("additions", Integer, ""), field("deletions", Integer, "")]),
            "Lines, in all files.",
        ),
        field("files", List(&Named("diff-entry")), "At most 300, against the first parent."),
    ],
);

pub const REVIEW: Schema = Object(&[
    field("id", Integer, ""),
    field("node_id", Text, ""),
    field("user", OrNull(&Named("user")), ""),
    maybe("body", Text, "Markdown, unless another representation is asked for."),
    maybe("body_text", Text, ""),
    maybe("body_html", Text, ""),
    field("state", Word(&["PENDING", "COMMENTED", "APPROVED", "CHANGES_REQUESTED", "DISMISSED"]), ""),
    field("html_url", Url, ""),
    field("pull_request_url", Url, ""),
    field("author_association", Named("author-association"), ""),
    field("_links", Map(&ANYTHING), ""),
    maybe("submitted_at", Time, "Absent while it is pending."),
    field("commit_id", OrNull(&Sha), ""),
]);

pub const NEW_REVIEW: Schema = Object(&[
    maybe("commit_id", Text, "The head of the pull request unless given."),
    maybe("body", OrNull(&Text), ""),
    maybe("event", Word(&["APPROVE", "REQUEST_CHANGES", "COMMENT"]), "Submits it at once."),
    maybe("comments", List(&COMMENT_IN_REVIEW), ""),
]);

const COMMENT_IN_REVIEW: Schema = Object(&[
    field("path", Text, ""),
    field("body", Text, ""),
    maybe("position", Integer, ""),
    maybe("line", Integer, ""),
    maybe("side", Text, ""),
    maybe("start_line", Integer, ""),
    maybe("start_side", Text, ""),
]);
