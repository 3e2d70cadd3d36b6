//! The cache for values that were read from the store.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::{Dependency, GenerationTable, Generations};

/// What an entry takes besides its own bytes: in the table of the cache, and for the counts of those who share it.
const ENTRY_BYTES: usize = 512;
/// To size the table of the cache.
const ENTRY_BYTES_TYPICAL: usize = 4096;
/// Allocators round up by at most this fraction.
const ALLOCATOR_SLACK: usize = 8;

/// Values that are valid until a commit changes what they were read from. Bounded in bytes.
pub struct GenerationCache<K, V> {
    generations: Arc<GenerationTable>,
    /// Nothing where the cache is turned off.
    entries: Option<Entries<K, V>>,
}

type Entries<K, V> = Cache<K, Arc<Entry<V>>, Weigher<K, V>>;

struct Entry<V> {
    read_at: Generations,
    dependency: Dependency,
    value: V,
}

/// An entry that may be outdated.
pub struct Candidate<V>(Arc<Entry<V>>);

impl<V> Candidate<V> {
    pub fn value(&self) -> &V {
        &self.0.value
    }

    /// The generations from before it was read.
    pub fn read_at(&self) -> Generations {
        self.0.read_at
    }
}

/// The bytes of a key and its value, with what they have on the heap.
type Weigh<K, V> = fn(&K, &V) -> usize;

struct Weigher<K, V>(Weigh<K, V>);

impl<K, V> Clone for Weigher<K, V> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<K, V> Weighter<K, Arc<Entry<V>>> for Weigher<K, V> {
    fn weight(&self, key: &K, entry: &Arc<Entry<V>>) -> u64 {
        let bytes = (self.0)(key, &entry.value) + ENTRY_BYTES;
        (bytes + bytes / ALLOCATOR_SLACK) as u64
    }
}

impl<K: Eq + Hash, V: Clone> GenerationCache<K, V> {
    /// With zero bytes nothing is cached.
    pub fn new(generations: Arc<GenerationTable>, bytes_max: usize, weigh: Weigh<K, V>) -> Self {
        let entries = bytes_max / ENTRY_BYTES_TYPICAL;
        let entries = (bytes_max > 0).then(|| Cache::with_weighter(entries, bytes_max as u64, Weigher(weigh)));
        Self { generations, entries }
    }

    /// Whether anything is cached.
    pub fn is_on(&self) -> bool {
        self.entries.is_some()
    }

    /// The value of this key, if it is still valid. Commits of other processes count as far as [`Store::generations`]
    /// has found them, so call that first.
    ///
    /// [`Store::generations`]: super::Store::generations
    pub fn get(&self, key: &K) -> Option<V> {
        self.get_if(key, |_| true)
    }

    /// As [`GenerationCache::get`], for values that must meet another condition. It is checked before the generations.
    pub fn get_if(&self, key: &K, condition: impl FnOnce(&V) -> bool) -> Option<V> {
        let candidate = self.candidate(key)?;
        let meets_condition = condition(candidate.value());
        self.accept(key, candidate, meets_condition)
    }

    /// As [`GenerationCache::get`], if something else that it was read from is unchanged, too.
    pub fn get_unchanged(&self, key: &K, also: Dependency) -> Option<V> {
        let candidate = self.candidate(key)?;
        let is_unchanged = self.generations.is_unchanged(candidate.read_at(), also);
        // It may be valid for those who do not ask for more.
        (is_unchanged && self.is_valid(&candidate)).then(|| candidate.0.value.clone())
    }

    /// Whether an entry is valid. Unlike [`GenerationCache::accept`], it leaves another one in the cache.
    pub fn is_valid(&self, Candidate(entry): &Candidate<V>) -> bool {
        self.generations.is_unchanged(entry.read_at, entry.dependency)
    }

    /// The entry of this key, valid or not.
    pub fn candidate(&self, key: &K) -> Option<Candidate<V>> {
        self.entries.as_ref()?.get(key).map(Candidate)
    }

    /// The value of an entry, if it meets the caller's condition and is still valid. Otherwise the entry is removed.
    pub fn accept(&self, key: &K, Candidate(entry): Candidate<V>, meets_condition: bool) -> Option<V> {
        if meets_condition && self.generations.is_unchanged(entry.read_at, entry.dependency) {
            return Some(entry.value.clone());
        }
        self.entries.as_ref()?.remove(key);
        None
    }

    /// Adds a value; `read_at` is from before it was read.
    pub fn insert(&self, read_at: Generations, dependency: Dependency, key: K, value: V) {
        if let Some(entries) = &self.entries {
            entries.insert(key, Arc::new(Entry { read_at, dependency, value }));
        }
    }

    pub fn len(&self) -> usize {
        self.entries.as_ref().map_or(0, |entries| entries.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use plinth_base::ids::RepoId;

    use super::*;
    use crate::invalidation::Changes;
    use crate::{Effect, InvalidationScope};

    const BYTES_MAX: usize = 1 << 20;
    const A: InvalidationScope = InvalidationScope::Repo(RepoId(1));
    const B: InvalidationScope = InvalidationScope::Repo(RepoId(2));

    fn cache(bytes_max: usize) -> (Arc<GenerationTable>, GenerationCache<i64, &'static str>) {
        let table = Arc::<GenerationTable>::default();
        (table.clone(), GenerationCache::new(table, bytes_max, |_, value| value.len()))
    }

    fn commit(table: &GenerationTable, effect: Effect, scope: InvalidationScope) {
        let mut changes = Changes::default();
        changes.add(effect, scope);
        table.record(&changes);
    }

    #[test]
    fn value_is_valid_until_its_scope_changes() {
        let (table, cache) = cache(BYTES_MAX);
        cache.insert(table.now(), Dependency::Content(A), 1, "a");
        cache.insert(table.now(), Dependency::Content(B), 2, "b");
        assert_eq!((cache.get(&1), cache.get(&2), cache.get(&3)), (Some("a"), Some("b"), None));
        commit(&table, Effect::Content, A);
        assert_eq!((cache.get(&1), cache.get(&2)), (None, Some("b")));
        assert_eq!((cache.get_if(&2, |value| *value == "c"), cache.get(&2)), (None, None));
        cache.insert(table.now(), Dependency::Content(B), 2, "b");
        commit(&table, Effect::Rights, A);
        assert_eq!(cache.get(&2), None);
        assert!(cache.is_empty(), "invalid entries are removed when they are found");
    }

    #[test]
    fn value_that_was_read_before_a_commit_is_invalid() {
        let (table, cache) = cache(BYTES_MAX);
        let read_at = table.now();
        commit(&table, Effect::Pulls, A);
        cache.insert(read_at, Dependency::Pulls(RepoId(1)), 1, "a");
        assert_eq!(cache.get(&1), None);
    }

    #[test]
    fn cache_is_bounded_in_bytes_and_can_be_turned_off() {
        let (table, cache) = cache(64 * 1024);
        (0..10_000).for_each(|key| cache.insert(table.now(), Dependency::Rights, key, "value"));
        assert!(cache.len() <= 64 * 1024 / ENTRY_BYTES, "{} entries", cache.len());
        let (table, off) = self::cache(0);
        off.insert(table.now(), Dependency::Rights, 1, "a");
        assert_eq!((off.get(&1), off.len()), (None, 0));
    }
}
