//! Which requests came not long ago, and at which state of the store.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use plinth_store::Generations;

/// How many requests are stored at most.
const SLOTS: usize = 1 << 14;

/// Hashes of requests, each in the slot that the hash gives it. Two may share a slot: then the earlier one is forgotten.
pub struct RecentRequests {
    slots: Box<[Slot]>,
    hasher: RandomState,
}

/// If two threads use it at once, a hash may get the number of another request. That adds a response too many or too few.
#[derive(Default)]
struct Slot {
    hash: AtomicU64,
    commit: AtomicU64,
}

impl RecentRequests {
    pub fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| Slot::default()).collect(), hasher: RandomState::new() }
    }

    /// Adds a request that was responded to at this state, and returns the state of the last time.
    pub fn add(&self, request: &impl Hash, read_at: Generations) -> Option<Generations> {
        let hash = self.hasher.hash_one(request);
        let slot = &self.slots[hash as usize % SLOTS];
        let commit = slot.commit.swap(read_at.into(), Ordering::Relaxed);
        (slot.hash.swap(hash, Ordering::Relaxed) == hash).then(|| commit.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(commit: u64) -> Generations {
        commit.into()
    }

    #[test]
    fn request_is_there_from_the_second_time_on() {
        let recent = RecentRequests::new();
        assert_eq!(recent.add(&"a", at(1)), None);
        assert_eq!(recent.add(&"b", at(2)), None);
        assert_eq!(recent.add(&"a", at(3)), Some(at(1)));
        assert_eq!(recent.add(&"a", at(3)), Some(at(3)));
    }

    #[test]
    fn earlier_requests_are_forgotten() {
        let recent = RecentRequests::new();
        (0..100 * SLOTS).for_each(|number| _ = recent.add(&number, at(1)));
        let found = (0..SLOTS).filter(|number| recent.add(number, at(1)).is_some()).count();
        assert_eq!(found, 0);
    }
}
