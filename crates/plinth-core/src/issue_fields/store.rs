//! SQL for issue fields and their options.

use super::model::{IssueField, IssueFieldOption};
use super::{NewIssueField, OptionInput, rules};
use crate::projects::text::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, IssueFieldId, IssueFieldOptionId};
use plinth_store::{Connection, DbError, Transaction, params};

/// The number of changes to the fields of this organization.
pub async fn find_generation(db: &mut Connection, org: AccountId) -> Result<i64, DbError> {
    let sql = "select generation from issue_field_set where org_id = $1";
    Ok(db.optional::<(i64,)>(sql, params![org]).await?.map_or(0, |(generation,)| generation))
}

pub async fn increase_generation(db: &mut Transaction, org: AccountId) -> Result<(), DbError> {
    let sql = "insert into issue_field_set (org_id, generation) values ($1, 1) \
               on conflict (org_id) do update set generation = issue_field_set.generation + 1";
    db.content_only().execute(sql, params![org]).await?;
    Ok(())
}

pub async fn list(db: &mut Connection, org: AccountId) -> Result<Vec<IssueField>, DbError> {
    let sql = "select id, org_id, name, description, data_type, visibility, created_at, updated_at from issue_field \
               where org_id = $1 order by id limit $2";
    db.all(sql, params![org, rules::FIELDS_MAX]).await
}

/// The options of all fields of an organization, sorted by field and priority.
pub async fn list_options(db: &mut Connection, org: AccountId) -> Result<Vec<IssueFieldOption>, DbError> {
    let sql = "select o.id, o.issue_field_id, o.name, o.description, o.color, o.priority, o.created_at, o.updated_at \
               from issue_field f join issue_field_option o on o.issue_field_id = f.id \
               where f.org_id = $1 order by o.issue_field_id, o.priority, o.id";
    db.all(sql, params![org]).await
}

pub async fn list_options_of(db: &mut Connection, field: IssueFieldId) -> Result<Vec<IssueFieldOption>, DbError> {
    let sql = "select id, issue_field_id, name, description, color, priority, created_at, updated_at \
               from issue_field_option where issue_field_id = $1 order by priority, id";
    db.all(sql, params![field]).await
}

pub async fn count(db: &mut Connection, org: AccountId) -> Result<i64, DbError> {
    let (count,) = db.one("select count(*) from issue_field where org_id = $1", params![org]).await?;
    Ok(count)
}

pub async fn find(db: &mut Connection, org: AccountId, id: IssueFieldId) -> Result<Option<IssueField>, DbError> {
    let sql = "select id, org_id, name, description, data_type, visibility, created_at, updated_at from issue_field \
               where org_id = $1 and id = $2";
    db.optional(sql, params![org, id]).await
}

pub async fn find_by_name(db: &mut Connection, org: AccountId, name: &str) -> Result<Option<IssueField>, DbError> {
    let sql = "select id, org_id, name, description, data_type, visibility, created_at, updated_at from issue_field \
               where org_id = $1 and name_key = $2";
    db.optional(sql, params![org, name_key(name)]).await
}

pub async fn insert(db: &mut Transaction, org: AccountId, new: &NewIssueField, now: Timestamp) -> Result<IssueFieldId> {
    let sql = "insert into issue_field \
               (org_id, name, name_key, description, data_type, visibility, created_at, updated_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $7) returning id";
    let name = new.name.trim();
    let key = name_key(name);
    let values = params![org, name, key, new.description, new.data_type, new.visibility, now];
    let inserted = db.content_only().insert::<(IssueFieldId,)>(sql, values).await;
    let (id,) = inserted.map_err(|error| error.on_unique(rules::name_taken))?;
    Ok(id)
}

/// Updates all columns but the type, which never changes.
pub async fn update(db: &mut Transaction, field: &IssueField) -> Result<()> {
    let sql = "update issue_field set name = $2, name_key = $3, description = $4, visibility = $5, updated_at = $6 \
               where id = $1";
    let key = name_key(&field.name);
    let values = params![field.id, field.name, key, field.description, field.visibility, field.updated_at];
    db.content_only().execute(sql, values).await.map_err(|error| error.on_unique(rules::name_taken))?;
    Ok(())
}

/// Deletes a field; foreign keys delete its options and mirrors.
pub async fn delete(db: &mut Transaction, id: IssueFieldId) -> Result<(), DbError> {
    db.content_only().execute("delete from issue_field where id = $1", params![id]).await?;
    Ok(())
}

pub async fn insert_option(
    db: &mut Transaction,
    field: IssueFieldId,
    new: &OptionInput,
    priority: i64,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "insert into issue_field_option \
               (issue_field_id, name, description, color, priority, created_at, updated_at) \
               values ($1, $2, $3, $4, $5, $6, $6)";
    db.content_only().execute(sql, params![field, new.name.trim(), new.description, new.color, priority, now]).await?;
    Ok(())
}

pub async fn update_option(
    db: &mut Transaction,
    id: IssueFieldOptionId,
    new: &OptionInput,
    priority: i64,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update issue_field_option \
               set name = $2, description = $3, color = $4, priority = $5, updated_at = $6 where id = $1";
    db.content_only().execute(sql, params![id, new.name.trim(), new.description, new.color, priority, now]).await?;
    Ok(())
}

pub async fn delete_option(db: &mut Transaction, id: IssueFieldOptionId) -> Result<(), DbError> {
    db.content_only().execute("delete from issue_field_option where id = $1", params![id]).await?;
    Ok(())
}
