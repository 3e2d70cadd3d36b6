//! SQL for review comments.

use super::model::{Comment, CommentColumns, CommentContext, Listing, NewComment, PublishedComment, Scope};
use crate::comment_lists::comment_page;
use crate::notifications::can_read;
use crate::pulls::store::{author_columns, author_joins};
use crate::repos::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId, ReviewId};
use plinth_store::{Connection, ContentKind, DbError, Dependency, RowKey, Sent, Transaction, params};

macro_rules! select_comment {
    ($from:expr, $rest:expr) => {
        concat!(
            "select c.id, c.review_id, c.in_reply_to_id, c.pending, c.body, c.created_at, c.updated_at, p.id, p.number, \
             v.number, v.base_sha, v.head_sha, v.merge_base, v.created_at, t.id, t.pull_id, t.version, t.base_sha, \
             t.head_sha, t.old_path, t.new_path, t.path, t.side, t.line, t.start_side, t.start_line, t.position, \
             t.diff_hunk, l.commit_sha, l.path, l.line, l.start_side, l.start_line, l.position, ",
            author_columns!(),
            " from ",
            $from,
            " join pull p on p.id = c.pull_id join repo r on r.id = c.repo_id and not r.deleted \
             join pull_version v on v.pull_id = p.id and v.number = p.version \
             join review_thread t on t.id = c.thread_id left join review_thread_place l \
             on l.thread_id = t.id and l.base_sha = v.merge_base and l.head_sha = v.head_sha",
            author_joins!("c.author_id"),
            $rest
        )
    };
}

pub(super) use select_comment;

const FIND: &str = select_comment!(
    "review_comment c",
    "where c.id = $1 and c.repo_id = $2 and (c.pending = false or c.author_id = $3)"
);

/// A comment of this repository. Only its author sees a pending one.
pub async fn find(
    db: &mut Connection,
    repo: RepoId,
    id: CommentId,
    viewer: Option<AccountId>,
) -> Result<Option<Comment>, DbError> {
    db.optional(FIND, params![id, repo, viewer]).await
}

/// Sends [`find`] for several comments, in one round trip.
pub async fn find_each(
    db: &mut Connection,
    repo: RepoId,
    ids: impl Iterator<Item = CommentId>,
    viewer: Option<AccountId>,
) -> Result<Vec<Option<Comment>>, DbError> {
    let mut sent = Vec::new();
    for id in ids {
        sent.push(db.send(FIND, params![id, repo, viewer]).await?);
    }
    let mut found = Vec::with_capacity(sent.len());
    for sent in sent {
        found.push(db.rows(sent).await?.pop());
    }
    Ok(found)
}

macro_rules! columns {
    () => {
        "select c.id, c.pull_id, c.review_id, c.thread_id, c.in_reply_to_id, c.author_id, c.pending, c.body, \
         c.created_at, c.updated_at from review_comment c "
    };
}

pub(super) use columns;

/// As [`find`], without what other tables have about it.
pub async fn find_columns(
    db: &mut Connection,
    repo: RepoId,
    id: CommentId,
    viewer: Option<AccountId>,
) -> Result<Option<CommentColumns>, DbError> {
    let sql = concat!(columns!(), "where c.id = $1 and c.repo_id = $2 and (c.pending = false or c.author_id = $3)");
    db.optional(sql, params![id, repo, viewer]).await
}

/// Whether [`find`] would find it, by owner and name of the repository.
pub async fn exists_at(
    db: &mut Connection,
    (owner, name): (&str, &str),
    id: CommentId,
    viewer: Option<AccountId>,
) -> Result<bool, DbError> {
    let sql = "select c.id from review_comment c join repo r on r.id = c.repo_id \
               join account o on o.id = r.owner_id where c.id = $1 and o.login_key = $2 and r.name_key = $3 \
               and (c.pending = false or c.author_id = $4)";
    let found = db.optional::<(CommentId,)>(sql, params![id, name_key(owner), name_key(name), viewer]).await?;
    Ok(found.is_some())
}

/// The SQL for the scope of a list, from a macro that takes the column, and the id in that column.
macro_rules! by_scope {
    ($listing:expr, $sql:ident) => {
        match $listing.scope {
            Scope::Repo(id) => ($sql!("repo_id"), id.0),
            Scope::Pull(id) => ($sql!("pull_id"), id.0),
            Scope::Review(id) => ($sql!("review_id"), id.0),
            Scope::Thread(id) => ($sql!("thread_id"), id),
        }
    };
}
pub(super) use by_scope;

/// One page of a list.
pub async fn list(db: &mut Connection, listing: &Listing, window: (i64, i64)) -> Result<Vec<Comment>, DbError> {
    let sent = send_list(db, listing, window).await?;
    db.rows(sent).await
}

pub(super) async fn send_list(
    db: &mut Connection,
    listing: &Listing,
    (limit, offset): (i64, i64),
) -> Result<Sent<Vec<Comment>>, DbError> {
    macro_rules! page {
        ($scope:literal) => {
            comment_page!(
                listing,
                select_comment,
                "review_comment",
                $scope,
                " > $2 and (s.pending = false or s.author_id = $5)"
            )
        };
    }
    let since = listing.since.map_or(i64::MIN, |moment| moment.0);
    let (sql, id) = by_scope!(listing, page);
    db.send(sql, params![id, since, limit, offset, listing.viewer]).await
}

/// Selects the comment context of a pull request and an author.
macro_rules! select_comment_context {
    ($pull:literal, $author:literal) => {
        concat!(
            "select p.number, (select w.id from account w where w.id = p.author_id and ",
            can_read!("w"),
            "), v.number, v.base_sha, v.head_sha, v.merge_base, v.created_at, ",
            author_columns!(),
            " from pull p join repo r on r.id = p.repo_id and not r.deleted \
             join pull_version v on v.pull_id = p.id and v.number = p.version",
            author_joins!($author),
            "where p.id = ",
            $pull
        )
    };
}

pub(super) use select_comment_context;

/// The comment context; `None` if the pull request was deleted.
pub async fn find_comment_context(
    db: &mut Connection,
    pull: PullId,
    author: AccountId,
) -> Result<Option<CommentContext>, DbError> {
    db.optional(select_comment_context!("$1", "$2"), params![pull, author]).await
}

macro_rules! comment_columns {
    () => {
        "repo_id, pull_id, author_id, body, created_at, updated_at, review_id, thread_id, in_reply_to_id, pending"
    };
}

pub(super) use comment_columns;

macro_rules! insert {
    ($values:literal) => {
        concat!("insert into review_comment (", comment_columns!(), ") values (", $values, ") returning id")
    };
}

pub async fn insert(db: &mut Transaction, new: &NewComment, now: Timestamp) -> Result<CommentId, DbError> {
    let NewComment { repo, pull, review, thread, in_reply_to, author, pending, body } = new;
    let values = params![repo, pull, author, body, now, review, thread, in_reply_to, pending];
    let sql = insert!("$1, $2, $3, $4, $5, $5, $6, $7, $8, $9");
    Ok(db.content_only().changes_no_row().insert::<(CommentId,)>(sql, values).await?.0)
}

/// As [`insert()`], for a published comment whose review was sent just before.
pub async fn send_insert(
    db: &mut Transaction,
    new: &PublishedComment<'_>,
    (review, thread): (Option<ReviewId>, i64),
    now: Timestamp,
) -> Result<Sent<Vec<(CommentId,)>>, DbError> {
    let PublishedComment { repo, pull, in_reply_to, author, body } = *new;
    match review {
        Some(review) => {
            let values = params![repo, pull, author, body, now, review, thread, in_reply_to];
            let sql = insert!("$1, $2, $3, $4, $5, $5, $6, $7, $8, false");
            db.content_only().changes_no_row().send_insert(sql, values).await
        }
        // PostgreSQL knows the id before this process does.
        None => {
            let values = params![repo, pull, author, body, now, thread, in_reply_to];
            let sql = insert!("$1, $2, $3, $4, $5, $5, currval('review_id_seq'), $6, $7, false");
            db.content_only().changes_no_row().send_insert(sql, values).await
        }
    }
}

/// What a value depends on that was made from one comment.
pub fn dependency_on(repo: RepoId, id: CommentId) -> Dependency {
    Dependency::Row(repo, ContentKind::ReviewComments, RowKey::of_id(id.0))
}

/// What a value depends on that was made from several comments of a repository.
pub fn dependency_on_all(repo: RepoId) -> Dependency {
    Dependency::Kind(repo, ContentKind::ReviewComments)
}

pub async fn update_body(db: &mut Transaction, id: CommentId, body: &str, now: Timestamp) -> Result<(), DbError> {
    let sql = "update review_comment set body = $2, updated_at = $3 where id = $1";
    db.content_only().changes_row(RowKey::of_id(id.0)).send(sql, params![id, body, now]).await?;
    Ok(())
}

pub async fn delete(db: &mut Transaction, id: CommentId) -> Result<u64, DbError> {
    // Any row: replies lose the comment that they reply to.
    db.content_only().execute("delete from review_comment where id = $1", params![id]).await
}

/// The authors of published comments in a thread.
pub async fn send_participants(db: &mut Connection, thread: i64) -> Result<Sent<Vec<(AccountId,)>>, DbError> {
    let sql = "select distinct author_id from review_comment \
               where thread_id = $1 and pending = false and author_id is not null";
    db.send(sql, params![thread]).await
}
