//! SQL for lists of review comments by update that have a sparse index.
//!
//! What comes after an entry is read in two parts: the rest of the same second, by id, and all later seconds. For a comparison of both columns at
//! once, SQLite would read the whole second, which may have most of the list.

use super::model::{Comment, CommentColumns};
use super::sparse_index::{IndexKey, IndexedScope, Start, UpdateKey, by_scope};
use super::store::{columns, select_comment};
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId};
use plinth_store::{Connection, DbError, FromRow, Sent, params};

/// The ids of the comments `s` beyond an entry, in an order that `$same` and `$other` fit: they compare the ids of its second, and other seconds
/// with it. Each part has a limit of its own, so that PostgreSQL reads it in this order, too, instead of sorting it.
macro_rules! ids_beyond {
    (
        $scope:literal,
        ($updated_at:literal, $id:literal),
        $shown:literal,
        ($same:literal, $other:literal),
        ($first:literal, $then:literal),
        $part_limit:literal,
        $limit:expr
    ) => {
        concat!(
            "(select e.id from (",
            ids_beyond!(@part "a", $scope, ["= ", $updated_at, " and s.id ", $same, $id], $shown, ($first, $then), $part_limit),
            " union all ",
            ids_beyond!(@part "b", $scope, [$other, $updated_at], $shown, ($first, $then), $part_limit),
            " order by ",
            $first,
            ", ",
            $then,
            $limit,
            ") e)"
        )
    };
    (@part $name:literal, $scope:literal, [$($condition:literal),*], $shown:literal, ($first:literal, $then:literal), $limit:literal) => {
        concat!(
            "select * from (select s.updated_at, s.id from review_comment s where s.",
            $scope,
            " = $1 and s.updated_at ",
            $($condition,)*
            " and ",
            $shown,
            " order by s.",
            $first,
            ", s.",
            $then,
            " limit ",
            $limit,
            ") ",
            $name
        )
    };
}

impl IndexKey for UpdateKey {
    async fn list_entries(db: &mut Connection, scope: IndexedScope, after: Option<Self>) -> Result<Vec<Self>, DbError> {
        macro_rules! entries {
            ($scope:literal) => {
                concat!(
                    "select n.updated_at, n.id from (with recursive entry (updated_at, id, number) as \
                     (select cast($2 as bigint), cast($3 as bigint), 0 union all \
                     select c.updated_at, c.id, entry.number + 1 from entry join review_comment c on c.id = ",
                    ids_beyond!(
                        $scope,
                        ("entry.updated_at", "entry.id"),
                        "s.pending = false",
                        ("> ", "> "),
                        ("updated_at", "id"),
                        "64",
                        " limit 1 offset 63"
                    ),
                    " where entry.number < 256) select updated_at, id, number from entry) n \
                     where n.number > 0 order by n.number"
                )
            };
        }
        let (sql, id) = by_scope!(scope, entries);
        let (updated_at, after) = after.unwrap_or((Timestamp(i64::MIN), CommentId(0)));
        db.all(sql, params![id, updated_at, after]).await
    }
}

/// The ids of a page from an entry, `($2, $6)`. As for lists by id, it counts the pending comments before the entry itself.
macro_rules! page_ids {
    (@ordered $scope:literal, $comparisons:tt, $before:literal, $order:tt) => {
        ids_beyond!(
            $scope,
            ("$2", "$6"),
            "(s.pending = false or s.author_id = $5)",
            $comparisons,
            $order,
            "cast($3 as bigint) + cast($4 as bigint)",
            concat!(
                " limit $3 offset (select case when count(*) > $4 then 1000000000000000 else $4 - count(*) end \
                 from review w join review_comment d on d.review_id = w.id where w.",
                $scope,
                " = $1 and w.author_id = $5 and w.state = 'PENDING' and (d.updated_at, d.id) ",
                $before,
                " ($2, $6))"
            )
        )
    };
    (up $scope:literal) => {
        page_ids!(@ordered $scope, ("> ", "> "), "<", ("updated_at", "id"))
    };
    (down $scope:literal) => {
        page_ids!(@ordered $scope, ("<= ", "< "), ">", ("updated_at desc", "id desc"))
    };
}

/// At most `limit` comments from a start, without what other tables have about them.
pub async fn send_columns_from(
    db: &mut Connection,
    scope: IndexedScope,
    start: Start<UpdateKey>,
    window: (i64, Option<AccountId>),
) -> Result<Sent<Vec<CommentColumns>>, DbError> {
    macro_rules! up {
        ($scope:literal) => {
            concat!(columns!(), "join ", page_ids!(up $scope), " x on x.id = c.id order by c.updated_at, c.id")
        };
    }
    macro_rules! down {
        ($scope:literal) => {
            concat!(columns!(), "join ", page_ids!(down $scope), " x on x.id = c.id order by c.updated_at desc, c.id desc")
        };
    }
    let statement = match start {
        Start::After(..) => by_scope!(scope, up),
        Start::DownFrom(..) => by_scope!(scope, down),
    };
    send(db, statement, start, window).await
}

/// At most `limit` comments from a start.
pub async fn send_comments_from(
    db: &mut Connection,
    scope: IndexedScope,
    start: Start<UpdateKey>,
    window: (i64, Option<AccountId>),
) -> Result<Sent<Vec<Comment>>, DbError> {
    macro_rules! page {
        ($ids:expr, $order:literal) => {
            select_comment!(concat!($ids, " x join review_comment c on c.id = x.id"), $order)
        };
    }
    macro_rules! up {
        ($scope:literal) => {
            page!(page_ids!(up $scope), "order by c.updated_at, c.id")
        };
    }
    macro_rules! down {
        ($scope:literal) => {
            page!(page_ids!(down $scope), "order by c.updated_at desc, c.id desc")
        };
    }
    let statement = match start {
        Start::After(..) => by_scope!(scope, up),
        Start::DownFrom(..) => by_scope!(scope, down),
    };
    send(db, statement, start, window).await
}

async fn send<T: FromRow>(
    db: &mut Connection,
    (sql, id): (&'static str, i64),
    (Start::After((updated_at, entry), skipped) | Start::DownFrom((updated_at, entry), skipped)): Start<UpdateKey>,
    (limit, viewer): (i64, Option<AccountId>),
) -> Result<Sent<Vec<T>>, DbError> {
    db.send(sql, params![id, updated_at, limit, skipped, viewer, entry]).await
}
