//! What lists of comments on issues and of review comments have in common.

use std::future::Future;

use plinth_store::{Connection, DbError, FromRow, Sent};

/// The order of a list of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// By id, which is the order of creation.
    Up,
    Down,
    UpdatedUp,
    UpdatedDown,
}

impl Order {
    pub fn reversed(self) -> Self {
        match self {
            Order::Up => Order::Down,
            Order::Down => Order::Up,
            Order::UpdatedUp => Order::UpdatedDown,
            Order::UpdatedDown => Order::UpdatedUp,
        }
    }
}

/// A list of comments of which pages are read.
pub trait Listing: Sized + Sync {
    type Comment: FromRow;

    /// The same list from its end; `None` if its length is not known without reading it.
    fn reversed(&self) -> Option<Self>;
    /// One row with the length.
    fn send_count(&self, db: &mut Connection) -> impl Future<Output = Result<Sent<Vec<(i64,)>>, DbError>> + Send;
    /// The comments after the first `offset`, at most `limit`.
    fn send_list(
        &self,
        db: &mut Connection,
        window: (i64, i64),
    ) -> impl Future<Output = Result<Sent<Vec<Self::Comment>>, DbError>> + Send;
}

/// The length of a list.
pub async fn count<L: Listing>(db: &mut Connection, listing: &L) -> Result<i64, DbError> {
    let sent = listing.send_count(db).await?;
    Ok(db.row(sent).await?.0)
}

async fn list<L: Listing>(db: &mut Connection, listing: &L, window: (i64, i64)) -> Result<Vec<L::Comment>, DbError> {
    let sent = listing.send_list(db, window).await?;
    db.rows(sent).await
}

/// One page, and the length of the list. A database counts to an offset row by row, so a page in the second half is read from
/// the end: the last page of a long list is as cheap as its first one.
pub async fn list_page<L: Listing>(
    db: &mut Connection,
    listing: &L,
    page: (i64, i64),
) -> Result<(Vec<L::Comment>, i64), DbError> {
    if page.1 == 0 {
        let total = listing.send_count(db).await?;
        let comments = list(db, listing, page).await?;
        return Ok((comments, db.row(total).await?.0));
    }
    let total = count(db, listing).await?;
    list_page_of(db, listing, page, total).await
}

/// As [`list_page`], if the length has just been read.
pub async fn list_page_of<L: Listing>(
    db: &mut Connection,
    listing: &L,
    page: (i64, i64),
    total: i64,
) -> Result<(Vec<L::Comment>, i64), DbError> {
    if let Some((reversed, window)) = listing.reversed().zip(window_from_end(total, page)) {
        let mut comments = list(db, &reversed, window).await?;
        comments.reverse();
        // If the length has changed meanwhile, this window is that of another page.
        if count(db, listing).await? == total {
            return Ok((comments, total));
        }
    }
    Ok((list(db, listing, page).await?, total))
}

/// The same page as limit and offset in the reversed list; `None` if the start of the list is nearer.
fn window_from_end(total: i64, (limit, offset): (i64, i64)) -> Option<(i64, i64)> {
    if offset <= total / 2 {
        return None;
    }
    let end = offset.saturating_add(limit).min(total);
    Some(((end - offset).max(0), total - end))
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

#[cfg(test)]
mod tests {
    use super::window_from_end;

    #[test]
    fn window_from_end_is_the_same_page() {
        for (total, limit) in (0..40).flat_map(|total| (1..12).map(move |limit| (total, limit))) {
            let forward = |(limit, offset): (i64, i64)| -> Vec<i64> { (offset..total.min(offset + limit)).collect() };
            for offset in (0..total + 20).filter(|offset| offset % limit == 0) {
                let Some(window) = window_from_end(total, (limit, offset)) else { continue };
                // The number at an index of the reversed list.
                let mut page: Vec<i64> = forward(window).into_iter().map(|index| total - 1 - index).collect();
                page.reverse();
                assert_eq!(page, forward((limit, offset)), "{total} {limit} {offset}");
                assert!(window.1 <= total / 2, "it is not nearer");
            }
        }
    }
}
