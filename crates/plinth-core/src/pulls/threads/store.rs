//! SQL for threads and their positions.

use super::{NewThread, Position, Thread};
use crate::pulls::diff_context::Range;
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_store::{Connection, DbError, Transaction, params};

/// The columns of a thread, in the order of `thread_values!`.
macro_rules! thread_columns {
    () => {
        "repo_id, pull_id, version, base_sha, head_sha, old_path, new_path, path, side, line, start_side, start_line, \
         position, diff_hunk"
    };
}
pub(crate) use thread_columns;

/// The values of `thread_columns!`, and others after them.
macro_rules! thread_values {
    ($repo:expr, $pull:expr, $version:expr, $new:expr $(, $more:expr)*) => {
        plinth_store::params![
            $repo,
            $pull,
            $version,
            $new.anchor.base,
            $new.anchor.head,
            $new.anchor.old_path,
            $new.anchor.new_path,
            $new.path,
            $new.lines().0.map(|(side, _)| side),
            $new.lines().0.map(|(_, line)| line),
            $new.lines().1.map(|(side, _)| side),
            $new.lines().1.map(|(_, line)| line),
            $new.position.map(i64::from),
            $new.diff_hunk,
            $($more),*
        ]
    };
}
pub(crate) use thread_values;

/// Returns the id.
pub async fn insert(
    db: &mut Transaction,
    repo: RepoId,
    (pull, version): (PullId, i64),
    new: &NewThread,
) -> Result<i64, DbError> {
    let sql = concat!(
        "insert into review_thread (",
        thread_columns!(),
        ") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning id"
    );
    let insert = db.content_only().changes_no_row();
    Ok(insert.insert::<(i64,)>(sql, thread_values!(repo, pull, version, new)).await?.0)
}

/// Deletes a thread without comments.
pub async fn delete_if_empty(db: &mut Transaction, id: i64) -> Result<(), DbError> {
    let sql = "delete from review_thread where id = $1 \
               and not exists (select 1 from review_comment where thread_id = $1)";
    db.content_only().execute(sql, params![id]).await?;
    Ok(())
}

/// Threads of a pull request without a stored position in a range that were not started in it, at most `limit` after the
/// thread `after`.
pub async fn list_without_position(
    db: &mut Connection,
    pull: PullId,
    range: &Range,
    (after, limit): (i64, i64),
) -> Result<Vec<Thread>, DbError> {
    let sql = "select t.id, t.pull_id, t.version, t.base_sha, t.head_sha, t.old_path, t.new_path, t.path, t.side, t.line, \
               t.start_side, t.start_line, t.position, t.diff_hunk from review_thread t \
               where t.pull_id = $1 and t.id > $2 and not (t.base_sha = $3 and t.head_sha = $4) \
               and not exists (select 1 from review_thread_place p \
               where p.thread_id = t.id and p.base_sha = $3 and p.head_sha = $4) order by t.id limit $5";
    db.all(sql, params![pull, after, range.base, range.head, limit]).await
}

pub async fn insert_position(
    db: &mut Transaction,
    thread: i64,
    range: &Range,
    position: &Position,
) -> Result<(), DbError> {
    let location = position.location.as_ref();
    let sql = "insert into review_thread_place (thread_id, base_sha, head_sha, commit_sha, path, line, start_side, \
               start_line, position) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing";
    db.content_only()
        .execute(
            sql,
            params![
                thread,
                range.base,
                range.head,
                position.commit,
                location.map(|location| location.path.as_str()),
                location.and_then(|location| location.line),
                location.and_then(|location| location.start_side),
                location.and_then(|location| location.start_line),
                location.and_then(|location| location.position),
            ],
        )
        .await?;
    Ok(())
}

/// Deletes where threads were outdated in a range to which their pull request returns with this version. In between, they
/// may have had a position, so that the last head with one is another.
pub async fn delete_outdated(db: &mut Transaction, pull: PullId, version: i64, range: &Range) -> Result<(), DbError> {
    let sql = "delete from review_thread_place where path is null and base_sha = $3 and head_sha = $4 \
               and thread_id in (select id from review_thread where pull_id = $1) \
               and exists (select 1 from pull_version where pull_id = $1 and number < $2 \
               and merge_base = $3 and head_sha = $4) \
               and not exists (select 1 from pull_version where pull_id = $1 and number = $2 \
               and merge_base = $3 and head_sha = $4)";
    db.content_only().execute(sql, params![pull, version - 1, range.base, range.head]).await?;
    Ok(())
}

/// The number of a pull request's last version.
pub async fn find_last_version(db: &mut Connection, pull: PullId) -> Result<Option<i64>, DbError> {
    let found = db.optional::<(i64,)>("select version from pull where id = $1", params![pull]).await?;
    Ok(found.map(|(version,)| version))
}

/// The newest version before `version` in which the position of a thread is known, and the commit of that position.
pub async fn find_last_known(
    db: &mut Connection,
    pull: PullId,
    thread: i64,
    version: i64,
) -> Result<Option<(i64, Sha)>, DbError> {
    let sql = "select v.number, k.commit_sha from pull_version v join ( \
               select base_sha, head_sha, commit_sha from review_thread_place where thread_id = $2 \
               union all select base_sha, head_sha, head_sha from review_thread where id = $2) k \
               on k.base_sha = v.merge_base and k.head_sha = v.head_sha \
               where v.pull_id = $1 and v.number < $3 order by v.number desc limit 1";
    db.optional(sql, params![pull, thread, version]).await
}
