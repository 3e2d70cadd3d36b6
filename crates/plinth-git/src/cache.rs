//! A cache of small objects that never holds more than its limit in bytes.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::object::RawObject;
use plinth_base::ids::{RepoId, Sha};

/// Larger objects would push out too many small ones.
const OBJECT_SIZE_MAX: usize = 64 * 1024;
/// What an entry costs beside its data.
const ENTRY_OVERHEAD: usize = 128;

type Key = (RepoId, Sha);

/// Objects by repository and name. The repository is part of the key, or one could be read through another.
pub(super) struct ObjectCache {
    generations: Mutex<Generations>,
    generation_size_max: usize,
}

/// What is used moves to the young generation; when that is full it becomes the old one, and the old one goes.
#[derive(Default)]
struct Generations {
    young: HashMap<Key, Arc<RawObject>>,
    old: HashMap<Key, Arc<RawObject>>,
    young_size: usize,
}

impl ObjectCache {
    pub(super) fn new(size_max: usize) -> Self {
        Self { generations: Mutex::default(), generation_size_max: size_max / 2 }
    }

    pub(super) fn get(&self, repository: RepoId, sha: &Sha) -> Option<Arc<RawObject>> {
        let key = (repository, *sha);
        let mut generations = self.generations.lock();
        if let Some(object) = generations.young.get(&key) {
            return Some(object.clone());
        }
        let object = generations.old.remove(&key)?;
        generations.insert(key, object.clone(), self.generation_size_max);
        Some(object)
    }

    /// Keeps an object that was read, unless it has been removed since.
    pub(super) fn insert(&self, repository: RepoId, object: &Arc<RawObject>, is_there: impl FnOnce() -> bool) {
        if object.data().len() <= OBJECT_SIZE_MAX {
            let key = (repository, object.sha());
            let mut generations = self.generations.lock();
            if is_there() {
                generations.insert(key, object.clone(), self.generation_size_max);
            }
        }
    }

    pub(super) fn forget(&self, repository: RepoId) {
        let mut generations = self.generations.lock();
        generations.old.retain(|key, _| key.0 != repository);
        generations.young.retain(|key, _| key.0 != repository);
        generations.young_size = generations.young.values().map(|object| cost(object)).sum();
    }
}

impl Generations {
    fn insert(&mut self, key: Key, object: Arc<RawObject>, size_max: usize) {
        if self.young_size + cost(&object) > size_max {
            self.old = std::mem::take(&mut self.young);
            self.young_size = 0;
        }
        let size = cost(&object);
        if self.young.insert(key, object).is_none() {
            self.young_size += size;
        }
    }
}

fn cost(object: &RawObject) -> usize {
    object.data().len() + ENTRY_OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_limit_holds() {
        let cache = ObjectCache::new(20_000);
        let repository = RepoId(1);
        let kept = Arc::new(RawObject::blob("kept").expect("a blob"));
        cache.insert(repository, &kept, || true);
        for number in 0..1_000 {
            let other = Arc::new(RawObject::blob(format!("{number:0>900}")).expect("a blob"));
            cache.insert(repository, &other, || true);
            assert!(cache.get(repository, &kept.sha()).is_some());
            let generations = cache.generations.lock();
            let held: usize =
                generations.young.values().chain(generations.old.values()).map(|object| cost(object)).sum();
            assert!(held <= 20_000);
        }
        assert!(cache.get(RepoId(2), &kept.sha()).is_none());
        cache.forget(repository);
        assert!(cache.get(repository, &kept.sha()).is_none());
        cache.insert(repository, &kept, || false);
        assert!(cache.get(repository, &kept.sha()).is_none());
    }
}
