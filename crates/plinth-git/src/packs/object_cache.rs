//! The cache of small objects, bounded in bytes.

use std::sync::Arc;

use crate::objects::RawObject;
use plinth_base::cache::WeightedCache;
use plinth_base::ids::{RepoId, Sha};

/// Larger objects would evict too many small ones.
const OBJECT_SIZE_MAX: usize = 64 * 1024;
/// Memory of an entry in addition to its data.
const ENTRY_OVERHEAD: usize = 128;
const ENTRY_SIZE_TYPICAL: usize = 1024;

/// Objects by repository and name. The repository is part of the key, so that one cannot be read through another.
pub(crate) struct ObjectCache(WeightedCache<(RepoId, Sha), Arc<RawObject>>);

impl ObjectCache {
    pub(crate) fn new(size_max: usize) -> Self {
        Self(WeightedCache::new(size_max, ENTRY_SIZE_TYPICAL))
    }

    pub(crate) fn get(&self, repository: RepoId, sha: &Sha) -> Option<Arc<RawObject>> {
        self.0.get(&(repository, *sha))
    }

    /// Caches an object that was read, unless it was removed from disk in the meantime.
    pub(crate) fn insert(&self, repository: RepoId, object: &Arc<RawObject>, exists: impl Fn() -> bool) {
        if object.data().len() > OBJECT_SIZE_MAX || !exists() {
            return;
        }
        let key = (repository, object.sha());
        self.0.insert(key, object.clone(), object.data().len() + ENTRY_OVERHEAD);
        // A removal between the check and the insertion has emptied the cache too early.
        if !exists() {
            self.0.remove(&key);
        }
    }

    pub(crate) fn remove_repository(&self, repository: RepoId) {
        self.0.retain(|key| key.0 != repository);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_object_is_found_only_in_its_repository() {
        let cache = ObjectCache::new(20_000);
        let object = Arc::new(RawObject::blob("content").expect("a blob"));
        cache.insert(RepoId(1), &object, || true);
        assert!(cache.get(RepoId(1), &object.sha()).is_some());
        assert!(cache.get(RepoId(2), &object.sha()).is_none());
        cache.remove_repository(RepoId(1));
        assert!(cache.get(RepoId(1), &object.sha()).is_none());
    }

    #[test]
    fn object_removed_while_it_is_read_is_not_cached() {
        let cache = ObjectCache::new(20_000);
        let object = Arc::new(RawObject::blob("content").expect("a blob"));
        cache.insert(RepoId(1), &object, || false);
        assert!(cache.get(RepoId(1), &object.sha()).is_none());
        let is_inserted = || cache.get(RepoId(1), &object.sha()).is_some();
        cache.insert(RepoId(1), &object, || !is_inserted());
        assert!(cache.get(RepoId(1), &object.sha()).is_none());
    }
}
