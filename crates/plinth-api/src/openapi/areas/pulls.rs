//! Texts of the operations on pull requests and reviews.

use crate::merges::body::{MergeBranchBody, MergePullBody, UpdateBranchBody};
use crate::merges::json::{BranchUpdate, MergeResult};
use crate::openapi::operation::{Area, Operation, accepted, choice, created, no_content, ok, parameter};
use crate::openapi::parameters::{ABOUT_FORMS, PAGE, PAGES, PER_PAGE};
use crate::openapi::schema::of;
use crate::pulls::body::{CreatePullBody, UpdatePullBody};
use crate::pulls::json::commit::{CommitItem, WholeCommit};
use crate::pulls::json::commit_reports::CheckRuns;
use crate::pulls::json::file::ChangedFile;
use crate::pulls::json::{PullRequest, WholePullRequest};
use crate::review_comments::body::DraftCommentBody;
use crate::review_comments::json::ReviewComment;
use crate::review_comments::reviews::body::{CreateReviewBody, SubmitReviewBody};
use crate::review_comments::reviews::json::PullRequestReview;
use crate::review_requests::body::{RemoveReviewersBody, RequestReviewersBody};
use crate::review_requests::json::RequestedReviewers;
use crate::statuses::body::CreateStatusBody;
use crate::statuses::json::{CombinedStatus, Status};

/// The media types that choose the form of a body.
const FORMS: &[&str] = &[
    "application/vnd.plinth.raw+json",
    "application/vnd.plinth.text+json",
    "application/vnd.plinth.html+json",
    "application/vnd.plinth.full+json",
];
const NO_COMMIT: &[(u16, &str)] = &[(409, "The repository is empty."), (422, "The commit does not exist.")];
const INVALID: &[(u16, &str)] = &[(422, "A field is not valid.")];

pub const AREA: Area = Area {
    name: "Pull requests and reviews",
    about: "Pull requests and their reviews, as far as review tools need them.",
    operations: &[
        Operation::new(
            "pulls/list",
            "List pull requests",
            ABOUT_FORMS,
            ok("The pull requests.", of::<Vec<PullRequest>>).or(FORMS),
        )
        .query(&[
            choice("state", &["open", "closed", "all"], "`open` by default."),
            parameter("head", of::<String>, "Only those from `owner:branch`."),
            parameter("base", of::<String>, "Only those into this branch."),
            choice("sort", &["created", "updated", "popularity", "long-running"], "`created` by default."),
            choice("direction", &["asc", "desc"], "By default `desc` for `created` and `asc` otherwise."),
            PER_PAGE,
            PAGE,
        ])
        .errors(INVALID),
        Operation::new(
            "pulls/create",
            "Create a pull request",
            "From one branch of the repository into another.",
            created("The new pull request.", of::<WholePullRequest>).or(FORMS),
        )
        .body(of::<CreatePullBody>, r#"{"title": "Change a", "head": "feature", "base": "main"}"#)
        .errors(INVALID),
        Operation::new(
            "pulls/get",
            "Get a pull request",
            "As JSON, or as a diff or a series of patches where `Accept` asks for it.",
            ok("The pull request.", of::<WholePullRequest>).or(&[
                "application/vnd.plinth.raw+json",
                "application/vnd.plinth.text+json",
                "application/vnd.plinth.html+json",
                "application/vnd.plinth.full+json",
                "application/vnd.github.v3.diff",
                "application/vnd.github.v3.patch",
            ]),
        ),
        Operation::new(
            "pulls/update",
            "Update a pull request",
            "For its author, and for callers with write access to the repository.",
            ok("The pull request after the change.", of::<WholePullRequest>).or(FORMS),
        )
        .body(of::<UpdatePullBody>, r#"{"title": "A better title"}"#)
        .errors(INVALID),
        Operation::new(
            "pulls/list-files",
            "List the files of a pull request",
            "",
            ok("The files, each with its patch.", of::<Vec<ChangedFile>>),
        )
        .query(PAGES),
        Operation::new(
            "pulls/list-commits",
            "List the commits of a pull request",
            "The oldest first.",
            ok("The commits.", of::<Vec<CommitItem>>),
        )
        .query(PAGES),
        Operation::new(
            "pulls/check-if-merged",
            "Check whether a pull request is merged",
            "404 if it is not.",
            no_content("The pull request is merged."),
        ),
        Operation::new(
            "pulls/merge",
            "Merge a pull request",
            "With a merge commit, as one commit, or by applying its commits to the base one by one.",
            ok("The pull request is merged.", of::<MergeResult>),
        )
        .optional_body(of::<MergePullBody>, r#"{"merge_method": "squash"}"#)
        .errors(&[
            (405, "The pull request is closed, a draft, or has conflicts."),
            (409, "The head is not `sha`."),
            (422, "A field is not valid."),
        ]),
        Operation::new(
            "pulls/update-branch",
            "Update a pull request's branch",
            "Merges the base into the head.",
            accepted("The branch has the commits of the base.", of::<BranchUpdate>),
        )
        .optional_body(of::<UpdateBranchBody>, "{}")
        .errors(&[(422, "There is nothing to merge, there are conflicts, or the head is not `expected_head_sha`.")]),
        Operation::new(
            "repos/merge",
            "Merge a branch",
            "Always with a merge commit.",
            created("The commit of the merge.", of::<CommitItem>),
        )
        .or_no_content("The base has all commits of the head.")
        .body(of::<MergeBranchBody>, r#"{"base": "main", "head": "feature"}"#)
        .errors(&[(409, "There are conflicts, or the repository is empty."), (422, "A field is not valid.")]),
        Operation::new(
            "repos/get-commit",
            "Get a commit with its changes",
            "By its id, or by the name of a branch or tag. `Accept` chooses JSON, a diff, a patch, or only the id.",
            ok("The commit.", of::<WholeCommit>).or(&[
                "application/vnd.github.v3.diff",
                "application/vnd.github.v3.patch",
                "application/vnd.github.v3.sha",
            ]),
        )
        .errors(NO_COMMIT),
        Operation::new(
            "repos/get-combined-status-for-ref",
            "Get the status of a commit",
            "The latest status of each context, the newest first, and their sum.",
            ok("The status.", of::<CombinedStatus>),
        )
        .query(PAGES)
        .errors(NO_COMMIT),
        Operation::new(
            "repos/list-commit-statuses-for-ref",
            "List the statuses of a commit",
            "The newest first.",
            ok("The statuses.", of::<Vec<Status>>),
        )
        .query(PAGES)
        .errors(NO_COMMIT),
        Operation::new(
            "repos/create-commit-status",
            "Create a status of a commit",
            "It replaces the one with the same context. A commit has at most 1,000 statuses with one context.",
            created("The status.", of::<Status>),
        )
        .body(
            of::<CreateStatusBody>,
            r#"{"state":"success","context":"ci","target_url":"https://ci.example.com/1","description":"It works"}"#,
        )
        .errors(INVALID),
        Operation::new(
            "checks/list-for-ref",
            "List the check runs of a commit",
            "There are none.",
            ok("No check runs.", of::<CheckRuns>),
        )
        .errors(NO_COMMIT),
        Operation::new(
            "repos/list-pull-requests-associated-with-commit",
            "List the pull requests that contain a commit",
            "The newest first.",
            ok("The pull requests.", of::<Vec<PullRequest>>).or(FORMS),
        )
        .query(PAGES)
        .errors(&[(409, "The repository is empty.")]),
        Operation::new(
            "pulls/list-requested-reviewers",
            "List the requested reviewers of a pull request",
            "",
            ok("The reviewers.", of::<RequestedReviewers>),
        ),
        Operation::new(
            "pulls/request-reviewers",
            "Request reviews of a pull request",
            "From users with a role in the repository, who are notified. The request ends when they submit a review.",
            created("The pull request.", of::<PullRequest>).or(FORMS),
        )
        .body(of::<RequestReviewersBody>, r#"{"reviewers": ["octocat"]}"#)
        .errors(&[(422, "A user has no role in the repository, is the author, or there are too many.")]),
        Operation::new(
            "pulls/remove-requested-reviewers",
            "Remove requested reviewers of a pull request",
            "Others are ignored.",
            ok("The pull request.", of::<PullRequest>).or(FORMS),
        )
        .body(of::<RemoveReviewersBody>, r#"{"reviewers": ["octocat"]}"#)
        .errors(INVALID),
        Operation::new(
            "pulls/list-reviews",
            "List the reviews of a pull request",
            "Only its author sees a pending review.",
            ok("The reviews, the oldest first.", of::<Vec<PullRequestReview>>).or(FORMS),
        )
        .query(PAGES),
        Operation::new(
            "pulls/create-review",
            "Create a review",
            "With its comments. Without `event` it stays pending until it is submitted.",
            ok("The review.", of::<PullRequestReview>).or(FORMS),
        )
        .optional_body(of::<CreateReviewBody>, r#"{"event": "COMMENT", "body": "Looks good"}"#)
        .errors(&[(422, "A comment is not on a line of the diff, or a field is not valid.")]),
        Operation::new("pulls/get-review", "Get a review", "", ok("The review.", of::<PullRequestReview>).or(FORMS)),
        Operation::new(
            "pulls/submit-review",
            "Submit a pending review",
            "Its comments become visible, and the participants are notified.",
            ok("The review.", of::<PullRequestReview>).or(FORMS),
        )
        .body(of::<SubmitReviewBody>, r#"{"event": "APPROVE"}"#)
        .errors(INVALID),
        Operation::new(
            "pulls/add-comment-to-pending-review",
            "Add a comment to a pending review",
            "Only its author sees it until the review is submitted.",
            created("The comment.", of::<ReviewComment>).or(FORMS),
        )
        .body(of::<DraftCommentBody>, r#"{"path": "README.md", "line": 1, "body": "Why?"}"#)
        .errors(&[(422, "The review has been submitted, or the comment is not on a line of the diff.")]),
        Operation::new(
            "pulls/delete-pending-review",
            "Delete a pending review",
            "Deletes its comments, too.",
            ok("The deleted review.", of::<PullRequestReview>).or(FORMS),
        )
        .errors(&[(422, "The review has been submitted.")]),
        Operation::new(
            "pulls/list-comments-for-review",
            "List the comments of a review",
            "",
            ok("The comments.", of::<Vec<ReviewComment>>),
        )
        .query(PAGES),
    ],
};
