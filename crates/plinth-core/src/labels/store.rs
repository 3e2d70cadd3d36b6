//! SQL for labels.

use std::collections::HashMap;

use super::rules::{self, DEFAULT_COLOR, name_key};
use super::{Label, NewLabel};
use crate::paging::Page;
use plinth_base::error::Result;
use plinth_base::ids::{IssueId, LabelId, RepoId};
use plinth_store::{Connection, DbError, FromRow, Row, Transaction, Value, params};

pub async fn find(db: &mut Connection, repo: RepoId, name: &str) -> Result<Option<Label>, DbError> {
    let sql = "select id, repo_id, name, color, description from label where repo_id = $1 and name_key = $2";
    db.optional(sql, params![repo, name_key(name)]).await
}

/// The labels of a repository, by id.
pub async fn list(db: &mut Connection, repo: RepoId, page: Page) -> Result<Vec<Label>, DbError> {
    let sql = "select id, repo_id, name, color, description from label where repo_id = $1 order by id \
               limit $2 offset $3";
    db.all(sql, params![repo, page.limit(), page.offset()]).await
}

pub async fn count(db: &mut Connection, repo: RepoId) -> Result<i64, DbError> {
    Ok(db.one::<(i64,)>("select count(*) from label where repo_id = $1", params![repo]).await?.0)
}

pub async fn insert(db: &mut Transaction, repo: RepoId, new: &NewLabel) -> Result<LabelId> {
    let sql =
        "insert into label (repo_id, name, name_key, color, description) values ($1, $2, $3, $4, $5) returning id";
    let color = new.color.as_deref().unwrap_or(DEFAULT_COLOR).to_ascii_lowercase();
    let description = new.description.as_deref().filter(|text| !text.is_empty());
    let (name, key) = (new.name.trim(), name_key(&new.name));
    let values = params![repo, name, key, color, description];
    let inserted = db.content_only().insert::<(LabelId,)>(sql, values).await;
    Ok(inserted.map_err(|error| error.on_unique(rules::already_exists))?.0)
}

pub async fn update(db: &mut Transaction, label: &Label) -> Result<()> {
    let sql = "update label set name = $2, name_key = $3, color = $4, description = $5 where id = $1";
    let key = name_key(&label.name);
    let values = params![label.id, label.name, key, label.color, label.description];
    db.content_only().execute(sql, values).await.map_err(|error| error.on_unique(rules::already_exists))?;
    Ok(())
}

/// Whether more than `limit` issues and pull requests have a label.
pub async fn has_more_issues(db: &mut Connection, id: LabelId, limit: i64) -> Result<bool, DbError> {
    let sql = "select conversation_id from issue_label where label_id = $1 limit 1 offset $2";
    Ok(db.optional::<(i64,)>(sql, params![id, limit]).await?.is_some())
}

/// Removes a label from some issues and pull requests.
pub async fn detach(db: &mut Transaction, id: LabelId, limit: i64) -> Result<(), DbError> {
    let sql = "delete from issue_label where label_id = $1 and conversation_id in \
               (select u.conversation_id from issue_label u where u.label_id = $1 order by u.conversation_id limit $2)";
    db.content_only().execute(sql, params![id, limit]).await?;
    Ok(())
}

/// Deletes a label; foreign keys remove it from issues and pull requests.
pub async fn delete(db: &mut Transaction, id: LabelId) -> Result<(), DbError> {
    db.content_only().execute("delete from label where id = $1", params![id]).await?;
    Ok(())
}

/// Issues per statement: a page of 30 takes one.
const ISSUES_PER_STATEMENT: usize = 32;

struct LabelOf {
    issue: IssueId,
    label: Label,
}

impl FromRow for LabelOf {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let (id, repo_id, name) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let label = Label { id, repo_id, name, color: row.get(4)?, description: row.get(5)? };
        Ok(Self { issue: row.get(0)?, label })
    }
}

/// The labels of each issue or pull request that has any, by the ids of the labels.
pub async fn list_of(
    db: &mut Connection,
    issues: impl Iterator<Item = IssueId>,
) -> Result<HashMap<IssueId, Vec<Label>>, DbError> {
    let sql = "select u.conversation_id, l.id, l.repo_id, l.name, l.color, l.description \
               from issue_label u join label l on l.id = u.label_id where u.conversation_id in \
               ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, \
               $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) order by u.conversation_id, l.id";
    let issues: Vec<IssueId> = issues.collect();
    let mut found: HashMap<IssueId, Vec<Label>> = HashMap::new();
    for some in issues.chunks(ISSUES_PER_STATEMENT) {
        let mut values = [Value::Null; ISSUES_PER_STATEMENT];
        for (value, IssueId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        for LabelOf { issue, label } in db.all::<LabelOf>(sql, &values).await? {
            found.entry(issue).or_default().push(label);
        }
    }
    Ok(found)
}

/// The labels of one issue or pull request.
pub async fn list_of_one(db: &mut Connection, issue: IssueId) -> Result<Vec<Label>, DbError> {
    Ok(list_of(db, std::iter::once(issue)).await?.remove(&issue).unwrap_or_default())
}

/// Adds a label to an issue or a pull request, and returns whether it is new there.
pub async fn add(db: &mut Transaction, issue: IssueId, label: LabelId) -> Result<bool, DbError> {
    let sql = "insert into issue_label (conversation_id, label_id) values ($1, $2) on conflict do nothing";
    Ok(db.content_only().execute(sql, params![issue, label]).await? > 0)
}

/// Removes a label from an issue or a pull request, and returns whether it was there.
pub async fn remove(db: &mut Transaction, issue: IssueId, label: LabelId) -> Result<bool, DbError> {
    let sql = "delete from issue_label where conversation_id = $1 and label_id = $2";
    Ok(db.content_only().execute(sql, params![issue, label]).await? > 0)
}
