//! SQL for lists of review comments.

use super::model::{Comment, CommentColumns, Listing, ListingOfColumns, Scope};
use super::store::{by_scope, columns, send_list};
use crate::comment_lists::{self, Order};
use plinth_base::ids::CommentId;
use plinth_store::{Connection, DbError, Sent, params};

/// As [`send_list`], without what other tables have about the comments.
async fn send_columns(
    db: &mut Connection,
    listing: &Listing,
    (limit, offset): (i64, i64),
) -> Result<Sent<Vec<CommentColumns>>, DbError> {
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
    let (sql, id) = by_scope!(listing, page);
    db.send(sql, params![id, since, limit, offset, listing.viewer]).await
}

impl comment_lists::Listing for ListingOfColumns {
    type Comment = CommentColumns;

    fn reversed(&self) -> Option<Self> {
        comment_lists::Listing::reversed(&self.0).map(Self)
    }

    async fn send_count(&self, db: &mut Connection) -> Result<Sent<Vec<(i64,)>>, DbError> {
        send_count(db, &self.0).await
    }

    async fn send_list(&self, db: &mut Connection, window: (i64, i64)) -> Result<Sent<Vec<CommentColumns>>, DbError> {
        send_columns(db, &self.0, window).await
    }
}

/// A list without `since`, of a repository in which nobody has a pending review. Only its ids are read, all from one index.
struct PublishedIds(Listing);

impl comment_lists::Listing for PublishedIds {
    type Comment = (CommentId,);

    fn reversed(&self) -> Option<Self> {
        comment_lists::Listing::reversed(&self.0).map(Self)
    }

    async fn send_count(&self, db: &mut Connection) -> Result<Sent<Vec<(i64,)>>, DbError> {
        send_count(db, &self.0).await
    }

    async fn send_list(
        &self,
        db: &mut Connection,
        (limit, offset): (i64, i64),
    ) -> Result<Sent<Vec<(CommentId,)>>, DbError> {
        let listing = &self.0;
        macro_rules! page {
            ($scope:literal, $order:literal) => {
                concat!(
                    "select id from review_comment where ",
                    $scope,
                    " = $1 order by ",
                    $order,
                    " limit $2 offset $3"
                )
            };
            ($scope:literal) => {
                match listing.order {
                    Order::Up => page!($scope, "id"),
                    Order::Down => page!($scope, "id desc"),
                    Order::UpdatedUp => page!($scope, "updated_at, id"),
                    Order::UpdatedDown => page!($scope, "updated_at desc, id desc"),
                }
            };
        }
        let (sql, id) = by_scope!(listing, page);
        db.send(sql, params![id, limit, offset]).await
    }
}

/// One page of [`PublishedIds`], and the length of the list.
pub async fn list_published_ids(
    db: &mut Connection,
    listing: &Listing,
    window: (i64, i64),
) -> Result<(Vec<CommentId>, i64), DbError> {
    let (found, total) = comment_lists::list_page(db, &PublishedIds(*listing), window).await?;
    Ok((found.into_iter().map(|(id,)| id).collect(), total))
}

impl comment_lists::Listing for Listing {
    type Comment = Comment;

    fn reversed(&self) -> Option<Self> {
        self.since.is_none().then(|| Self { order: self.order.reversed(), ..*self })
    }

    async fn send_count(&self, db: &mut Connection) -> Result<Sent<Vec<(i64,)>>, DbError> {
        send_count(db, self).await
    }

    async fn send_list(&self, db: &mut Connection, window: (i64, i64)) -> Result<Sent<Vec<Comment>>, DbError> {
        send_list(db, self, window).await
    }
}

/// The length of a list. Without `since`, this adds up the counters of the pull requests.
async fn send_count(db: &mut Connection, listing: &Listing) -> Result<Sent<Vec<(i64,)>>, DbError> {
    let Some(since) = listing.since else { return send_count_all(db, listing).await };
    macro_rules! counted {
        ($scope:literal) => {
            concat!(
                "select count(*) from review_comment where ",
                $scope,
                " = $1 and updated_at > $2 and (pending = false or author_id = $3)"
            )
        };
    }
    let (sql, id) = by_scope!(listing, counted);
    db.send(sql, params![id, since, listing.viewer]).await
}

async fn send_count_all(db: &mut Connection, listing: &Listing) -> Result<Sent<Vec<(i64,)>>, DbError> {
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
            return db.send(sql, params![id]).await;
        }
        Scope::Thread(id) => {
            let sql =
                "select count(*) from review_comment where thread_id = $1 and (pending = false or author_id = $2)";
            return db.send(sql, params![id, listing.viewer]).await;
        }
    };
    db.send(sql, params![id, listing.viewer]).await
}
