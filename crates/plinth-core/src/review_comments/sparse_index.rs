//! Sparse indexes of long lists of review comments (docs/decisions/0176-deep-pages.md).
//!
//! A sparse index has every 64th published comment of a list.
//!
//! Two numbers of a list by id say whether its index is right. As long as as many comments have been deleted as before, comments are only
//! added; if moreover all that the index does not cover are after its last entry, none was added among those that it covers. Both are read
//! after each page that was found with it, so no write has to invalidate anything.
//!
//! In a list by update, every edit moves a comment, so its index is right until a review comment in the repository changes.

use std::future::Future;
use std::sync::Arc;

use plinth_base::cache::WeightedCache;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{CommentId, PullId, RepoId};
use plinth_store::{Connection, DbError, GenerationCache, Generations, Store};

use super::model::{Extent, Listing, Scope};
use super::store;
use crate::caches::{CacheName, DisabledCaches};

/// Comments per entry. A page skips fewer than this, besides the end of the list.
pub const BLOCK: i64 = 64;
/// An index is extended when so many comments are after its last entry.
const UNINDEXED_MAX: i64 = 2 * BLOCK;
/// For lists by id: sixty million comments.
const BYTES_MAX: usize = 8 << 20;
/// For lists by update: thirty million.
const UPDATE_BYTES_MAX: usize = 8 << 20;
/// What an index takes besides its entries.
const INDEX_BYTES: usize = 256;

/// A list that may have an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexedScope {
    Repo(RepoId),
    Pull(PullId),
}

impl IndexedScope {
    /// Nothing for lists that are short or have no counters.
    pub fn of(list: &Listing) -> Option<Self> {
        match (list.scope, list.since) {
            (Scope::Repo(id), None) => Some(Self::Repo(id)),
            (Scope::Pull(id), None) => Some(Self::Pull(id)),
            _ => None,
        }
    }
}

/// The SQL for a list, from a macro that takes the column, and the id in that column.
macro_rules! by_scope {
    ($scope:expr, $sql:ident) => {
        match $scope {
            $crate::review_comments::sparse_index::IndexedScope::Repo(id) => ($sql!("repo_id"), id.0),
            $crate::review_comments::sparse_index::IndexedScope::Pull(id) => ($sql!("pull_id"), id.0),
        }
    };
}

pub(super) use by_scope;

/// The position of a comment in a list by update.
pub type UpdateKey = (Timestamp, CommentId);

/// The position of every 64th published comment of a list, from its start: its id, or an [`UpdateKey`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparseIndex<K> {
    entries: Vec<K>,
}

/// The position of an entry in its list.
pub trait IndexKey: Copy + Send + Sync {
    /// The last of each [`BLOCK`] of published comments after this one, at most 256. Each is found from
    /// the one before it, so the statement costs as much as skipping the comments between them.
    fn list_entries(
        db: &mut Connection,
        scope: IndexedScope,
        after: Option<Self>,
    ) -> impl Future<Output = Result<Vec<Self>, DbError>> + Send;
}

/// Where reading a page starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start<K> {
    /// After a comment, upwards, and after so many more, of which pending ones up to this comment are subtracted.
    After(K, i64),
    /// At a comment, downwards, and after so many more, of which pending ones above this comment are subtracted.
    DownFrom(K, i64),
}

impl<K> Default for SparseIndex<K> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<K: Copy> SparseIndex<K> {
    /// How many comments there are up to the last entry.
    pub fn covered(&self) -> i64 {
        self.blocks() * BLOCK
    }

    fn blocks(&self) -> i64 {
        i64::try_from(self.entries.len()).expect("memory has fewer entries")
    }

    pub fn last(&self) -> Option<K> {
        self.entries.last().copied()
    }

    pub fn extend(&mut self, entries: Vec<K>) {
        self.entries.extend(entries);
    }

    /// Whether so many comments have no entry that the index should be extended.
    pub fn is_short_for(&self, extent: &Extent) -> bool {
        extent.published - self.covered() >= UNINDEXED_MAX
    }

    /// Where to start for the comments after the first `offset`; nothing before the first entry.
    pub fn start(&self, is_down: bool, extent: &Extent, offset: i64) -> Option<Start<K>> {
        if is_down { self.start_down(extent, offset) } else { self.start_up(extent, offset) }
    }

    fn start_up(&self, extent: &Extent, offset: i64) -> Option<Start<K>> {
        // The caller's pending comments may all be before the entry.
        let blocks = ((offset - extent.pending) / BLOCK).min(self.blocks());
        Some(Start::After(self.entry(blocks)?, offset - blocks * BLOCK))
    }

    fn start_down(&self, extent: &Extent, offset: i64) -> Option<Start<K>> {
        let blocks = (extent.total() - offset + BLOCK - 1) / BLOCK;
        Some(Start::DownFrom(self.entry(blocks)?, offset - (extent.published - blocks * BLOCK)))
    }

    /// The last comment of this many blocks.
    fn entry(&self, blocks: i64) -> Option<K> {
        self.entries.get(usize::try_from(blocks).ok()?.checked_sub(1)?).copied()
    }
}

/// The index of a list by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdIndex {
    /// Comments of the list that had been deleted before its ids were read.
    pub deleted: i64,
    pub index: SparseIndex<CommentId>,
}

impl IdIndex {
    pub fn empty(deleted: i64) -> Self {
        Self { deleted, index: SparseIndex::default() }
    }

    /// Whether this is right for a list of which [`Extent::after`] counts the comments after the last entry.
    pub fn is_right_for(&self, extent: &Extent) -> bool {
        self.deleted == extent.deleted && self.index.covered() + extent.after == extent.published
    }
}

/// The sparse indexes of this process. Bounded in bytes.
pub struct SparseIndexes {
    /// Nothing where the cache is turned off.
    by_id: Option<WeightedCache<IndexedScope, Arc<IdIndex>>>,
    by_update: GenerationCache<IndexedScope, Arc<SparseIndex<UpdateKey>>>,
    /// Locked while one is extended. Requests that need another one meanwhile do without it.
    pub(super) extending: tokio::sync::Mutex<()>,
}

impl SparseIndexes {
    pub fn new(store: &Store, disabled: &DisabledCaches) -> Self {
        let is_on = !disabled.contains(CacheName::CommentIndexes);
        let by_id = is_on.then(|| WeightedCache::new(BYTES_MAX, INDEX_BYTES));
        let update_bytes = if is_on { UPDATE_BYTES_MAX } else { 0 };
        let weigh =
            |_: &IndexedScope, index: &Arc<SparseIndex<UpdateKey>>| size_of::<UpdateKey>() * index.entries.capacity();
        let by_update = GenerationCache::new(store.generation_table().clone(), update_bytes, weigh);
        Self { by_id, by_update, extending: tokio::sync::Mutex::default() }
    }

    pub fn is_on(&self) -> bool {
        self.by_id.is_some()
    }

    /// The index of a list by id of which so many comments have been deleted. The first request after a deletion gets nothing: a client that
    /// deletes comments between two pages would otherwise cause the whole list to be read each time.
    pub fn find(&self, scope: IndexedScope, deleted: i64) -> Option<Arc<IdIndex>> {
        let found = self.by_id.as_ref()?.get(&scope).filter(|index| index.deleted == deleted);
        if found.is_none() {
            self.insert(scope, Arc::new(IdIndex::empty(deleted)));
        }
        found
    }

    pub fn insert(&self, scope: IndexedScope, index: Arc<IdIndex>) {
        if let Some(by_id) = &self.by_id {
            let weight = INDEX_BYTES + size_of::<CommentId>() * index.index.entries.capacity();
            by_id.insert(scope, index, weight);
        }
    }

    /// The index of a list by update. As for lists by id, the first request after a write gets nothing.
    pub fn find_by_update(
        &self,
        scope: IndexedScope,
        repo: RepoId,
        read_at: Generations,
    ) -> Option<Arc<SparseIndex<UpdateKey>>> {
        let found = self.by_update.get(&scope);
        if found.is_none() {
            self.insert_by_update(scope, repo, read_at, Arc::default());
        }
        found
    }

    pub fn insert_by_update(
        &self,
        scope: IndexedScope,
        repo: RepoId,
        read_at: Generations,
        index: Arc<SparseIndex<UpdateKey>>,
    ) {
        self.by_update.insert(read_at, store::dependency_on_all(repo), scope, index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count<'a>(ids: impl IntoIterator<Item = &'a i64>, condition: impl Fn(i64) -> bool) -> i64 {
        i64::try_from(ids.into_iter().filter(|id| condition(**id)).count()).expect("a short list")
    }

    /// Checks all offsets of a list with these ids.
    fn check(published: &[i64], pending: &[i64]) {
        let blocks = published.chunks_exact(usize::try_from(BLOCK).expect("a small number"));
        let index = SparseIndex { entries: blocks.map(|block| CommentId(block[block.len() - 1])).collect() };
        let length = count(published, |_| true);
        let after = length - index.covered();
        let extent = Extent { published: length, deleted: 0, pending: count(pending, |_| true), after };
        assert!(IdIndex { deleted: 0, index: index.clone() }.is_right_for(&extent));
        let all = || published.iter().chain(pending);
        for offset in 0..extent.total() {
            if let Some(start) = index.start_up(&extent, offset) {
                let Start::After(CommentId(id), skipped) = start else { panic!("{start:?}") };
                let skipped = skipped - count(pending, |other| other < id);
                assert!((0..2 * BLOCK + extent.pending).contains(&skipped), "{offset}: {start:?}");
                assert_eq!(count(all(), |other| other <= id) + skipped, offset, "{start:?}");
            }
            if let Some(start) = index.start_down(&extent, offset) {
                let Start::DownFrom(CommentId(id), skipped) = start else { panic!("{start:?}") };
                let skipped = skipped - count(pending, |other| other > id);
                assert!((0..2 * BLOCK + extent.pending).contains(&skipped), "{offset}: {start:?}");
                assert_eq!(count(all(), |other| other > id) + skipped, offset, "{start:?}");
            }
        }
    }

    #[test]
    fn start_and_skipped_comments_are_the_offset() {
        let up_to = |last: i64| (1..=last).collect::<Vec<_>>();
        check(&[], &[]);
        check(&up_to(63), &[]);
        check(&up_to(200), &[]);
        check(&up_to(256), &[300]);
        for every in [2, 7, 100] {
            let (pending, published): (Vec<i64>, Vec<i64>) = up_to(900).into_iter().partition(|id| id % every == 1);
            check(&published, &pending);
        }
        check(&(500..900).collect::<Vec<_>>(), &up_to(300));
    }

    #[test]
    fn index_is_right_while_only_the_end_changes() {
        let index = IdIndex { deleted: 3, index: SparseIndex { entries: vec![CommentId(70), CommentId(140)] } };
        let extent = Extent { published: 130, pending: 5, deleted: 3, after: 2 };
        assert!(index.is_right_for(&extent));
        assert!(index.is_right_for(&Extent { published: 135, after: 7, ..extent }), "new comments");
        assert!(!index.is_right_for(&Extent { published: 129, deleted: 4, ..extent }), "a deletion");
        assert!(!index.is_right_for(&Extent { deleted: 5, ..extent }), "a deletion and a new comment");
        assert!(!index.is_right_for(&Extent { published: 131, ..extent }), "a comment with an id below the last entry");
    }
}
