//! Creating and changing projects, as a state file says.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::ProjectId;
use plinth_store::Transaction;

use super::store::{self, NewProject};
use super::{Project, events};

/// Inserts a project without fields.
pub async fn insert(tx: &mut Transaction, new: &NewProject<'_>, number: i64, now: Timestamp) -> Result<ProjectId> {
    let id = store::insert(tx, new, number, now).await?;
    events::record_created(tx, id, new.creator, now).await?;
    Ok(id)
}

pub async fn update(tx: &mut Transaction, before: &Project, new: &NewProject<'_>, now: Timestamp) -> Result<()> {
    store::update(tx, before.id, new, now).await?;
    events::record_edited(tx, before, now).await
}
