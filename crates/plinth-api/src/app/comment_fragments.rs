//! The JSON of single review comments, cached as bytes (docs/decisions/0170-comment-fragments.md).
//!
//! A fragment is valid as long as the comment's own row is the one that it was made from, and neither rights nor pull requests
//! of the repository have changed. So a new or an edited comment leaves the fragments of all others valid.

use std::sync::Arc;

use bytes::Bytes;

use super::DIGEST_LENGTH;
use crate::negotiation::{Media, Version};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{CommentId, RepoId};
use plinth_base::urls::Urls;
use plinth_core::review_comments::model::CommentColumns;
use plinth_core::review_comments::store;
use plinth_core::{CacheName, DisabledCaches};
use plinth_store::{Dependency, GenerationCache, GenerationTable, Generations};

/// Some thirty thousand comments. A list whose comments are not cached takes several times as long.
const BYTES_MAX: usize = 128 << 20;

/// How comments are shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Representation {
    pub media: Media,
    pub version: Version,
    pub urls: Urls,
}

/// A comment in one representation.
#[derive(PartialEq, Eq, Hash)]
pub struct FragmentKey {
    /// Ids are unique among all repositories, but a path may have one of another repository.
    pub repo: RepoId,
    pub comment: CommentId,
    pub representation: Representation,
}

/// The JSON of a comment.
pub struct Fragment {
    /// What it was made from.
    pub columns: CommentColumns,
    /// Whether its position was stored. Another one is not cached.
    pub is_complete: bool,
    /// The JSON after a comma, as it stands in a list.
    pub after_comma: Bytes,
    /// Of the JSON, for entity tags.
    pub digest: [u8; DIGEST_LENGTH],
    pub last_modified: Timestamp,
}

impl Fragment {
    /// The JSON of the comment alone.
    pub fn json(&self) -> Bytes {
        self.after_comma.slice(1..)
    }
}

/// Fragments by comment and representation. Bounded in bytes.
pub struct FragmentCache(GenerationCache<FragmentKey, Arc<Fragment>>);

impl FragmentCache {
    pub fn new(generations: Arc<GenerationTable>, disabled: &DisabledCaches) -> Self {
        let bytes = disabled.capacity(CacheName::CommentFragments, BYTES_MAX);
        Self(GenerationCache::new(generations, bytes, |_, fragment| {
            let texts = fragment.columns.body.len() + fragment.after_comma.len();
            size_of::<FragmentKey>() + size_of::<Fragment>() + texts
        }))
    }

    /// Whether anything is cached.
    pub fn is_on(&self) -> bool {
        self.0.is_on()
    }

    /// The fragment of the comment that has these columns now, if it is valid.
    pub fn find(&self, key: &FragmentKey, columns: &CommentColumns) -> Option<Arc<Fragment>> {
        self.0.get_if(key, |fragment| fragment.columns == *columns)
    }

    /// The fragment of a comment, if it is valid and the comment was not written to since the fragment was made.
    pub fn find_unchanged(&self, key: &FragmentKey) -> Option<Arc<Fragment>> {
        self.0.get_unchanged(key, store::dependency_on(key.repo, key.comment))
    }

    /// Adds a fragment; `read_at` is from before its comment was read.
    pub fn insert(&self, read_at: Generations, key: FragmentKey, fragment: &Arc<Fragment>) {
        self.0.insert(read_at, Dependency::Pulls(key.repo), key, fragment.clone());
    }
}
