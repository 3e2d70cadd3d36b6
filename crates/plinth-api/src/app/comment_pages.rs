//! Which review comments are on a page of a list (docs/decisions/0184-comment-pages.md).
//!
//! A page refers to the fragments of its comments, from which a response is put together. A full page in the order of creation has the
//! same comments until one of them is deleted: new ones come after it.

use std::sync::{Arc, Weak};

use super::comment_fragments::{Fragment, Representation};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, CommentId, RepoId};
use plinth_core::review_comments::model::{Listing, Order, Scope};
use plinth_core::review_comments::store;
use plinth_core::{CacheName, Core, DisabledCaches};
use plinth_store::{GenerationCache, Generations};

/// Some two thousand pages of thirty comments.
const BYTES_MAX: usize = 16 << 20;

/// Callers that see something else than everybody; with more of them, a page is not cached.
pub const EXCEPTIONS_MAX: usize = 16;

/// A page of a list in one representation, for any viewer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageKey {
    representation: Representation,
    scope: Scope,
    order: Order,
    since: Option<Timestamp>,
    limit: i64,
    offset: i64,
}

impl PageKey {
    pub fn new(representation: Representation, listing: &Listing, (limit, offset): (i64, i64)) -> Self {
        let Listing { scope, order, since, viewer: _ } = *listing;
        Self { representation, scope, order, since, limit, offset }
    }

    /// Whether new comments leave a page of so many comments as it is.
    fn is_stable(&self, comments: usize) -> bool {
        let is_full = usize::try_from(self.limit).is_ok_and(|limit| limit == comments);
        is_full && self.order == Order::Up && self.since.is_none()
    }
}

/// A comment on a page.
pub struct PageComment {
    pub id: CommentId,
    /// Nothing once the cache of fragments has dropped it, so that pages do not keep more than that cache may.
    fragment: Weak<Fragment>,
}

impl PageComment {
    /// The comment's fragment as of when the page was read, if it is still in memory.
    pub fn fragment(&self) -> Option<Arc<Fragment>> {
        self.fragment.upgrade()
    }
}

impl From<&Arc<Fragment>> for PageComment {
    fn from(fragment: &Arc<Fragment>) -> Self {
        Self { id: fragment.columns.id, fragment: Arc::downgrade(fragment) }
    }
}

/// What a page has for everybody but the exceptions.
pub struct CommentPage {
    pub comments: Vec<PageComment>,
    /// The length of the list.
    pub total: i64,
    /// The authors of pending reviews, who see more.
    pub exceptions: Vec<AccountId>,
}

/// A page that was cached.
pub struct FoundPage {
    pub page: Arc<CommentPage>,
    /// The generations from before it was read.
    pub read_at: Generations,
    /// Whether nothing has changed in the list.
    pub is_current: bool,
}

/// Pages of comments by list and window. Bounded in bytes.
pub struct CommentPages {
    cache: GenerationCache<PageKey, Arc<CommentPage>>,
    /// Whether a new comment comes after all others in the order of creation.
    ids_grow: bool,
}

impl CommentPages {
    pub fn new(core: &Core, disabled: &DisabledCaches) -> Self {
        let bytes = disabled.capacity(CacheName::CommentPages, BYTES_MAX);
        let cache = GenerationCache::new(core.generation_table().clone(), bytes, |_, page: &Arc<CommentPage>| {
            // A dropped fragment takes its place in memory, without its texts, as long as a page refers to it.
            let comments = page.comments.capacity() * (size_of::<PageComment>() + size_of::<Fragment>());
            let exceptions = page.exceptions.capacity() * size_of::<AccountId>();
            size_of::<PageKey>() + size_of::<CommentPage>() + comments + exceptions
        });
        Self { cache, ids_grow: core.has_one_writer() }
    }

    pub fn is_on(&self) -> bool {
        self.cache.is_on()
    }

    /// The page for this viewer, if the viewer is none of the exceptions. One that is not current is only found if it may still have
    /// the same comments.
    pub fn find(&self, key: &PageKey, viewer: Option<AccountId>) -> Option<FoundPage> {
        let candidate = self.cache.candidate(key)?;
        let page = candidate.value().clone();
        if viewer.is_some_and(|viewer| page.exceptions.contains(&viewer)) {
            return None;
        }
        let found = |read_at, is_current| FoundPage { page, read_at, is_current };
        let read_at = candidate.read_at();
        if self.cache.is_valid(&candidate) {
            return Some(found(read_at, true));
        }
        if self.ids_grow && key.is_stable(candidate.value().comments.len()) {
            return Some(found(read_at, false));
        }
        self.cache.accept(key, candidate, false);
        None
    }

    /// Adds a page; `read_at` is from before anything of it was read.
    pub fn insert(&self, read_at: Generations, repo: RepoId, key: PageKey, page: CommentPage) {
        if page.exceptions.len() <= EXCEPTIONS_MAX {
            self.cache.insert(read_at, store::dependency_on_all(repo), key, Arc::new(page));
        }
    }
}
