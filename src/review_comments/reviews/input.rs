//! What clients send to review.

use serde_json::Value;

use super::model::ReviewState;
use crate::api::shape::{Fields, FromJson};
use crate::review_comments::input::DraftComment;

const EVENTS: &[&str] = &["APPROVE", "REQUEST_CHANGES", "COMMENT"];

/// The body of `POST …/reviews`; without an event the review waits to be submitted.
#[derive(Debug, Clone)]
pub struct NewReview {
    pub commit_id: Option<String>,
    pub body: String,
    pub state: ReviewState,
    pub comments: Vec<DraftComment>,
}

impl FromJson for NewReview {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let commit_id = fields.optional("commit_id");
        let body = fields.optional::<Option<String>>("body");
        let event = fields.optional::<String>("event");
        let comments = match fields.optional::<&[Value]>("comments")? {
            Some(list) => fields.items("comments", list),
            None => Some(Vec::new()),
        };
        let state = match event? {
            None => ReviewState::Pending,
            Some(word) if word == "PENDING" => ReviewState::Pending,
            Some(word) => read_event(fields, &word)?,
        };
        Some(Self { commit_id: commit_id?, body: body?.flatten().unwrap_or_default(), state, comments: comments? })
    }
}

/// The body of `POST …/reviews/{review_id}/events`.
#[derive(Debug, Clone)]
pub struct Submission {
    pub body: Option<String>,
    pub state: ReviewState,
}

impl FromJson for Submission {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let body = fields.optional::<Option<String>>("body");
        let event = fields.required::<String>("event")?;
        Some(Self { state: read_event(fields, &event)?, body: body?.flatten() })
    }
}

fn read_event(fields: &mut Fields<'_>, word: &str) -> Option<ReviewState> {
    fields.choice("event", word, EVENTS)?;
    Some(match word {
        "APPROVE" => ReviewState::Approved,
        "REQUEST_CHANGES" => ReviewState::ChangesRequested,
        _ => ReviewState::Commented,
    })
}
