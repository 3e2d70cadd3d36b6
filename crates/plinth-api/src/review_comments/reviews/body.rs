//! What clients send to review.

use plinth_core::review_comments::reviews::NewReview;
use plinth_core::review_comments::reviews::Submission;
use serde_json::Value;

use crate::request::shape::{Fields, FromJson};
use plinth_core::review_comments::reviews::model::ReviewState;

const EVENTS: &[&str] = &["APPROVE", "REQUEST_CHANGES", "COMMENT"];

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
