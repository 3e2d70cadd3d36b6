//! Which requests came not long ago.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many requests are stored at most.
const SLOTS: usize = 1 << 14;

/// Hashes of requests, each in the slot that the hash gives it. Two may share a slot: then the earlier one is forgotten.
pub struct RecentRequests {
    slots: Box<[AtomicU64]>,
    hasher: RandomState,
}

impl RecentRequests {
    pub fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(), hasher: RandomState::new() }
    }

    /// Adds a request, and returns whether it was there already.
    pub fn add(&self, request: &impl Hash) -> bool {
        let hash = self.hasher.hash_one(request);
        let slot = &self.slots[hash as usize % SLOTS];
        slot.swap(hash, Ordering::Relaxed) == hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_there_from_the_second_time_on() {
        let recent = RecentRequests::new();
        assert!(!recent.add(&"a"));
        assert!(!recent.add(&"b"));
        assert!(recent.add(&"a"));
        assert!(recent.add(&"a"));
    }

    #[test]
    fn earlier_requests_are_forgotten() {
        let recent = RecentRequests::new();
        (0..100 * SLOTS).for_each(|number| _ = recent.add(&number));
        let found = (0..SLOTS).filter(|number| recent.add(number)).count();
        assert_eq!(found, 0);
    }
}
