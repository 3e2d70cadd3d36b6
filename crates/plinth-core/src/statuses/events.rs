//! The event of a new status.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::CommitStatus;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `status`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StatusData {
    pub status: CommitStatus,
}

pub async fn record(
    tx: &mut Transaction,
    repo: RepoId,
    status: &CommitStatus,
    (actor, now): (AccountId, Timestamp),
) -> Result<()> {
    events::record(tx, now, || NewEvent {
        name: EventName::Status,
        action: None,
        about: About::Repo(repo),
        actor: Some(actor),
        subject: Some(status.id.0),
        data: events::to_data(&StatusData { status: status.clone() }),
    })
    .await
}
