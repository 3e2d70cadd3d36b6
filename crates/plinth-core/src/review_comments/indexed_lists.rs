//! SQL for lists of review comments that have a sparse index.

use std::future::Future;

use super::lists_by_update;
use super::model::{Comment, CommentColumns, Extent, Listing, ListingOfColumns};
use super::sparse_index::{IndexKey, IndexedScope, Start, UpdateKey, by_scope};
use super::store::{columns, select_comment};
use crate::comment_lists;
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::ids::{AccountId, CommentId};
use plinth_store::{Connection, DbError, Sent, params};

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

/// The rest of a statement that reads comments `$row` from an entry, `$2`. It counts the pending comments before the entry itself,
/// because the caller may add and delete some at any time. An offset beyond the list stands for one that is negative.
macro_rules! from_entry {
    ($row:literal, $scope:literal, $from:literal, $before:literal, $order:literal) => {
        concat!(
            " where ",
            $row,
            ".",
            $scope,
            " = $1 and ",
            $row,
            ".id ",
            $from,
            " $2 and (",
            $row,
            ".pending = false or ",
            $row,
            ".author_id = $5) order by ",
            $row,
            $order,
            " limit $3 offset (select case when count(*) > $4 then 1000000000000000 else $4 - count(*) end \
             from review w join review_comment d on d.review_id = w.id where w.",
            $scope,
            " = $1 and w.author_id = $5 and w.state = 'PENDING' and d.id ",
            $before,
            " $2)"
        )
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
        macro_rules! up {
            ($scope:literal) => {
                concat!(columns!(), from_entry!("c", $scope, ">", "<", ".id"))
            };
        }
        macro_rules! down {
            ($scope:literal) => {
                concat!(columns!(), from_entry!("c", $scope, "<=", ">", ".id desc"))
            };
        }
        let ((sql, id), (entry, skipped)) = match start {
            Start::After(entry, skipped) => (by_scope!(scope, up), (entry, skipped)),
            Start::DownFrom(entry, skipped) => (by_scope!(scope, down), (entry, skipped)),
        };
        db.send(sql, params![id, entry, limit, skipped, self.0.viewer]).await
    }

    async fn send_from_update(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<UpdateKey>,
        limit: i64,
    ) -> Result<Sent<Vec<CommentColumns>>, DbError> {
        lists_by_update::send_columns_from(db, scope, start, (limit, self.0.viewer)).await
    }
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
        macro_rules! page {
            ($rest:expr, $order:literal) => {
                select_comment!(
                    concat!("(select s.id from review_comment s", $rest, ") x join review_comment c on c.id = x.id"),
                    concat!("order by c", $order)
                )
            };
        }
        macro_rules! up {
            ($scope:literal) => {
                page!(from_entry!("s", $scope, ">", "<", ".id"), ".id")
            };
        }
        macro_rules! down {
            ($scope:literal) => {
                page!(from_entry!("s", $scope, "<=", ">", ".id desc"), ".id desc")
            };
        }
        let ((sql, id), (entry, skipped)) = match start {
            Start::After(entry, skipped) => (by_scope!(scope, up), (entry, skipped)),
            Start::DownFrom(entry, skipped) => (by_scope!(scope, down), (entry, skipped)),
        };
        db.send(sql, params![id, entry, limit, skipped, self.viewer]).await
    }

    async fn send_from_update(
        &self,
        db: &mut Connection,
        scope: IndexedScope,
        start: Start<UpdateKey>,
        limit: i64,
    ) -> Result<Sent<Vec<Comment>>, DbError> {
        lists_by_update::send_comments_from(db, scope, start, (limit, self.viewer)).await
    }
}
