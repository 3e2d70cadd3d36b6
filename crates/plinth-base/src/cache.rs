//! A concurrent cache that is bounded by the total weight of its values.

use std::hash::Hash;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// Values by key, each with a weight, most often its size in bytes. Evicts values that are used rarely; the total weight
/// never exceeds the limit. A value that is heavier than the limit is not cached.
#[derive(Debug)]
pub struct WeightedCache<K, V>(Cache<K, Weighted<V>, ByWeight>);

#[derive(Debug, Clone)]
struct Weighted<V> {
    value: V,
    weight: u64,
}

#[derive(Debug, Clone)]
struct ByWeight;

impl<K, V> Weighter<K, Weighted<V>> for ByWeight {
    fn weight(&self, _: &K, value: &Weighted<V>) -> u64 {
        value.weight
    }
}

impl<K: Eq + Hash, V: Clone> WeightedCache<K, V> {
    /// `weight_typical` is a rough estimate; it sizes the table of evicted keys.
    pub fn new(weight_max: usize, weight_typical: usize) -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity(weight_max / weight_typical.max(1))
            .weight_capacity(weight_max as u64)
            // With more shards, a heavy value would have to fit into the part of the limit that one shard has.
            .shards(1)
            .build()
            .expect("both capacities are set");
        Self(Cache::with_options(options, ByWeight, DefaultHashBuilder::default(), DefaultLifecycle::default()))
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.0.get(key).map(|weighted| weighted.value)
    }

    pub fn insert(&self, key: K, value: V, weight: usize) {
        // A weight of zero would exempt the value from eviction.
        self.0.insert(key, Weighted { value, weight: weight.max(1) as u64 });
    }

    pub fn remove(&self, key: &K) {
        self.0.remove(key);
    }

    /// Removes all values whose key does not satisfy the condition.
    pub fn retain(&self, is_retained: impl Fn(&K) -> bool) {
        self.0.retain(|key, _| is_retained(key));
    }

    /// The total weight of all values.
    pub fn weight(&self) -> u64 {
        self.0.weight()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_keeps_used_values_within_its_weight() {
        let cache = WeightedCache::new(10_000, 100);
        cache.insert(0, "used", 100);
        for key in 1..1_000 {
            cache.insert(key, "passing", 900);
            assert_eq!(cache.get(&0), Some("used"), "after {key}");
            assert!(cache.weight() <= 10_000, "{} after {key}", cache.weight());
        }
        cache.insert(1_000, "too heavy", 20_000);
        assert_eq!(cache.get(&1_000), None);
    }

    #[test]
    fn retain_removes_other_keys() {
        let cache = WeightedCache::new(1_000, 1);
        (0..10).for_each(|key| cache.insert(key, key, 1));
        cache.retain(|key| key % 2 == 0);
        assert_eq!((0..10).filter_map(|key| cache.get(&key)).collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
        cache.remove(&4);
        assert_eq!(cache.get(&4), None);
    }
}
