//! Events of resolved threads.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, PullId, RepoId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::model::Resolution;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `pull_request_review_thread`. The comments are those of the thread when the payload is rendered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResolutionData {
    pub thread: i64,
    pub pull: PullId,
}

pub async fn record(
    tx: &mut Transaction,
    repo: RepoId,
    (action, found): (&'static str, &Resolution),
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    events::record(tx, now, || NewEvent {
        name: EventName::PullRequestReviewThread,
        action: Some(action),
        about: About::Repo(repo),
        actor,
        subject: Some(found.thread),
        data: events::to_data(&ResolutionData { thread: found.thread, pull: found.pull_id }),
    })
    .await
}
