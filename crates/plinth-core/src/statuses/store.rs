//! SQL for statuses.

use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, RepoId, Sha, StatusId};
use plinth_store::{Connection, DbError, Transaction, params};

use super::model::{CommitStatus, Counts, StatusState};
use super::{NewStatus, rules};
use crate::paging::Page;

macro_rules! select_status {
    ($rest:literal) => {
        concat!(
            "select s.id, s.sha, s.state, s.context, s.description, s.target_url, s.created_at, \
             a.id, a.kind, a.login, a.site_admin \
             from commit_status s left join account a on a.id = s.creator_id ",
            $rest
        )
    };
}

pub async fn find(db: &mut Connection, id: StatusId) -> Result<Option<CommitStatus>, DbError> {
    db.optional(select_status!("where s.id = $1"), params![id]).await
}

/// All statuses of a commit, the newest first.
pub async fn list(db: &mut Connection, repo: RepoId, sha: Sha, page: Page) -> Result<Vec<CommitStatus>, DbError> {
    let sql = select_status!("where s.repo_id = $1 and s.sha = $2 order by s.id desc limit $3 offset $4");
    db.all(sql, params![repo, sha, page.limit(), page.offset()]).await
}

pub async fn count(db: &mut Connection, repo: RepoId, sha: Sha) -> Result<i64, DbError> {
    let sql = "select count(*) from commit_status where repo_id = $1 and sha = $2";
    Ok(db.one::<(i64,)>(sql, params![repo, sha]).await?.0)
}

/// The latest status of each context, the newest first.
pub async fn list_latest(
    db: &mut Connection,
    repo: RepoId,
    sha: Sha,
    page: Page,
) -> Result<Vec<CommitStatus>, DbError> {
    let sql = select_status!("where s.repo_id = $1 and s.sha = $2 and s.latest order by s.id desc limit $3 offset $4");
    db.all(sql, params![repo, sha, page.limit(), page.offset()]).await
}

/// The latest status of a context.
pub async fn find_latest(
    db: &mut Connection,
    repo: RepoId,
    sha: Sha,
    context_key: &str,
) -> Result<Option<CommitStatus>, DbError> {
    let sql = select_status!("where s.repo_id = $1 and s.sha = $2 and s.context_key = $3 and s.latest");
    db.optional(sql, params![repo, sha, context_key]).await
}

/// How many contexts have which state.
pub async fn count_latest(db: &mut Connection, repo: RepoId, sha: Sha) -> Result<Counts, DbError> {
    let sql = "select state, count(*) from commit_status where repo_id = $1 and sha = $2 and latest group by state";
    let mut counts = Counts::default();
    for (state, count) in db.all::<(StatusState, i64)>(sql, params![repo, sha]).await? {
        match state {
            StatusState::Error | StatusState::Failure => counts.failed += count,
            StatusState::Pending => counts.pending += count,
            StatusState::Success => counts.succeeded += count,
        }
    }
    Ok(counts)
}

/// The number of the latest status of a context; 0 if there is none.
pub async fn find_latest_number(
    db: &mut Connection,
    repo: RepoId,
    sha: Sha,
    context_key: &str,
) -> Result<i64, DbError> {
    let sql = "select number from commit_status where repo_id = $1 and sha = $2 and context_key = $3 \
               order by number desc limit 1";
    Ok(db.optional::<(i64,)>(sql, params![repo, sha, context_key]).await?.map_or(0, |(number,)| number))
}

/// The latest status of a context is not the latest any more.
pub async fn supersede(
    db: &mut Transaction,
    (repo, sha): (RepoId, Sha),
    context_key: &str,
    number: i64,
) -> Result<(), DbError> {
    let sql = "update commit_status set latest = false \
               where repo_id = $1 and sha = $2 and context_key = $3 and number = $4";
    db.content_only().execute(sql, params![repo, sha, context_key, number]).await?;
    Ok(())
}

/// Inserts the latest status of its context.
pub async fn insert(
    db: &mut Transaction,
    (repo, sha, number): (RepoId, Sha, i64),
    new: &NewStatus,
    (creator, now): (AccountId, Timestamp),
) -> Result<StatusId, DbError> {
    let sql = "insert into commit_status (repo_id, sha, context, context_key, number, latest, state, description, \
               target_url, creator_id, created_at) values ($1, $2, $3, $4, $5, true, $6, $7, $8, $9, $10) returning id";
    let key = rules::context_key(&new.context);
    let (description, target_url) = (new.description.as_deref(), new.target_url.as_deref());
    let values = params![repo, sha, new.context, key, number, new.state, description, target_url, creator, now];
    let (id,) = db.content_only().insert::<(StatusId,)>(sql, values).await?;
    Ok(id)
}
