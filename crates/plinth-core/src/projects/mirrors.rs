//! Project fields that are made from an issue field and follow it.

use crate::projects::text::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{IssueFieldId, ProjectId};
use plinth_store::{Connection, DbError, Transaction, params};

/// Gives every mirror the name of its issue field; `taken` is the refusal where a project has it already.
pub async fn follow(
    tx: &mut Transaction,
    issue_field: IssueFieldId,
    name: &str,
    now: Timestamp,
    taken: impl FnOnce() -> Error,
) -> Result<()> {
    let sql = "update project_field set name = $2, name_key = $3, updated_at = $4 where issue_field_id = $1";
    let renamed = tx.content_only().execute(sql, params![issue_field, name, name_key(name), now]).await;
    renamed.map_err(|error| error.on_unique(taken))?;
    Ok(mark_changed(tx, issue_field, now).await?)
}

/// Whether a project that everyone sees has a mirror.
pub async fn is_shown_in_public(db: &mut Connection, issue_field: IssueFieldId) -> Result<bool, DbError> {
    let sql = "select count(*) from project_field f join project p on p.id = f.project_id \
               where f.issue_field_id = $1 and p.public";
    Ok(db.one::<(i64,)>(sql, params![issue_field]).await?.0 > 0)
}

/// The name of a mirror whose issue field is for members of the organization alone, where the project has one.
pub async fn find_for_members(db: &mut Connection, project: ProjectId) -> Result<Option<String>, DbError> {
    let sql = "select i.name from project_field f join issue_field i on i.id = f.issue_field_id \
               where f.project_id = $1 and i.visibility = 'organization_members_only' order by i.id limit 1";
    Ok(db.optional::<(String,)>(sql, params![project]).await?.map(|(name,)| name))
}

/// Lets every project that has a mirror know that its fields are no longer what they were.
pub async fn mark_changed(tx: &mut Transaction, issue_field: IssueFieldId, now: Timestamp) -> Result<(), DbError> {
    let sql = "update project set generation = generation + 1, updated_at = $2 \
               where id in (select project_id from project_field where issue_field_id = $1)";
    tx.content_only().execute(sql, params![issue_field, now]).await?;
    Ok(())
}
