//! Pull requests and reviews, described.

use super::pull_shapes::{
    COMMIT_OF_PULL, FILE, NEW_PULL, NEW_REVIEW, PULL, PULL_CHANGE, REVIEW, WHOLE_COMMIT, WHOLE_PULL,
};
use crate::openapi::operation::{Area, Operation, created, ok, parameter};
use crate::openapi::parameters::{PAGE, PAGES, PER_PAGE};
use crate::openapi::schema::Schema::{List, Named, Object, Text, Word};
use crate::openapi::schema::{field, maybe};

const INVALID: &[(u16, &str)] = &[(422, "A field is not valid.")];

pub const AREA: Area = Area {
    name: "Pull requests and reviews",
    about: "Pull requests and their reviews, as far as review tools need them.",
    operations: &[
        Operation::new("pulls/list", "List pull requests", "", ok("The pull requests.", List(&Named("pull-request"))))
            .query(&[
                parameter("state", Word(&["open", "closed", "all"]), "`open` unless given."),
                parameter("head", Text, "Only those from `owner:branch`."),
                parameter("base", Text, "Only those into this branch."),
                parameter(
                    "sort",
                    Word(&["created", "updated", "popularity", "long-running"]),
                    "`created` unless given.",
                ),
                parameter("direction", Word(&["asc", "desc"]), "By creation `desc` unless given, otherwise `asc`."),
                PER_PAGE,
                PAGE,
            ])
            .refusals(INVALID),
        Operation::new(
            "pulls/create",
            "Create a pull request",
            "From one branch of the repository into another.",
            created("The new pull request.", Named("whole-pull-request")),
        )
        .body(NEW_PULL, r#"{"title": "Change a", "head": "feature", "base": "main"}"#)
        .refusals(INVALID),
        Operation::new(
            "pulls/get",
            "Get a pull request",
            "As JSON, or as a diff or a series of patches where `Accept` asks for it.",
            ok("The pull request.", Named("whole-pull-request"))
                .or(&["application/vnd.github.v3.diff", "application/vnd.github.v3.patch"]),
        ),
        Operation::new(
            "pulls/update",
            "Update a pull request",
            "For its author, and for whoever may write to the repository.",
            ok("The pull request after the change.", Named("whole-pull-request")),
        )
        .body(PULL_CHANGE, r#"{"title": "A better title"}"#)
        .refusals(INVALID),
        Operation::new(
            "pulls/list-files",
            "List the files of a pull request",
            "",
            ok("The files, each with its patch.", List(&Named("diff-entry"))),
        )
        .query(PAGES),
        Operation::new(
            "pulls/list-commits",
            "List the commits of a pull request",
            "The oldest first.",
            ok("The commits.", List(&Named("commit"))),
        )
        .query(PAGES),
        Operation::new(
            "repos/get-commit",
            "Get a commit with what it changed",
            "By its name, or by that of a branch or tag.",
            ok("The commit.", Named("whole-commit")),
        )
        .refusals(&[(409, "The repository is empty."), (422, "There is no such commit.")]),
        Operation::new(
            "pulls/list-reviews",
            "List the reviews of a pull request",
            "A pending review is seen by its author only.",
            ok("The reviews, the oldest first.", List(&Named("review"))),
        )
        .query(PAGES),
        Operation::new(
            "pulls/create-review",
            "Create a review",
            "With its comments. Without `event` it stays pending until it is submitted.",
            ok("The review.", Named("review")),
        )
        .optional_body(NEW_REVIEW, r#"{"event": "COMMENT", "body": "Looks good"}"#)
        .refusals(&[(422, "A comment has no place in the diff, or a field is not valid.")]),
        Operation::new("pulls/get-review", "Get a review", "", ok("The review.", Named("review"))),
        Operation::new(
            "pulls/submit-review",
            "Submit a pending review",
            "Its comments become visible, and those who take part are notified.",
            ok("The review.", Named("review")),
        )
        .body(
            Object(&[field("event", Word(&["APPROVE", "REQUEST_CHANGES", "COMMENT"]), ""), maybe("body", Text, "")]),
            r#"{"event": "APPROVE"}"#,
        )
        .refusals(INVALID),
        Operation::new(
            "pulls/delete-pending-review",
            "Delete a pending review",
            "Its comments go with it.",
            ok("The review as it was.", Named("review")),
        )
        .refusals(&[(422, "The review was submitted already.")]),
        Operation::new(
            "pulls/list-comments-for-review",
            "List the comments of a review",
            "",
            ok("The comments.", List(&Named("review-comment"))),
        )
        .query(PAGES),
    ],
    schemas: &[
        ("pull-request", PULL),
        ("whole-pull-request", WHOLE_PULL),
        ("diff-entry", FILE),
        ("commit", COMMIT_OF_PULL),
        ("whole-commit", WHOLE_COMMIT),
        ("review", REVIEW),
    ],
};
