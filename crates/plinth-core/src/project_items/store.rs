//! SQL for project items and their values.

use std::collections::HashMap;

use super::{Content, ItemValue, ProjectItem};
use crate::repos::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, IssueId, ProjectFieldId, ProjectId, ProjectItemId, PullId};
use plinth_store::{Connection, DbError, Transaction, Value, params};

/// Items of deleted repositories are gone.
macro_rules! select_item {
    ($rest:literal) => {
        concat!(
            "select i.id, i.project_id, i.created_at, i.updated_at, c.id, c.repo_id, c.number, p.id, \
             a.id, a.kind, a.login, a.site_admin from project_item i \
             join conversation c on c.id = i.conversation_id join repo r on r.id = c.repo_id and not r.deleted \
             left join pull p on p.repo_id = c.repo_id and p.number = c.number \
             left join account a on a.id = i.creator_id where i.project_id = $1 and ",
            $rest
        )
    };
}

pub async fn find(db: &mut Connection, project: ProjectId, id: ProjectItemId) -> Result<Option<ProjectItem>, DbError> {
    db.optional(select_item!("i.id = $2"), params![project, id]).await
}

/// The item that shows an issue or a pull request.
pub async fn find_of(
    db: &mut Connection,
    project: ProjectId,
    content: &Content,
) -> Result<Option<ProjectItem>, DbError> {
    db.optional(select_item!("i.conversation_id = $2"), params![project, content.issue]).await
}

/// The first `limit` items whose ids are above `after`.
pub async fn list_after(
    db: &mut Connection,
    project: ProjectId,
    after: i64,
    limit: i64,
) -> Result<Vec<ProjectItem>, DbError> {
    db.all(select_item!("i.id > $2 order by i.id limit $3"), params![project, after, limit]).await
}

/// The last `limit` items whose ids are below `before`, the highest first.
pub async fn list_before(
    db: &mut Connection,
    project: ProjectId,
    before: i64,
    limit: i64,
) -> Result<Vec<ProjectItem>, DbError> {
    db.all(select_item!("i.id < $2 order by i.id desc limit $3"), params![project, before, limit]).await
}

pub async fn count(db: &mut Connection, project: ProjectId) -> Result<i64, DbError> {
    Ok(db.one::<(i64,)>("select count(*) from project_item where project_id = $1", params![project]).await?.0)
}

/// The issue with this id, which is not a pull request.
pub async fn find_issue(db: &mut Connection, id: IssueId) -> Result<Option<Content>, DbError> {
    let sql = "select c.id, c.repo_id, c.number, cast(null as bigint) from conversation c \
               join repo r on r.id = c.repo_id and not r.deleted where c.id = $1 and not c.is_pull";
    db.optional(sql, params![id]).await
}

pub async fn find_pull(db: &mut Connection, id: PullId) -> Result<Option<Content>, DbError> {
    let sql = "select c.id, c.repo_id, c.number, p.id from pull p \
               join repo r on r.id = p.repo_id and not r.deleted \
               join conversation c on c.repo_id = p.repo_id and c.number = p.number where p.id = $1";
    db.optional(sql, params![id]).await
}

/// The issue or pull request with this number, by owner and name of the repository.
pub async fn find_at(
    db: &mut Connection,
    (owner, name): (&str, &str),
    number: i64,
) -> Result<Option<Content>, DbError> {
    let sql = "select c.id, c.repo_id, c.number, p.id from account o \
               join repo r on r.owner_id = o.id and not r.deleted join conversation c on c.repo_id = r.id \
               left join pull p on p.repo_id = c.repo_id and p.number = c.number \
               where o.login_key = $1 and r.name_key = $2 and c.number = $3";
    db.optional(sql, params![name_key(owner), name_key(name), number]).await
}

/// Inserts an item, and returns whether it is new.
pub async fn insert(
    db: &mut Transaction,
    project: ProjectId,
    content: &Content,
    creator: Option<AccountId>,
    now: Timestamp,
) -> Result<bool, DbError> {
    let sql = "insert into project_item (project_id, conversation_id, creator_id, created_at, updated_at) \
               values ($1, $2, $3, $4, $4) on conflict (project_id, conversation_id) do nothing";
    Ok(db.content_only().execute(sql, params![project, content.issue, creator, now]).await? > 0)
}

pub async fn update_time(db: &mut Transaction, id: ProjectItemId, now: Timestamp) -> Result<(), DbError> {
    db.content_only().execute("update project_item set updated_at = $2 where id = $1", params![id, now]).await?;
    Ok(())
}

/// Deletes an item; foreign keys delete its values.
pub async fn delete(db: &mut Transaction, id: ProjectItemId) -> Result<(), DbError> {
    db.content_only().execute("delete from project_item where id = $1", params![id]).await?;
    Ok(())
}

/// Items per statement: a page of 30 takes one.
const ITEMS_PER_STATEMENT: usize = 32;

/// The values of each item that has any.
pub async fn list_values(
    db: &mut Connection,
    items: impl Iterator<Item = ProjectItemId>,
) -> Result<HashMap<ProjectItemId, Vec<ItemValue>>, DbError> {
    let sql = "select item_id, project_field_id, value from project_item_value where item_id in \
               ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, \
               $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) order by item_id, project_field_id";
    let items: Vec<ProjectItemId> = items.collect();
    let mut found: HashMap<ProjectItemId, Vec<ItemValue>> = HashMap::new();
    for some in items.chunks(ITEMS_PER_STATEMENT) {
        let mut values = [Value::Null; ITEMS_PER_STATEMENT];
        for (value, ProjectItemId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        for value in db.all::<ItemValue>(sql, &values).await? {
            found.entry(value.item).or_default().push(value);
        }
    }
    Ok(found)
}

pub async fn upsert_value(
    db: &mut Transaction,
    item: ProjectItemId,
    field: ProjectFieldId,
    text: &str,
) -> Result<(), DbError> {
    let sql = "insert into project_item_value (item_id, project_field_id, value) values ($1, $2, $3) \
               on conflict (item_id, project_field_id) do update set value = excluded.value";
    db.content_only().execute(sql, params![item, field, text]).await?;
    Ok(())
}

pub async fn delete_value(db: &mut Transaction, item: ProjectItemId, field: ProjectFieldId) -> Result<(), DbError> {
    let sql = "delete from project_item_value where item_id = $1 and project_field_id = $2";
    db.content_only().execute(sql, params![item, field]).await?;
    Ok(())
}
