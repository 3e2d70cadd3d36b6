//! One page of review comments, by its number.

use std::sync::Arc;

use plinth_base::ids::{CommentId, RepoId};
use plinth_store::{Connection, DbError, Generations};

use super::indexed_lists::{IndexedListing, find_extent};
use super::model::{Extent, Listing, Order};
use super::sparse_index::{IdIndex, IndexKey, IndexedScope, SparseIndex, SparseIndexes};
use super::{lists, store};
use crate::Core;
use crate::comment_lists;

/// A page that is as near to an end of the list is read from there.
const NEAR: i64 = 256;

/// Whose comments are listed, and the generations when the request began, if they are known.
#[derive(Debug, Clone, Copy)]
pub struct ListedRepo {
    pub id: RepoId,
    pub generations: Option<Generations>,
}

/// One page, and the length of the list. The page is what an offset gives, but it skips a few hundred comments at most: if it is far from
/// both ends, it is read from an entry of a sparse index.
pub async fn list_page<L: IndexedListing>(
    core: &Core,
    db: &mut Connection,
    repo: ListedRepo,
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
    if !is_near {
        let found = match listing.listing().order {
            Order::Up | Order::Down => list_indexed(core, db, (listing, scope), page, &extent).await?,
            Order::UpdatedUp | Order::UpdatedDown => {
                list_indexed_by_update(core, db, repo, (listing, scope), page, &extent).await?
            }
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
    comment_lists::list_page_of(db, listing, page, extent.total()).await
}

/// The ids of the comments on a page, and the length of the list. Right if nobody has a pending review in the repository. Nothing for lists
/// and pages for which that would not be one range of an index near its start.
pub async fn list_published_ids(
    db: &mut Connection,
    listing: &Listing,
    window: (i64, i64),
) -> Result<Option<(Vec<CommentId>, i64)>, DbError> {
    if listing.since.is_some() || window.1 >= NEAR {
        return Ok(None);
    }
    lists::list_published_ids(db, listing, window).await.map(Some)
}

/// How long a list is for its viewer.
pub async fn list_length(db: &mut Connection, listing: &Listing) -> Result<i64, DbError> {
    comment_lists::count(db, listing).await
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
    let Some(start) = index.index.start(is_down, before, offset) else { return Ok(None) };
    let comments = listing.send_from(db, scope, start, limit).await?;
    // After the page: what is unchanged now was unchanged when the page was read.
    let after = find_extent(db, scope, list.viewer, index.index.last()).await?;
    let comments = db.rows(comments).await?;
    if !index.is_right_for(&after) {
        core.comment_indexes.insert(scope, Arc::new(IdIndex::empty(after.deleted)));
        return Ok(None);
    }
    // From the end, a new comment changes every offset.
    let is_same_offset = !is_down || after.published == before.published;
    Ok((is_same_offset && !comments.is_empty()).then(|| (comments, after.total())))
}

/// As [`list_indexed`], for lists that every edit changes.
async fn list_indexed_by_update<L: IndexedListing>(
    core: &Core,
    db: &mut Connection,
    repo: ListedRepo,
    (listing, scope): (&L, IndexedScope),
    (limit, offset): (i64, i64),
    extent: &Extent,
) -> Result<Option<(Vec<L::Comment>, i64)>, DbError> {
    let Some(read_at) = repo.generations else { return Ok(None) };
    let indexes = &core.comment_indexes;
    let Some(found) = indexes.find_by_update(scope, repo.id, read_at) else { return Ok(None) };
    let (index, is_longer) = match extend(indexes, db, scope, &found, extent).await? {
        Extended::AsBefore => (found, false),
        Extended::Longer(index) => (Arc::new(index), true),
        Extended::Failed => return Ok(None),
    };
    let is_down = listing.listing().order == Order::UpdatedDown;
    let Some(start) = index.start(is_down, extent, offset) else { return Ok(None) };
    let comments = listing.send_from_update(db, scope, start, limit).await?;
    let comments = db.rows(comments).await?;
    // After the page: what is unchanged now was unchanged when the length, the index and the page were read.
    let is_known = core.generations().await.is_some();
    if !is_known || !core.generation_table().is_unchanged(read_at, store::dependency_on_all(repo.id)) {
        return Ok(None);
    }
    if is_longer {
        indexes.insert_by_update(scope, repo.id, read_at, index);
    }
    Ok(Some((comments, extent.total())))
}

/// The index of a list by id, extended to its end.
async fn find_index(
    core: &Core,
    db: &mut Connection,
    scope: IndexedScope,
    extent: &Extent,
) -> Result<Option<Arc<IdIndex>>, DbError> {
    let indexes = &core.comment_indexes;
    let Some(found) = indexes.find(scope, extent.deleted) else { return Ok(None) };
    Ok(match extend(indexes, db, scope, &found.index, extent).await? {
        Extended::AsBefore => Some(found),
        Extended::Longer(index) => {
            let index = Arc::new(IdIndex { index, ..*found });
            indexes.insert(scope, index.clone());
            Some(index)
        }
        Extended::Failed => None,
    })
}

/// An index that was extended to the end of its list.
enum Extended<K> {
    AsBefore,
    Longer(SparseIndex<K>),
    /// Another one is being extended, or comments were deleted meanwhile.
    Failed,
}

async fn extend<K: IndexKey>(
    indexes: &SparseIndexes,
    db: &mut Connection,
    scope: IndexedScope,
    index: &SparseIndex<K>,
    extent: &Extent,
) -> Result<Extended<K>, DbError> {
    if !index.is_short_for(extent) {
        return Ok(Extended::AsBefore);
    }
    let Ok(_turn) = indexes.extending.try_lock() else { return Ok(Extended::Failed) };
    let mut index = index.clone();
    while index.is_short_for(extent) {
        let entries = K::list_entries(db, scope, index.last()).await?;
        if entries.is_empty() {
            return Ok(Extended::Failed);
        }
        index.extend(entries);
        // One statement reads 16,384 comments, which takes a few milliseconds.
        tokio::task::yield_now().await;
    }
    Ok(Extended::Longer(index))
}
