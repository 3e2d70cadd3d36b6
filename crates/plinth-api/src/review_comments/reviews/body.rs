//! Bodies of the operations on reviews.

use schemars::JsonSchema;

use crate::request::shape::{Nullable, flatten, from_json};
use crate::review_comments::body::DraftCommentBody;
use crate::wire::{Word, Words};
use plinth_core::review_comments::DraftComment;
use plinth_core::review_comments::reviews::model::ReviewState;
use plinth_core::review_comments::reviews::{NewReview, Submission};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateReviewBody {
    /// The head of the pull request by default.
    commit_id: Option<String>,
    body: Option<Nullable<String>>,
    /// Submits the review at once.
    event: Option<Word<SubmitEvent>>,
    comments: Option<Vec<DraftCommentBody>>,
}
from_json!(CreateReviewBody { commit_id, body, event, comments });

impl From<CreateReviewBody> for NewReview {
    fn from(review: CreateReviewBody) -> Self {
        Self {
            commit_id: review.commit_id,
            body: flatten(review.body).unwrap_or_default(),
            state: review.event.map_or(ReviewState::Pending, |Word(SubmitEvent(state))| state),
            comments: review.comments.into_iter().flatten().map(DraftComment::from).collect(),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct SubmitReviewBody {
    body: Option<Nullable<String>>,
    event: Word<SubmitEvent>,
}
from_json!(SubmitReviewBody { body, event });

impl From<SubmitReviewBody> for Submission {
    fn from(submission: SubmitReviewBody) -> Self {
        let SubmitReviewBody { body, event: Word(SubmitEvent(state)) } = submission;
        Self { body: flatten(body), state }
    }
}

/// What submitting a review says about the pull request, and the state that this leads to.
#[derive(Debug, Clone, Copy)]
struct SubmitEvent(ReviewState);

impl Words for SubmitEvent {
    const ALL: &'static [Self] = &[
        SubmitEvent(ReviewState::Approved),
        SubmitEvent(ReviewState::ChangesRequested),
        SubmitEvent(ReviewState::Commented),
    ];

    fn word(self) -> &'static str {
        match self.0 {
            ReviewState::Approved => "APPROVE",
            ReviewState::ChangesRequested => "REQUEST_CHANGES",
            ReviewState::Commented => "COMMENT",
            ReviewState::Pending => "PENDING",
        }
    }
}
