//! What is remembered for a while.

use std::collections::HashMap;
use std::hash::Hash;

use parking_lot::Mutex;

/// Values up to a weight. When the young ones are too many, they become the old ones, and what was old and not asked
/// for since is forgotten.
#[derive(Debug)]
pub(super) struct Generations<K, V> {
    weight_max: usize,
    inner: Mutex<Inner<K, V>>,
}

#[derive(Debug)]
struct Inner<K, V> {
    young: HashMap<K, (V, usize)>,
    old: HashMap<K, (V, usize)>,
    young_weight: usize,
}

impl<K: Copy + Eq + Hash, V: Clone> Generations<K, V> {
    pub fn new(weight_max: usize) -> Self {
        let inner = Inner { young: HashMap::new(), old: HashMap::new(), young_weight: 0 };
        Self { weight_max: weight_max / 2, inner: Mutex::new(inner) }
    }

    pub fn find(&self, key: &K) -> Option<V> {
        let (value, weight) = {
            let mut inner = self.inner.lock();
            if let Some((value, _)) = inner.young.get(key) {
                return Some(value.clone());
            }
            inner.old.remove(key)?
        };
        self.insert(*key, value.clone(), weight);
        Some(value)
    }

    pub fn insert(&self, key: K, value: V, weight: usize) {
        let mut inner = self.inner.lock();
        if inner.young_weight + weight > self.weight_max {
            inner.old = std::mem::take(&mut inner.young);
            inner.young_weight = 0;
        }
        if inner.young.insert(key, (value, weight)).is_none() {
            inner.young_weight += weight;
        }
    }
}
