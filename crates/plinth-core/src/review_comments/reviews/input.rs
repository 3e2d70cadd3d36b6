//! Input to create or submit a review.

use super::model::ReviewState;
use crate::review_comments::DraftComment;

/// The body of `POST …/reviews`; without an event the review stays pending.
#[derive(Debug, Clone)]
pub struct NewReview {
    pub commit_id: Option<String>,
    pub body: String,
    pub state: ReviewState,
    pub comments: Vec<DraftComment>,
}

/// The body of `POST …/reviews/{review_id}/events`.
#[derive(Debug, Clone)]
pub struct Submission {
    pub body: Option<String>,
    pub state: ReviewState,
}
