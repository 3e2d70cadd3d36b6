//! What lists of comments on issues and of review comments have in common.

/// The order of a list of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By id, which is the order of creation.
    Up,
    Down,
    UpdatedUp,
    UpdatedDown,
}

/// The statement for one page of a listing: comments `s` of `$table` whose column `$scope` is `$1`, with `limit $3 offset
/// $4`. `$condition` follows the time of the update, and `$select` adds the other columns to comments `c`. The limit applies
/// before the joins, so that the cost does not grow with the length of the list.
macro_rules! comment_page {
    (@page $select:ident, $table:literal, $scope:literal, $condition:literal, $moment:literal, $inner:literal, $outer:literal) => {
        $select!(
            concat!(
                "(select s.id from ",
                $table,
                " s where s.",
                $scope,
                " = $1 and ",
                $moment,
                $condition,
                " order by ",
                $inner,
                " limit $3 offset $4) x join ",
                $table,
                " c on c.id = x.id"
            ),
            concat!("order by ", $outer)
        )
    };
    (@ordered $listing:expr, $select:ident, $table:literal, $scope:literal, $condition:literal, $moment:literal) => {
        match $listing.order {
            $crate::comment_lists::Order::Up => {
                $crate::comment_lists::comment_page!(@page $select, $table, $scope, $condition, $moment, "s.id", "c.id")
            }
            $crate::comment_lists::Order::Down => {
                $crate::comment_lists::comment_page!(@page $select, $table, $scope, $condition, $moment, "s.id desc", "c.id desc")
            }
            $crate::comment_lists::Order::UpdatedUp => {
                $crate::comment_lists::comment_page!(@page $select, $table, $scope, $condition, $moment, "s.updated_at, s.id", "c.updated_at, c.id")
            }
            $crate::comment_lists::Order::UpdatedDown => {
                $crate::comment_lists::comment_page!(@page $select, $table, $scope, $condition, $moment, "s.updated_at desc, s.id desc", "c.updated_at desc, c.id desc")
            }
        }
    };
    ($listing:expr, $select:ident, $table:literal, $scope:literal, $condition:literal) => {
        match $listing.since {
            Some(_) => {
                $crate::comment_lists::comment_page!(@ordered $listing, $select, $table, $scope, $condition, "s.updated_at")
            }
            // The plus keeps SQLite from using the index on the time, after which it would have to sort the whole list.
            None => {
                $crate::comment_lists::comment_page!(@ordered $listing, $select, $table, $scope, $condition, "+s.updated_at")
            }
        }
    };
}
pub(crate) use comment_page;
