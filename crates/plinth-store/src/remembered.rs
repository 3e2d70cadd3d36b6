//! What was read from the store a moment ago (docs/decisions/0073-cache-invalidation.md).

use std::any::{Any, TypeId};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::RwLock;

/// Values of one kind that are remembered; with one more, all are forgotten.
const ENTRIES_MAX: usize = 10_000;

/// Values that hold as long as one number of the store's [`Generations`](super::Generations) stays the same.
pub struct GenerationCache<K, V>(RwLock<Moment<K, V>>);

struct Moment<K, V> {
    number: u64,
    values: HashMap<K, V>,
}

impl<K, V> Default for GenerationCache<K, V> {
    fn default() -> Self {
        Self(RwLock::new(Moment { number: 0, values: HashMap::new() }))
    }
}

impl<K: Eq + Hash, V: Clone> GenerationCache<K, V> {
    pub fn get<Q: Eq + Hash + ?Sized>(&self, number: u64, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let memory = self.0.read();
        (memory.number == number).then(|| memory.values.get(key).cloned()).flatten()
    }

    /// `number` is of before the value was read.
    pub fn keep(&self, number: u64, key: K, value: V) {
        let mut memory = self.0.write();
        if memory.number < number {
            *memory = Moment { number, values: HashMap::new() };
        }
        if memory.number > number {
            return;
        }
        if memory.values.len() >= ENTRIES_MAX {
            memory.values.clear();
        }
        memory.values.insert(key, value);
    }
}

/// The memories of all areas, each by its own type, so that whoever keeps them need not know what is in them.
#[derive(Default)]
pub struct Memories(RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Memories {
    /// The memory of this type, which begins empty.
    pub fn of<M: Default + Send + Sync + 'static>(&self) -> Arc<M> {
        let known = self.0.read().get(&TypeId::of::<M>()).cloned();
        let memory = known.unwrap_or_else(|| {
            self.0.write().entry(TypeId::of::<M>()).or_insert_with(|| Arc::new(M::default())).clone()
        });
        memory.downcast().unwrap_or_else(|_| unreachable!("each memory is kept under its own type"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_holds_for_the_same_number_only() {
        let known = GenerationCache::default();
        known.keep(5, 1, "a");
        assert_eq!(known.get(5, &1), Some("a"));
        assert_eq!((known.get(5, &2), known.get(6, &1), known.get(4, &1)), (None, None, None));
        known.keep(4, 3, "b");
        assert_eq!((known.get(4, &3), known.get(5, &3)), (None, None), "what is of an earlier moment is not kept");
        known.keep(6, 2, "c");
        assert_eq!((known.get(5, &1), known.get(6, &1), known.get(6, &2)), (None, None, Some("c")));
    }

    #[test]
    fn each_type_has_one_memory() {
        let memories = Memories::default();
        memories.of::<GenerationCache<i64, u8>>().keep(1, 1, 7);
        assert_eq!(memories.of::<GenerationCache<i64, u8>>().get(1, &1), Some(7));
        assert_eq!(memories.of::<GenerationCache<i64, u16>>().get(1, &1), None);
    }

    #[test]
    fn memory_is_bounded() {
        let known = GenerationCache::default();
        (0..=ENTRIES_MAX).for_each(|key| known.keep(1, key, ()));
        assert!(known.0.read().values.len() <= ENTRIES_MAX);
    }
}
