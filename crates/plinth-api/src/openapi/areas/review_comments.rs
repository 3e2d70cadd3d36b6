//! Pull request review comments, described.

use crate::openapi::operation::{Area, Operation, Parameter, created, no_content, ok, parameter};
use crate::openapi::parameters::{PAGE, PER_PAGE};
use crate::openapi::schema::Schema::{self, Integer, List, Named, Object, OrNull, Sha, Text, Time, Url, Word};
use crate::openapi::schema::{field, maybe};

/// The forms in which the text of a comment can be had.
const FORMS: &[&str] = &[
    "application/vnd.plinth-commitcomment.raw+json",
    "application/vnd.plinth-commitcomment.text+json",
    "application/vnd.plinth-commitcomment.html+json",
    "application/vnd.plinth-commitcomment.full+json",
];
const ABOUT_FORMS: &str = "`Accept` chooses the form of the text: `raw` gives `body`, `text` gives `body_text`, `html` gives \
    `body_html`, `full` gives all three.";
const ABOUT_QUICK: &str = "Notifies those who take part. Creating too quickly meets the secondary limit.";

const DIRECTION: Parameter = parameter("direction", Word(&["asc", "desc"]), "Ignored without `sort`.");
const SINCE: Parameter = parameter("since", Time, "Only what was updated after this moment.");

pub const AREA: Area = Area {
    name: "Review comments",
    about: "Comments on lines and files of a pull request's diff.",
    operations: &[
        Operation::new(
            "pulls/list-review-comments-for-repo",
            "List the review comments of a repository",
            ABOUT_FORMS,
            ok("The comments, by `id` unless sorted.", List(&Named("review-comment"))).or(FORMS),
        )
        .query(&[
            parameter("sort", Word(&["created", "updated", "created_at"]), "What to sort by; by `id` where it is left out."),
            DIRECTION,
            SINCE,
            PER_PAGE,
            PAGE,
        ])
        .refusals(&[(422, "A parameter of the query is not valid.")]),
        Operation::new(
            "pulls/get-review-comment",
            "Get a review comment",
            ABOUT_FORMS,
            ok("The comment.", Named("review-comment")).or(FORMS),
        ),
        Operation::new(
            "pulls/update-review-comment",
            "Update a review comment",
            "For its author, and for whoever may write to the repository.",
            ok("The comment after the change.", Named("review-comment")).or(FORMS),
        )
        .body(TEXT_ONLY, r#"{"body": "Better now"}"#),
        Operation::new(
            "pulls/delete-review-comment",
            "Delete a review comment",
            "For its author, and for whoever may write to the repository. Replies to it stay.",
            no_content("It is gone."),
        ),
        Operation::new(
            "pulls/list-review-comments",
            "List the review comments of a pull request",
            ABOUT_FORMS,
            ok("The comments, by `id` unless sorted.", List(&Named("review-comment"))).or(FORMS),
        )
        .query(&[
            parameter("sort", Word(&["created", "updated"]), "What to sort by; by `id` where it is left out."),
            DIRECTION,
            SINCE,
            PER_PAGE,
            PAGE,
        ])
        .refusals(&[(422, "A parameter of the query is not valid.")]),
        Operation::new(
            "pulls/create-review-comment",
            "Create a review comment",
            "On a line or a range of lines (`line`, `side`, `start_line`, `start_side`), on a whole file (`subject_type: file`), at a \
             `position` of the diff, or as an answer (`in_reply_to`, with which all but `body` is ignored). Notifies those who \
             take part. Creating too quickly meets the secondary limit.",
            created("The new comment.", Named("review-comment")).or(FORMS),
        )
        .body(NEW, r#"{"body": "Why two?", "commit_id": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "path": "src/a.txt", "line": 2, "side": "RIGHT"}"#)
        .refusals(&[
            (403, "The right is missing, or content was created too quickly."),
            (422, "The place is not part of the diff, a field is not valid, or the endpoint has been spammed."),
        ]),
        Operation::new(
            "pulls/create-reply-for-review-comment",
            "ApiResponse to a review comment",
            ABOUT_QUICK,
            created("The new comment.", Named("review-comment")).or(FORMS),
        )
        .body(TEXT_ONLY, r#"{"body": "Same here"}"#)
        .refusals(&[(422, "The comment is a reply itself, the text is not valid, or the endpoint has been spammed.")]),
    ],
    schemas: &[("review-comment", COMMENT), ("reactions", REACTIONS)],
};

const TEXT_ONLY: Schema = Object(&[field("body", Text, "Markdown.")]);
const SIDE: Schema = Word(&["LEFT", "RIGHT"]);
const LINK: Schema = Object(&[field("href", Url, "")]);

const COMMENT: Schema = Object(&[
    field("url", Url, ""),
    field("pull_request_review_id", OrNull(&Integer), "The review that it is part of."),
    field("id", Integer, ""),
    field("node_id", Text, ""),
    field("diff_hunk", Text, "The hunk down to the line of the comment."),
    field("path", Text, ""),
    field("commit_id", Sha, "The head of the pull request, or the last commit that the comment applies to."),
    field("original_commit_id", Sha, "The commit that was commented on."),
    field("user", OrNull(&Named("user")), "The author."),
    maybe("body", Text, "Markdown; not with `text` and `html`."),
    maybe("body_text", Text, "Only with `text` and `full`."),
    maybe("body_html", Text, "Only with `html` and `full`."),
    field("created_at", Time, ""),
    field("updated_at", Time, ""),
    field("html_url", Url, ""),
    field("pull_request_url", Url, ""),
    field("author_association", Named("author-association"), ""),
    field("_links", Object(&[field("self", LINK, ""), field("html", LINK, ""), field("pull_request", LINK, "")]), ""),
    maybe("reactions", Named("reactions"), ""),
    maybe("start_line", OrNull(&Integer), "The first line of a range."),
    maybe("original_start_line", OrNull(&Integer), ""),
    maybe("start_side", OrNull(&SIDE), ""),
    maybe("line", OrNull(&Integer), "Null where the line is gone."),
    maybe("original_line", OrNull(&Integer), ""),
    maybe("side", OrNull(&SIDE), ""),
    maybe("in_reply_to_id", Integer, "The comment that began the thread; absent on that one."),
    maybe("original_position", OrNull(&Integer), ""),
    maybe("position", OrNull(&Integer), "Lines below the first hunk header of the file. Null where the line is gone."),
    maybe("subject_type", Word(&["line", "file"]), ""),
]);

const REACTIONS: Schema = Object(&[
    field("url", Url, ""),
    field("total_count", Integer, ""),
    field("+1", Integer, ""),
    field("-1", Integer, ""),
    field("laugh", Integer, ""),
    field("hooray", Integer, ""),
    field("confused", Integer, ""),
    field("heart", Integer, ""),
    field("rocket", Integer, ""),
    field("eyes", Integer, ""),
]);

const NEW: Schema = Object(&[
    field("body", Text, "Markdown."),
    maybe("commit_id", Text, "The commit to comment on. Needed unless `in_reply_to` is given."),
    maybe("path", Text, "The file. Needed unless `in_reply_to` is given."),
    maybe("position", Integer, "Lines below the first hunk header of the file; `line` is the better way to say it."),
    maybe("side", SIDE, "The side of `line`: `LEFT` for what was deleted, `RIGHT` for all else."),
    maybe("line", Integer, "The line, or the last one of a range."),
    maybe("start_line", Integer, "The first line of a range."),
    maybe("start_side", Word(&["LEFT", "RIGHT", "side"]), "The side of `start_line`."),
    maybe("in_reply_to", Integer, "The comment to answer."),
    maybe("subject_type", Word(&["line", "file"]), ""),
]);
