//! SQL for the assignees of issues and pull requests.

use std::collections::HashMap;

use crate::accounts::AccountSummary;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, IssueId};
use plinth_store::{Connection, DbError, FromRow, Row, Transaction, Value, params};

/// Issues per statement: a page of 30 takes one.
const ISSUES_PER_STATEMENT: usize = 32;

struct Assignee {
    issue: IssueId,
    account: AccountSummary,
}

impl FromRow for Assignee {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let (id, kind, login, site_admin) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(Self { issue: row.get(0)?, account: AccountSummary { id, kind, login, site_admin } })
    }
}

/// The assignees of each issue or pull request that has any, in the order in which they were assigned.
pub async fn list_of(
    db: &mut Connection,
    issues: impl Iterator<Item = IssueId>,
) -> Result<HashMap<IssueId, Vec<AccountSummary>>, DbError> {
    let sql = "select s.conversation_id, a.id, a.kind, a.login, a.site_admin \
               from issue_assignee s join account a on a.id = s.user_id where s.conversation_id in \
               ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, \
               $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) order by s.conversation_id, s.created_at, a.id";
    let issues: Vec<IssueId> = issues.collect();
    let mut found: HashMap<IssueId, Vec<AccountSummary>> = HashMap::new();
    for some in issues.chunks(ISSUES_PER_STATEMENT) {
        let mut values = [Value::Null; ISSUES_PER_STATEMENT];
        for (value, IssueId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        for Assignee { issue, account } in db.all::<Assignee>(sql, &values).await? {
            found.entry(issue).or_default().push(account);
        }
    }
    Ok(found)
}

/// The assignees of one issue or pull request.
pub async fn list_of_one(db: &mut Connection, issue: IssueId) -> Result<Vec<AccountSummary>, DbError> {
    Ok(list_of(db, std::iter::once(issue)).await?.remove(&issue).unwrap_or_default())
}

/// Assigns a user, and returns whether that is new.
pub async fn insert(db: &mut Transaction, issue: IssueId, user: AccountId, now: Timestamp) -> Result<bool, DbError> {
    let sql = "insert into issue_assignee (conversation_id, user_id, created_at) values ($1, $2, $3) \
               on conflict do nothing";
    Ok(db.content_only().execute(sql, params![issue, user, now]).await? > 0)
}

/// Removes an assignee, and returns whether there was one.
pub async fn delete(db: &mut Transaction, issue: IssueId, user: AccountId) -> Result<bool, DbError> {
    let sql = "delete from issue_assignee where conversation_id = $1 and user_id = $2";
    Ok(db.content_only().execute(sql, params![issue, user]).await? > 0)
}
