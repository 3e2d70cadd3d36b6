//! The caches of the domain by name, so that each can be turned off to measure what it is worth.

use std::str::FromStr;

use plinth_base::error::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheName {
    Callers,
    RepoAccess,
    ProjectAccess,
    ProjectFields,
    Pulls,
    Refs,
    CommentContexts,
    CommentFragments,
    CommentPages,
    CommentIndexes,
    Markdown,
    Comparisons,
    Objects,
}

const NAMES: [(&str, CacheName); 13] = [
    ("callers", CacheName::Callers),
    ("repo-access", CacheName::RepoAccess),
    ("project-access", CacheName::ProjectAccess),
    ("project-fields", CacheName::ProjectFields),
    ("pulls", CacheName::Pulls),
    ("refs", CacheName::Refs),
    ("comment-contexts", CacheName::CommentContexts),
    ("comment-fragments", CacheName::CommentFragments),
    ("comment-pages", CacheName::CommentPages),
    ("comment-indexes", CacheName::CommentIndexes),
    ("markdown", CacheName::Markdown),
    ("comparisons", CacheName::Comparisons),
    ("objects", CacheName::Objects),
];

impl FromStr for CacheName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = NAMES.iter().find(|(name, _)| *name == text).map(|(_, cache)| *cache);
        found.ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            Error::BadRequest(format!("`{text}` is no cache; the caches are {names}"))
        })
    }
}

/// Which caches are turned off; none in production.
#[derive(Debug, Clone, Default)]
pub struct DisabledCaches(pub Vec<CacheName>);

impl DisabledCaches {
    pub fn contains(&self, cache: CacheName) -> bool {
        self.0.contains(&cache)
    }

    /// The capacity of a cache: nothing if it is turned off.
    pub fn capacity(&self, cache: CacheName, capacity: usize) -> usize {
        if self.contains(cache) { 0 } else { capacity }
    }
}
