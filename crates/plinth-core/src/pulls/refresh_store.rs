//! SQL for what is computed after a version was added.

use super::model::{Mergeability, Size};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, PullId, Sha};
use plinth_store::{Connection, DbError, Transaction, params};

pub async fn update_merge_base(db: &mut Transaction, pull: PullId, number: i64, base: Sha) -> Result<(), DbError> {
    let sql = "update pull_version set merge_base = $3 where pull_id = $1 and number = $2";
    db.pulls_only().execute(sql, params![pull, number, base]).await?;
    Ok(())
}

pub async fn update_size(db: &mut Transaction, pull: PullId, number: i64, size: &Size) -> Result<(), DbError> {
    let sql = "update pull_version set commits = $3, additions = $4, deletions = $5, changed_files = $6 \
               where pull_id = $1 and number = $2";
    let values = params![pull, number, size.commits, size.additions, size.deletions, size.changed_files];
    db.pulls_only().execute(sql, values).await?;
    Ok(())
}

/// Who has moved the refs of a version; `None` if it was the operator, or if the account was deleted.
pub async fn find_mover(db: &mut Connection, pull: PullId, number: i64) -> Result<Option<AccountId>, DbError> {
    let sql = "select moved_by from pull_version where pull_id = $1 and number = $2";
    let found = db.optional::<(Option<AccountId>,)>(sql, params![pull, number]).await?;
    Ok(found.and_then(|(mover,)| mover))
}

/// Records when the last version of a pull request was refreshed, whether that succeeded or not.
pub async fn update_attempted(db: &mut Transaction, pull: PullId, at: Option<Timestamp>) -> Result<(), DbError> {
    let sql = "update pull_version set attempted_at = $2 \
               where pull_id = $1 and number = (select version from pull where id = $1)";
    db.pulls_only().execute(sql, params![pull, at]).await?;
    Ok(())
}

/// Records whether a version can be merged, and the commit of the test merge if it can.
pub async fn update_mergeability(
    db: &mut Transaction,
    pull: PullId,
    number: i64,
    mergeability: Mergeability,
    test_merge: Option<Sha>,
) -> Result<(), DbError> {
    let sql = "update pull_version set mergeability = $3, test_merge = $4 where pull_id = $1 and number = $2";
    db.pulls_only().execute(sql, params![pull, number, mergeability, test_merge]).await?;
    Ok(())
}

/// Replaces the base of a version; what was computed for it is unknown again.
pub async fn update_base(db: &mut Transaction, pull: PullId, number: i64, base: Sha) -> Result<(), DbError> {
    let sql = "update pull_version set base_sha = $3, merge_base = null, commits = null, mergeability = null, \
               test_merge = null where pull_id = $1 and number = $2";
    db.pulls_only().execute(sql, params![pull, number, base]).await?;
    Ok(())
}
