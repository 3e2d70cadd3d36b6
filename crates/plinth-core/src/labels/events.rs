//! Events of labels.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::Label;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `label`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LabelData {
    pub label: Label,
    /// The label before an edit.
    #[serde(default)]
    pub before: Option<Label>,
}

/// Records that a label was created, edited or deleted.
pub async fn record(
    tx: &mut Transaction,
    action: &'static str,
    (label, before): (&Label, Option<&Label>),
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<()> {
    events::record(tx, now, || NewEvent {
        name: EventName::Label,
        action: Some(action),
        about: About::Repo(label.repo_id),
        actor,
        subject: Some(label.id.0),
        data: events::to_data(&LabelData { label: label.clone(), before: before.cloned() }),
    })
    .await
}
