//! SQL for what is computed after a version was added. It is stored only for the base that it was computed for, because
//! [`update_base`] may have replaced that meanwhile.

use super::model::{Mergeability, Size, Version};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, PullId, Sha};
use plinth_store::{Connection, DbError, Transaction, params};

/// Returns whether the version still has its base.
pub async fn update_merge_base(
    db: &mut Transaction,
    pull: PullId,
    version: &Version,
    merge_base: Sha,
) -> Result<bool, DbError> {
    let sql = "update pull_version set merge_base = $4 where pull_id = $1 and number = $2 and base_sha = $3";
    let values = params![pull, version.number, version.base_sha, merge_base];
    Ok(db.pulls_only().execute(sql, values).await? > 0)
}

pub async fn update_size(db: &mut Transaction, pull: PullId, version: &Version, size: &Size) -> Result<(), DbError> {
    let sql = "update pull_version set commits = $4, additions = $5, deletions = $6, changed_files = $7 \
               where pull_id = $1 and number = $2 and base_sha = $3";
    let Size { commits, additions, deletions, changed_files } = *size;
    let values = params![pull, version.number, version.base_sha, commits, additions, deletions, changed_files];
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
    version: &Version,
    mergeability: Mergeability,
    test_merge: Option<Sha>,
) -> Result<(), DbError> {
    let sql = "update pull_version set mergeability = $4, test_merge = $5 \
               where pull_id = $1 and number = $2 and base_sha = $3";
    let values = params![pull, version.number, version.base_sha, mergeability, test_merge];
    db.pulls_only().execute(sql, values).await?;
    Ok(())
}

/// Replaces the base of a version; what was computed for it is unknown again.
pub async fn update_base(db: &mut Transaction, pull: PullId, number: i64, base: Sha) -> Result<(), DbError> {
    let sql = "update pull_version set base_sha = $3, merge_base = null, commits = null, mergeability = null, \
               test_merge = null where pull_id = $1 and number = $2";
    db.pulls_only().execute(sql, params![pull, number, base]).await?;
    Ok(())
}
