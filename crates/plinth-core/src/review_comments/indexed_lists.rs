//! SQL for lists of review comments that have a sparse index.

use std::future::Future;

use super::model::{Comment, CommentColumns, Extent, Listing, ListingOfColumns};
use super::sparse_index::{IndexedScope, Start, UpdateKey};
use super::store::{columns, select_comment};
use crate::comment_lists;
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId};
use plinth_store::{Connection, DbError, Sent, params};

/// The SQL for a list, from a macro that takes the column, and the id in that column.
macro_rules! by_scope {
    ($scope:expr, $sql:ident) => {
        match $scope {
            IndexedScope::Repo(id) => ($sql!("repo_id"), id.0),
            IndexedScope::Pull(id) => ($sql!("pull_id"), id.0),
        }
    };
}

/// The extent of a list, in which comments after this one are counted; without it, none.
pub async fn find_extent(
    db: &mut Connection,
    scope: IndexedScope,
    viewer: Option<AccountId>,
    after: Option<CommentId>,
) -> Result<Extent, DbError> {
    macro_rules! extent {
        ($scope:literal, $counters:literal, $pull:literal) => {
            concat!(
                "select ",
                $counters,
                ", (select count(*) from review w join review_comment c on c.review_id = w.id where w.",
                $scope,
                " = $1 and w.author_id = $2 and w.state = 'PENDING'), (select count(*) from review_comment c where c.",
                $scope,
                " = $1 and c.id > $3 and c.pending = false) from pull p where p.",
                $pull,
                " = $1"
            )
        };
    }
    let (sql, id) = match scope {
        IndexedScope::Repo(id) => (
            extent!(
                "repo_id",
                "cast(coalesce(sum(p.review_comments), 0) as bigint), \
                 cast(coalesce(sum(p.deleted_review_comments), 0) as bigint)",
                "repo_id"
            ),
            id.0,
        ),
        IndexedScope::Pull(id) => (extent!("pull_id", "p.review_comments, p.deleted_review_comments", "id"), id.0),
    };
    let after = after.map_or(i64::MAX, |after| after.0);
    db.one(sql, params![id, viewer, after]).await
}

/// The position of an entry in its list.
pub trait IndexKey: Copy + Send + Sync {
    /// The last of each [`BLOCK`](super::sparse_index::BLOCK) of published comments after this one, at most 256. Each is found from
    /// the one before it, so the statement costs as much as skipping the comments between them.
    fn list_entries(
        db: &mut Connection,
        scope: IndexedScope,
        after: Option<Self>,
    ) -> impl Future<Output = Result<Vec<Self>, DbError>> + Send;
}

impl IndexKey for CommentId {
    async fn list_entries(db: &mut Connection, scope: IndexedScope, after: Option<Self>) -> Result<Vec<Self>, DbError> {
        macro_rules! entries {
            ($scope:literal) => {
                concat!(
                    "select e.id from (with recursive entry (id, number) as (select cast($2 as bigint), 0 union all \
                     select (select c.id from review_comment c where c.",
                    $scope,
                    " = $1 and c.id > entry.id and c.pending = false order by c.id limit 1 offset 63), \
                     entry.number + 1 from entry where entry.id is not null and entry.number < 256) \
                     select id, number from entry) e where e.number > 0 and e.id is not null order by e.number"
                )
            };
        }
        let (sql, id) = by_scope!(scope, entries);
        let found = db.all::<(CommentId,)>(sql, params![id, after.map_or(0, |after| after.0)]).await?;
        Ok(found.into_iter().map(|(id,)| id).collect())
    }
}

impl IndexKey for UpdateKey {
    async fn list_entries(db: &mut Connection, scope: IndexedScope, after: Option<Self>) -> Result<Vec<Self>, DbError> {
        macro_rules! entries {
            ($scope:literal) => {
                concat!(
                    "select e.updated_at, e.id from (with recursive entry (updated_at, id, number) as \
                     (select cast($2 as bigint), cast($3 as bigint), 0 union all \
                     select c.updated_at, c.id, entry.number + 1 from entry join review_comment c on c.id = \
                     (select s.id from review_comment s where s.",
                    $scope,
                    " = $1 and (s.updated_at, s.id) > (entry.updated_at, entry.id) and s.pending = false \
                     order by s.updated_at, s.id limit 1 offset 63) where entry.number < 256) \
                     select updated_at, id, number from entry) e where e.number > 0 order by e.number"
                )
            };
        }
        let (sql, id) = by_scope!(scope, entries);
        let (updated_at, after) = after.unwrap_or((Timestamp(i64::MIN), CommentId(0)));
        db.all(sql, params![id, updated_at, after]).await
    }
}

/// A list that can be read from an entry of a sparse index. A start has none if it is after more of the caller's pending comments than are
/// to be skipped.
pub trait IndexedListing: comment_lists::Listing {
    fn listing(&self) -> &Listing;
    /// At most `limit` comments by id from a start.
    fn send_from(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<CommentId>,
        limit: i64,
    ) -> impl Future<Output = Result<Sent<Vec<Self::Comment>>, DbError>> + Send;
    /// At most `limit` comments by update from a start.
    fn send_from_update(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<UpdateKey>,
        limit: i64,
    ) -> impl Future<Output = Result<Sent<Vec<Self::Comment>>, DbError>> + Send;
}

/// The rest of a statement that reads comments `$row` from an entry, `$2`, or `($2, $6)` in a list by update. It counts the pending
/// comments before the entry itself, because the caller may add and delete some at any time. An offset beyond the list stands for one
/// that is negative.
macro_rules! from_entry {
    (@conditions $row:literal, $scope:literal, $from:expr, $before:literal, $order:expr) => {
        concat!(
            " where ",
            $row,
            ".",
            $scope,
            " = $1 and ",
            $from,
            " and (",
            $row,
            ".pending = false or ",
            $row,
            ".author_id = $5) order by ",
            $order,
            " limit $3 offset (select case when count(*) > $4 then 1000000000000000 else $4 - count(*) end \
             from review w join review_comment d on d.review_id = w.id where w.",
            $scope,
            " = $1 and w.author_id = $5 and w.state = 'PENDING' and ",
            $before,
            ")"
        )
    };
    (up $row:literal, $scope:literal) => {
        from_entry!(@conditions $row, $scope, concat!($row, ".id > $2"), "d.id < $2", concat!($row, ".id"))
    };
    (down $row:literal, $scope:literal) => {
        from_entry!(@conditions $row, $scope, concat!($row, ".id <= $2"), "d.id > $2", concat!($row, ".id desc"))
    };
    (updated_up $row:literal, $scope:literal) => {
        from_entry!(
            @conditions $row,
            $scope,
            concat!("(", $row, ".updated_at, ", $row, ".id) > ($2, $6)"),
            "(d.updated_at, d.id) < ($2, $6)",
            concat!($row, ".updated_at, ", $row, ".id")
        )
    };
    (updated_down $row:literal, $scope:literal) => {
        from_entry!(
            @conditions $row,
            $scope,
            concat!("(", $row, ".updated_at, ", $row, ".id) <= ($2, $6)"),
            "(d.updated_at, d.id) > ($2, $6)",
            concat!($row, ".updated_at desc, ", $row, ".id desc")
        )
    };
}

/// The statement for a list, which another macro makes from the direction and the column, and the id in that column.
macro_rules! statement {
    ($scope:expr, $page:ident, $direction:ident) => {
        match $scope {
            IndexedScope::Repo(id) => ($page!($direction, "repo_id"), id.0),
            IndexedScope::Pull(id) => ($page!($direction, "pull_id"), id.0),
        }
    };
}

/// Sends the statement for a start in a list by id.
macro_rules! send_from {
    ($db:expr, $page:ident, $scope:expr, $start:expr, ($limit:expr, $viewer:expr)) => {{
        let ((sql, id), (entry, skipped)) = match $start {
            Start::After(entry, skipped) => (statement!($scope, $page, up), (entry, skipped)),
            Start::DownFrom(entry, skipped) => (statement!($scope, $page, down), (entry, skipped)),
        };
        $db.send(sql, params![id, entry, $limit, skipped, $viewer]).await
    }};
}

/// Sends the statement for a start in a list by update.
macro_rules! send_from_update {
    ($db:expr, $page:ident, $scope:expr, $start:expr, ($limit:expr, $viewer:expr)) => {{
        let ((sql, id), ((updated_at, entry), skipped)) = match $start {
            Start::After(key, skipped) => (statement!($scope, $page, updated_up), (key, skipped)),
            Start::DownFrom(key, skipped) => (statement!($scope, $page, updated_down), (key, skipped)),
        };
        $db.send(sql, params![id, updated_at, $limit, skipped, $viewer, entry]).await
    }};
}

/// A page of the comments' own columns.
macro_rules! columns_page {
    ($direction:ident, $scope:literal) => {
        concat!(columns!(), from_entry!($direction "c", $scope))
    };
}

impl IndexedListing for ListingOfColumns {
    fn listing(&self) -> &Listing {
        &self.0
    }

    async fn send_from(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<CommentId>,
        limit: i64,
    ) -> Result<Sent<Vec<CommentColumns>>, DbError> {
        send_from!(db, columns_page, scope, start, (limit, self.0.viewer))
    }

    async fn send_from_update(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<UpdateKey>,
        limit: i64,
    ) -> Result<Sent<Vec<CommentColumns>>, DbError> {
        send_from_update!(db, columns_page, scope, start, (limit, self.0.viewer))
    }
}

/// A page of whole comments. The limit applies before the joins.
macro_rules! comments_page {
    (@ordered $rest:expr, $order:literal) => {
        select_comment!(
            concat!("(select s.id from review_comment s", $rest, ") x join review_comment c on c.id = x.id"),
            concat!("order by ", $order)
        )
    };
    (up, $scope:literal) => {
        comments_page!(@ordered from_entry!(up "s", $scope), "c.id")
    };
    (down, $scope:literal) => {
        comments_page!(@ordered from_entry!(down "s", $scope), "c.id desc")
    };
    (updated_up, $scope:literal) => {
        comments_page!(@ordered from_entry!(updated_up "s", $scope), "c.updated_at, c.id")
    };
    (updated_down, $scope:literal) => {
        comments_page!(@ordered from_entry!(updated_down "s", $scope), "c.updated_at desc, c.id desc")
    };
}

impl IndexedListing for Listing {
    fn listing(&self) -> &Listing {
        self
    }

    async fn send_from(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<CommentId>,
        limit: i64,
    ) -> Result<Sent<Vec<Comment>>, DbError> {
        send_from!(db, comments_page, scope, start, (limit, self.viewer))
    }

    async fn send_from_update(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<UpdateKey>,
        limit: i64,
    ) -> Result<Sent<Vec<Comment>>, DbError> {
        send_from_update!(db, comments_page, scope, start, (limit, self.viewer))
    }
}
