//! Project fields that are made from an issue field and follow it.

use crate::clock::Timestamp;
use crate::db::{DbError, Transaction, params};
use crate::error::{Error, Result};
use crate::ids::IssueFieldId;
use crate::projects::text::name_key;

/// Gives every mirror the name of its issue field; `taken` is the refusal where a project has it already.
pub async fn follow(
    tx: &mut Transaction,
    issue_field: IssueFieldId,
    name: &str,
    now: Timestamp,
    taken: impl FnOnce() -> Error,
) -> Result<()> {
    let sql = "update project_field set name = $2, name_key = $3, updated_at = $4 where issue_field_id = $1";
    let renamed = tx.execute(sql, params![issue_field, name, name_key(name), now]).await;
    renamed.map_err(|error| error.on_unique(taken))?;
    Ok(mark_changed(tx, issue_field, now).await?)
}

/// Lets every project that has a mirror know that its fields are no longer what they were.
pub async fn mark_changed(tx: &mut Transaction, issue_field: IssueFieldId, now: Timestamp) -> Result<(), DbError> {
    let sql = "update project set generation = generation + 1, updated_at = $2 \
               where id in (select project_id from project_field where issue_field_id = $1)";
    tx.execute(sql, params![issue_field, now]).await?;
    Ok(())
}
