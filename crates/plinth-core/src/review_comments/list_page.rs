//! One page of review comments, by its number.

use std::sync::Arc;

use plinth_store::{Connection, DbError};

use super::indexed_lists::{IndexedListing, find_extent, list_entries};
use super::model::{Extent, Order};
use super::sparse_index::{IndexedScope, SparseIndex};
use crate::Core;
use crate::comment_lists;

/// A page that is as near to an end of the list is read from there.
const NEAR: i64 = 256;

/// One page, and the length of the list. The page is what an offset gives, but it skips a few hundred comments at most: if it is far from
/// both ends, it is read from an entry of a sparse index.
pub async fn list_page<L: IndexedListing>(
    core: &Core,
    db: &mut Connection,
    listing: &L,
    page: (i64, i64),
) -> Result<(Vec<L::Comment>, i64), DbError> {
    let (limit, offset) = page;
    let is_near = offset < NEAR || !core.comment_indexes.is_on();
    let Some(scope) = IndexedScope::of(listing.listing()).filter(|_| !is_near) else {
        return comment_lists::list_page(db, listing, page).await;
    };
    let extent = find_extent(db, scope, listing.listing().viewer, None).await?;
    let is_near = extent.total().saturating_sub(offset.saturating_add(limit)) < NEAR;
    if !is_near && let Some(found) = list_indexed(core, db, (listing, scope), page, &extent).await? {
        return Ok(found);
    }
    comment_lists::list_page_of(db, listing, page, extent.total()).await
}

/// Nothing if there is no index yet, or if something has changed meanwhile.
async fn list_indexed<L: IndexedListing>(
    core: &Core,
    db: &mut Connection,
    (listing, scope): (&L, IndexedScope),
    (limit, offset): (i64, i64),
    before: &Extent,
) -> Result<Option<(Vec<L::Comment>, i64)>, DbError> {
    let list = listing.listing();
    let Some(index) = find_index(core, db, scope, before).await? else { return Ok(None) };
    let is_down = list.order == Order::Down;
    let start = if is_down { index.start_down(before, offset) } else { index.start_up(before, offset) };
    let Some(start) = start else { return Ok(None) };
    let comments = listing.send_from(db, scope, start, limit).await?;
    // After the page: what is unchanged now was unchanged when the page was read.
    let after = find_extent(db, scope, list.viewer, index.last()).await?;
    let comments = db.rows(comments).await?;
    if !index.is_right_for(&after) {
        core.comment_indexes.insert(scope, Arc::new(SparseIndex::empty(after.deleted)));
        return Ok(None);
    }
    // From the end, a new comment changes every offset.
    let is_same_offset = !is_down || after.published == before.published;
    Ok((is_same_offset && !comments.is_empty()).then(|| (comments, after.total())))
}

/// The index of a list, extended to its end.
async fn find_index(
    core: &Core,
    db: &mut Connection,
    scope: IndexedScope,
    extent: &Extent,
) -> Result<Option<Arc<SparseIndex>>, DbError> {
    let indexes = &core.comment_indexes;
    let Some(index) = indexes.find(scope, extent.deleted) else { return Ok(None) };
    if !index.is_short_for(extent) {
        return Ok(Some(index));
    }
    let Ok(_turn) = indexes.extending.try_lock() else { return Ok(None) };
    let mut index = SparseIndex::clone(&index);
    while index.is_short_for(extent) {
        let entries = list_entries(db, scope, index.last()).await?;
        if entries.is_empty() {
            // Comments were deleted meanwhile.
            return Ok(None);
        }
        index.extend(entries);
        // One statement reads 16,384 comments, which takes a few milliseconds.
        tokio::task::yield_now().await;
    }
    let index = Arc::new(index);
    indexes.insert(scope, index.clone());
    Ok(Some(index))
}
