//! SQL for reviews.

use super::model::{Review, ReviewState};
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId, ReviewId, Sha};
use plinth_store::{Connection, DbError, Sent, Transaction, params};

macro_rules! select_review {
    ($rest:literal) => {
        concat!(
            "select w.id, w.pull_id, p.number, w.state, w.body, w.commit_sha, w.submitted_at, ",
            author_columns!(),
            " from review w join pull p on p.id = w.pull_id join repo r on r.id = w.repo_id and not r.deleted",
            author_joins!("w.author_id"),
            $rest
        )
    };
}

/// A review of this pull request. Only its author sees a pending one.
pub async fn find(
    db: &mut Connection,
    pull: PullId,
    id: ReviewId,
    viewer: Option<AccountId>,
) -> Result<Option<Review>, DbError> {
    let sql = select_review!("where w.id = $1 and w.pull_id = $2 and (w.state <> 'PENDING' or w.author_id = $3)");
    db.optional(sql, params![id, pull, viewer]).await
}

pub async fn list(
    db: &mut Connection,
    pull: PullId,
    viewer: Option<AccountId>,
    (limit, offset): (i64, i64),
) -> Result<Vec<Review>, DbError> {
    let sql = select_review!(
        "where w.pull_id = $1 and (w.state <> 'PENDING' or w.author_id = $2) order by w.id limit $3 offset $4"
    );
    db.all(sql, params![pull, viewer, limit, offset]).await
}

pub async fn count(db: &mut Connection, pull: PullId, viewer: Option<AccountId>) -> Result<i64, DbError> {
    let sql = "select count(*) from review where pull_id = $1 and (state <> 'PENDING' or author_id = $2)";
    Ok(db.one::<(i64,)>(sql, params![pull, viewer]).await?.0)
}

/// The columns of a new review.
pub struct NewReview<'a> {
    pub repo: RepoId,
    pub pull: PullId,
    pub author: AccountId,
    pub state: ReviewState,
    pub body: &'a str,
    pub commit: Sha,
}

pub async fn insert(db: &mut Transaction, new: &NewReview<'_>, now: Timestamp) -> Result<ReviewId, DbError> {
    let sent = send_insert(db, new, now).await?;
    Ok(db.row(sent).await?.0)
}

macro_rules! review_columns {
    () => {
        "repo_id, pull_id, author_id, state, body, commit_sha, created_at, submitted_at"
    };
}
pub(in crate::review_comments) use review_columns;

pub async fn send_insert(
    db: &mut Transaction,
    new: &NewReview<'_>,
    now: Timestamp,
) -> Result<Sent<Vec<(ReviewId,)>>, DbError> {
    let submitted_at = (new.state != ReviewState::Pending).then_some(now);
    let sql =
        concat!("insert into review (", review_columns!(), ") values ($1, $2, $3, $4, $5, $6, $7, $8) returning id");
    let values = params![new.repo, new.pull, new.author, new.state, new.body, new.commit, now, submitted_at];
    // Who begins a pending review sees other lists from then on: see `list_known` of the API.
    let insert = match new.state {
        ReviewState::Pending => db.content_only(),
        _ => db.content_only().changes_no_row(),
    };
    insert.send_insert(sql, values).await
}

/// Whether the author has a pending review of a pull request.
pub async fn has_pending(db: &mut Connection, pull: PullId, author: AccountId) -> Result<bool, DbError> {
    let sent = send_pending(db, pull, author).await?;
    Ok(!db.rows(sent).await?.is_empty())
}

/// The authors of pending reviews in a repository, at most `limit`.
pub async fn send_authors_of_pending(
    db: &mut Connection,
    repo: RepoId,
    limit: i64,
) -> Result<Sent<Vec<(AccountId,)>>, DbError> {
    let sql = "select distinct author_id from review \
               where repo_id = $1 and state = 'PENDING' and author_id is not null limit $2";
    db.send(sql, params![repo, limit]).await
}

/// The pending review of a pull request that the author has, if there is one.
pub async fn send_pending(
    db: &mut Connection,
    pull: PullId,
    author: AccountId,
) -> Result<Sent<Vec<(ReviewId,)>>, DbError> {
    let sql = "select id from review where pull_id = $1 and author_id = $2 and state = 'PENDING'";
    db.send(sql, params![pull, author]).await
}

pub async fn submit(
    db: &mut Transaction,
    id: ReviewId,
    state: ReviewState,
    body: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    let sql = "update review set state = $2, body = $3, submitted_at = $4 where id = $1";
    db.content_only().execute(sql, params![id, state, body, now]).await?;
    Ok(())
}

/// Publishes the pending comments of a review, and returns how many there are.
pub async fn publish_comments(db: &mut Transaction, id: ReviewId) -> Result<u64, DbError> {
    db.content_only()
        .execute("update review_comment set pending = false where review_id = $1 and pending = true", params![id])
        .await
}

/// The comments of a review with their threads.
pub async fn list_comments(db: &mut Connection, id: ReviewId) -> Result<Vec<(CommentId, i64)>, DbError> {
    let sql = "select id, thread_id from review_comment where review_id = $1 order by id";
    db.all(sql, params![id]).await
}

/// The comments of a review with their bodies.
pub async fn list_bodies(db: &mut Connection, id: ReviewId) -> Result<Vec<(CommentId, String)>, DbError> {
    db.all("select id, body from review_comment where review_id = $1 order by id", params![id]).await
}

pub async fn delete(db: &mut Transaction, id: ReviewId) -> Result<u64, DbError> {
    db.content_only().execute("delete from review where id = $1", params![id]).await
}

/// Deletes a review without body and comments, which existed only for a comment that was deleted.
pub async fn delete_if_empty(db: &mut Transaction, id: ReviewId) -> Result<(), DbError> {
    let sql = "delete from review where id = $1 and state = 'COMMENTED' and body = '' \
               and not exists (select 1 from review_comment where review_id = $1)";
    db.content_only().execute(sql, params![id]).await?;
    Ok(())
}
