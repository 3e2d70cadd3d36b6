//! Texts of the operations on pull request review comments.

use crate::openapi::operation::{Area, Operation, Parameter, choice, created, no_content, ok, parameter};
use crate::openapi::parameters::{ABOUT_FORMS, PAGE, PAGES, PER_PAGE};
use crate::openapi::schema::of;
use crate::review_comments::body::{CreateCommentBody, TextBody};
use crate::review_comments::json::ReviewComment;
use crate::review_comments::resolutions::json::ReviewThread;
use plinth_base::clock::Timestamp;

/// The media types that choose the form of a comment's text.
const FORMS: &[&str] = &[
    "application/vnd.plinth-commitcomment.raw+json",
    "application/vnd.plinth-commitcomment.text+json",
    "application/vnd.plinth-commitcomment.html+json",
    "application/vnd.plinth-commitcomment.full+json",
];
const ABOUT_QUICK: &str = "Notifies the participants. Creating comments too quickly exceeds the secondary rate limit.";

const DIRECTION: Parameter = choice("direction", &["asc", "desc"], "Ignored without `sort`.");
const SINCE: Parameter = parameter(
    "since",
    of::<Timestamp>,
    "Only those updated after this time; a date alone is the start of that day in UTC.",
);

pub const AREA: Area = Area {
    name: "Review comments",
    about: "Comments on lines and files of a pull request's diff.",
    operations: &[
        Operation::new(
            "pulls/list-review-comments-for-repo",
            "List the review comments of a repository",
            ABOUT_FORMS,
            ok("The comments, by `id` unless sorted.", of::<Vec<ReviewComment>>).or(FORMS),
        )
        .query(&[
            choice("sort", &["created", "updated", "created_at"], "The key to sort by; `id` by default."),
            DIRECTION,
            SINCE,
            PER_PAGE,
            PAGE,
        ])
        .errors(&[(422, "A parameter of the query is not valid.")]),
        Operation::new(
            "pulls/get-review-comment",
            "Get a review comment",
            ABOUT_FORMS,
            ok("The comment.", of::<ReviewComment>).or(FORMS),
        ),
        Operation::new(
            "pulls/update-review-comment",
            "Update a review comment",
            "For its author, and for callers with write access to the repository.",
            ok("The comment after the change.", of::<ReviewComment>).or(FORMS),
        )
        .body(of::<TextBody>, r#"{"body": "Better now"}"#),
        Operation::new(
            "pulls/delete-review-comment",
            "Delete a review comment",
            "For its author, and for callers with write access to the repository. Replies to it stay.",
            no_content("Deleted."),
        ),
        Operation::new(
            "pulls/list-review-comments",
            "List the review comments of a pull request",
            ABOUT_FORMS,
            ok("The comments, by `id` unless sorted.", of::<Vec<ReviewComment>>).or(FORMS),
        )
        .query(&[
            choice("sort", &["created", "updated"], "The key to sort by; `id` by default."),
            DIRECTION,
            SINCE,
            PER_PAGE,
            PAGE,
        ])
        .errors(&[(422, "A parameter of the query is not valid.")]),
        Operation::new(
            "pulls/create-review-comment",
            "Create a review comment",
            "On a line or a range of lines (`line`, `side`, `start_line`, `start_side`), on a whole file (`subject_type: file`), at a \
             `position` of the diff, or as a reply (`in_reply_to`, with which all keys but `body` are ignored). Notifies the \
             participants. Creating comments too quickly exceeds the secondary rate limit.",
            created("The new comment.", of::<ReviewComment>).or(FORMS),
        )
        .body(of::<CreateCommentBody>, r#"{"body": "Why two?", "commit_id": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "path": "src/a.txt", "line": 2, "side": "RIGHT"}"#)
        .errors(&[
            (403, "The caller has no write access, or content was created too quickly."),
            (422, "The line is not part of the diff, a field is not valid, or the endpoint has been spammed."),
        ]),
        Operation::new(
            "pulls/create-reply-for-review-comment",
            "Reply to a review comment",
            ABOUT_QUICK,
            created("The new comment.", of::<ReviewComment>).or(FORMS),
        )
        .body(of::<TextBody>, r#"{"body": "Same here"}"#)
        .errors(&[(422, "The comment is a reply itself, the text is not valid, or the endpoint has been spammed.")]),
        Operation::new(
            "pulls/list-review-threads",
            "List the review threads of a pull request",
            "The oldest first. GitHub has this in GraphQL only.",
            ok("The threads.", of::<Vec<ReviewThread>>),
        )
        .query(PAGES),
        Operation::new(
            "pulls/resolve-review-thread",
            "Resolve the thread of a review comment",
            "For the author of the pull request, and for callers with write access to the repository. GitHub has this in \
             GraphQL only.",
            ok("The thread.", of::<ReviewThread>),
        )
        .errors(&[(422, "The thread is part of a pending review.")]),
        Operation::new(
            "pulls/unresolve-review-thread",
            "Unresolve the thread of a review comment",
            "For the author of the pull request, and for callers with write access to the repository. GitHub has this in \
             GraphQL only.",
            ok("The thread.", of::<ReviewThread>),
        )
        .errors(&[(422, "The thread is part of a pending review.")]),
    ],
};
