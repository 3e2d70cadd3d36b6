//! Events of reviews.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::model::Review;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `pull_request_review`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReviewData {
    pub review: Review,
}

pub async fn record_submitted(
    tx: &mut Transaction,
    repo: RepoId,
    review: impl FnOnce() -> Review,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    events::record(tx, now, || {
        let data = ReviewData { review: review() };
        NewEvent {
            name: EventName::PullRequestReview,
            action: Some("submitted"),
            about: About::Repo(repo),
            actor,
            subject: Some(data.review.id.0),
            data: events::to_data(&data),
        }
    })
    .await
}
