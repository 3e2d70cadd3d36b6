//! SQL for requests to review.

use std::collections::HashMap;

use crate::accounts::AccountSummary;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, PullId};
use plinth_store::{Connection, DbError, FromRow, Row, Transaction, Value, params};

/// Pull requests per statement.
const PULLS_PER_STATEMENT: usize = 16;

struct Reviewer {
    pull: PullId,
    account: AccountSummary,
}

impl FromRow for Reviewer {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let (id, kind, login, site_admin) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(Self { pull: row.get(0)?, account: AccountSummary { id, kind, login, site_admin } })
    }
}

/// The requested reviewers of each pull request that has any, in the order of the requests.
pub async fn list(
    db: &mut Connection,
    pulls: impl Iterator<Item = PullId>,
) -> Result<HashMap<PullId, Vec<AccountSummary>>, DbError> {
    let sql = "select q.pull_id, a.id, a.kind, a.login, a.site_admin from review_request q \
               join account a on a.id = q.user_id where q.pull_id in \
               ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
               order by q.pull_id, q.created_at, a.id";
    let pulls: Vec<PullId> = pulls.collect();
    let mut found: HashMap<PullId, Vec<AccountSummary>> = HashMap::new();
    for some in pulls.chunks(PULLS_PER_STATEMENT) {
        let mut values = [Value::Null; PULLS_PER_STATEMENT];
        for (value, PullId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        for Reviewer { pull, account } in db.all::<Reviewer>(sql, &values).await? {
            found.entry(pull).or_default().push(account);
        }
    }
    Ok(found)
}

/// Inserts a request, and returns whether it is new.
pub async fn insert(db: &mut Transaction, pull: PullId, user: AccountId, now: Timestamp) -> Result<bool, DbError> {
    let sql = "insert into review_request (pull_id, user_id, created_at) values ($1, $2, $3) on conflict do nothing";
    Ok(db.content_only().execute(sql, params![pull, user, now]).await? > 0)
}

/// Deletes a request, and returns whether there was one.
pub async fn delete(db: &mut Transaction, pull: PullId, user: AccountId) -> Result<bool, DbError> {
    let sql = "delete from review_request where pull_id = $1 and user_id = $2";
    Ok(db.content_only().execute(sql, params![pull, user]).await? > 0)
}

/// Records that something about a pull request has changed.
pub async fn update_time(db: &mut Transaction, pull: PullId, now: Timestamp) -> Result<(), DbError> {
    db.content_only().execute("update pull set updated_at = $2 where id = $1", params![pull, now]).await?;
    Ok(())
}
