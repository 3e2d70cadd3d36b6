//! SQL for resolved threads.

use super::model::Resolution;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId};
use plinth_store::{Connection, DbError, Transaction, params};

/// `$first` selects the ids of threads and of their first visible comments.
macro_rules! select_resolution {
    ($first:literal, $rest:literal) => {
        concat!(
            "select t.id, p.id, p.number, p.author_id, c.id, c.pending, t.resolved_at, a.id, a.kind, a.login, a.site_admin from (",
            $first,
            ") x join review_thread t on t.id = x.thread_id join review_comment c on c.id = x.comment_id \
             join pull p on p.id = t.pull_id join repo r on r.id = t.repo_id and not r.deleted \
             left join account a on a.id = t.resolved_by",
            $rest
        )
    };
}

/// The thread of a comment of this repository that the viewer sees.
pub async fn find(
    db: &mut Connection,
    repo: RepoId,
    comment: CommentId,
    viewer: Option<AccountId>,
) -> Result<Option<Resolution>, DbError> {
    let sql = select_resolution!(
        "select s.thread_id, (select min(o.id) from review_comment o where o.thread_id = s.thread_id \
         and (o.pending = false or o.author_id = $3)) as comment_id from review_comment s \
         where s.id = $1 and s.repo_id = $2 and (s.pending = false or s.author_id = $3)",
        ""
    );
    db.optional(sql, params![comment, repo, viewer]).await
}

/// Threads of a pull request that have a comment that the viewer sees. The limit applies before the joins.
pub async fn list(
    db: &mut Connection,
    pull: PullId,
    viewer: Option<AccountId>,
    (limit, offset): (i64, i64),
) -> Result<Vec<Resolution>, DbError> {
    let sql = select_resolution!(
        "select s.id as thread_id, (select min(o.id) from review_comment o where o.thread_id = s.id \
         and (o.pending = false or o.author_id = $2)) as comment_id from review_thread s where s.pull_id = $1 \
         and exists (select 1 from review_comment e where e.thread_id = s.id and (e.pending = false or e.author_id = $2)) \
         order by s.id limit $3 offset $4",
        " order by t.id"
    );
    db.all(sql, params![pull, viewer, limit, offset]).await
}

/// The length of [`list`].
pub async fn count(db: &mut Connection, pull: PullId, viewer: Option<AccountId>) -> Result<i64, DbError> {
    let sql = "select count(distinct thread_id) from review_comment \
               where pull_id = $1 and (pending = false or author_id = $2)";
    Ok(db.one::<(i64,)>(sql, params![pull, viewer]).await?.0)
}

pub async fn update(
    db: &mut Transaction,
    thread: i64,
    resolved: Option<(AccountId, Timestamp)>,
) -> Result<(), DbError> {
    let (by, at) = resolved.unzip();
    let sql = "update review_thread set resolved_by = $2, resolved_at = $3 where id = $1";
    db.content_only().execute(sql, params![thread, by, at]).await?;
    Ok(())
}
