//! SQL for review comments.

use super::model::{Comment, CommentColumns, CommentContext, Listing, ListingOfColumns, NewComment, Scope};
use crate::comment_lists::{self, Order, comment_page};
use crate::notifications::can_read;
use crate::pulls::store::{author_columns, author_joins};
use crate::repos::name_key;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId};
use plinth_store::{Connection, DbError, Transaction, params};

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

/// A comment of this repository. Only its author sees a pending one.
pub async fn find(
    db: &mut Connection,
    repo: RepoId,
    id: CommentId,
    viewer: Option<AccountId>,
) -> Result<Option<Comment>, DbError> {
    let sql = select_comment!(
        "review_comment c",
        "where c.id = $1 and c.repo_id = $2 and (c.pending = false or c.author_id = $3)"
    );
    db.optional(sql, params![id, repo, viewer]).await
}

macro_rules! columns {
    () => {
        "select c.id, c.pull_id, c.review_id, c.thread_id, c.in_reply_to_id, c.author_id, c.pending, c.body, \
         c.created_at, c.updated_at from review_comment c "
    };
}

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

/// One page of a list.
pub async fn list(
    db: &mut Connection,
    listing: &Listing,
    (limit, offset): (i64, i64),
) -> Result<Vec<Comment>, DbError> {
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
    let (sql, id) = match listing.scope {
        Scope::Repo(id) => (page!("repo_id"), id.0),
        Scope::Pull(id) => (page!("pull_id"), id.0),
        Scope::Review(id) => (page!("review_id"), id.0),
        Scope::Thread(id) => (page!("thread_id"), id),
    };
    db.all(sql, params![id, since, limit, offset, listing.viewer]).await
}

/// As [`list`], without what other tables have about the comments.
async fn list_columns(
    db: &mut Connection,
    listing: &Listing,
    (limit, offset): (i64, i64),
) -> Result<Vec<CommentColumns>, DbError> {
    macro_rules! page {
        (@ordered $scope:literal, $moment:literal, $order:literal) => {
            concat!(
                columns!(),
                "where c.",
                $scope,
                " = $1 and ",
                $moment,
                " > $2 and (c.pending = false or c.author_id = $5) order by ",
                $order,
                " limit $3 offset $4"
            )
        };
        (@since $scope:literal, $moment:literal) => {
            match listing.order {
                Order::Up => page!(@ordered $scope, $moment, "c.id"),
                Order::Down => page!(@ordered $scope, $moment, "c.id desc"),
                Order::UpdatedUp => page!(@ordered $scope, $moment, "c.updated_at, c.id"),
                Order::UpdatedDown => page!(@ordered $scope, $moment, "c.updated_at desc, c.id desc"),
            }
        };
        ($scope:literal) => {
            match listing.since {
                Some(_) => page!(@since $scope, "c.updated_at"),
                // See `comment_page!`.
                None => page!(@since $scope, "+c.updated_at"),
            }
        };
    }
    let since = listing.since.map_or(i64::MIN, |moment| moment.0);
    let (sql, id) = match listing.scope {
        Scope::Repo(id) => (page!("repo_id"), id.0),
        Scope::Pull(id) => (page!("pull_id"), id.0),
        Scope::Review(id) => (page!("review_id"), id.0),
        Scope::Thread(id) => (page!("thread_id"), id),
    };
    db.all(sql, params![id, since, limit, offset, listing.viewer]).await
}

impl comment_lists::Listing for ListingOfColumns {
    type Comment = CommentColumns;

    fn reversed(&self) -> Option<Self> {
        comment_lists::Listing::reversed(&self.0).map(Self)
    }

    async fn count(&self, db: &mut Connection) -> Result<i64, DbError> {
        count(db, &self.0).await
    }

    async fn list(&self, db: &mut Connection, window: (i64, i64)) -> Result<Vec<CommentColumns>, DbError> {
        list_columns(db, &self.0, window).await
    }
}

impl comment_lists::Listing for Listing {
    type Comment = Comment;

    fn reversed(&self) -> Option<Self> {
        self.since.is_none().then(|| Self { order: self.order.reversed(), ..*self })
    }

    async fn count(&self, db: &mut Connection) -> Result<i64, DbError> {
        count(db, self).await
    }

    async fn list(&self, db: &mut Connection, window: (i64, i64)) -> Result<Vec<Comment>, DbError> {
        list(db, self, window).await
    }
}

/// The length of a list. Without `since`, this adds up the counters of the pull requests.
async fn count(db: &mut Connection, listing: &Listing) -> Result<i64, DbError> {
    let Some(since) = listing.since else { return count_all(db, listing).await };
    macro_rules! counted {
        ($scope:literal) => {
            concat!(
                "select count(*) from review_comment where ",
                $scope,
                " = $1 and updated_at > $2 and (pending = false or author_id = $3)"
            )
        };
    }
    let (sql, id) = match listing.scope {
        Scope::Repo(id) => (counted!("repo_id"), id.0),
        Scope::Pull(id) => (counted!("pull_id"), id.0),
        Scope::Review(id) => (counted!("review_id"), id.0),
        Scope::Thread(id) => (counted!("thread_id"), id),
    };
    Ok(db.one::<(i64,)>(sql, params![id, since, listing.viewer]).await?.0)
}

async fn count_all(db: &mut Connection, listing: &Listing) -> Result<i64, DbError> {
    let (sql, id) = match listing.scope {
        Scope::Repo(id) => (
            "select cast(coalesce(sum(p.review_comments), 0) as bigint) + (select count(*) from review w \
             join review_comment c on c.review_id = w.id \
             where w.repo_id = $1 and w.author_id = $2 and w.state = 'PENDING') from pull p where p.repo_id = $1",
            id.0,
        ),
        Scope::Pull(id) => (
            "select p.review_comments + (select count(*) from review w join review_comment c on c.review_id = w.id \
             where w.pull_id = $1 and w.author_id = $2 and w.state = 'PENDING') from pull p where p.id = $1",
            id.0,
        ),
        Scope::Review(id) => {
            let sql = "select count(*) from review_comment where review_id = $1";
            return Ok(db.one::<(i64,)>(sql, params![id]).await?.0);
        }
        Scope::Thread(id) => {
            let sql =
                "select count(*) from review_comment where thread_id = $1 and (pending = false or author_id = $2)";
            return Ok(db.one::<(i64,)>(sql, params![id, listing.viewer]).await?.0);
        }
    };
    Ok(db.one::<(i64,)>(sql, params![id, listing.viewer]).await?.0)
}

/// The comment context; `None` if the pull request was deleted.
pub async fn find_comment_context(
    db: &mut Connection,
    pull: PullId,
    author: AccountId,
) -> Result<Option<CommentContext>, DbError> {
    let sql = concat!(
        "select p.number, (select w.id from account w where w.id = p.author_id and ",
        can_read!("w"),
        "), v.number, v.base_sha, v.head_sha, v.merge_base, v.created_at, ",
        author_columns!(),
        " from pull p join repo r on r.id = p.repo_id and not r.deleted \
         join pull_version v on v.pull_id = p.id and v.number = p.version",
        author_joins!("$2"),
        "where p.id = $1"
    );
    db.optional(sql, params![pull, author]).await
}

pub async fn insert(db: &mut Transaction, new: &NewComment, now: Timestamp) -> Result<CommentId, DbError> {
    let sql = "insert into review_comment (repo_id, pull_id, review_id, thread_id, in_reply_to_id, author_id, pending, \
               body, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning id";
    let NewComment { repo, pull, review, thread, in_reply_to, author, pending, body } = new;
    let values = params![repo, pull, review, thread, in_reply_to, author, pending, body, now];
    Ok(db.content_only().insert::<(CommentId,)>(sql, values).await?.0)
}

pub async fn update_body(db: &mut Transaction, id: CommentId, body: &str, now: Timestamp) -> Result<(), DbError> {
    db.content_only()
        .execute("update review_comment set body = $2, updated_at = $3 where id = $1", params![id, body, now])
        .await?;
    Ok(())
}

pub async fn delete(db: &mut Transaction, id: CommentId) -> Result<u64, DbError> {
    db.content_only().execute("delete from review_comment where id = $1", params![id]).await
}

/// The authors of published comments in a thread.
pub async fn list_participants(db: &mut Connection, thread: i64) -> Result<Vec<(AccountId,)>, DbError> {
    let sql = "select distinct author_id from review_comment \
               where thread_id = $1 and pending = false and author_id is not null";
    db.all(sql, params![thread]).await
}
