//! Counters per key in windows of fixed length, with bounded memory and constant cost.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash, RandomState};

use parking_lot::Mutex;

use plinth_base::clock::Timestamp;

const SHARDS: usize = 16;
/// Windows in one table, over all shards: about 20 MB.
pub const WINDOWS_MAX: usize = 131_072;
const SHARD_WINDOWS_MAX: usize = WINDOWS_MAX / SHARDS;
/// Ended windows that each call drops. A call adds at most one window, so ended ones cannot accumulate.
const DROPPED_PER_COUNT: usize = 2;
/// Windows that are examined to find one to evict from a full shard.
const EVICTION_ATTEMPTS: usize = 8;

/// Counts per key, spread over several locks.
///
/// All windows have the same length, so they end in the order in which they started, and a queue in that order suffices
/// for cleaning. A full shard evicts its oldest window, unless that one has reached its limit: a limited key stays limited,
/// however many other keys come. To evict a count below the limit, a client needs 8,192 other keys, each of which could
/// have made that many requests itself. If all keys in a shard are limited, new keys share one counter.
pub struct FixedWindows<K> {
    length: i64,
    hasher: RandomState,
    shards: [Mutex<Shard<K>>; SHARDS],
}

struct Shard<K> {
    windows: HashMap<K, Window>,
    /// All windows, oldest first. An entry with another end than its key's window belongs to an earlier window.
    queue: VecDeque<(Timestamp, K)>,
    /// The shared counter of keys for which there is no room.
    shared: Option<Window>,
}

#[derive(Clone, Copy)]
struct Window {
    end: Timestamp,
    count: i64,
}

impl<K: Eq + Hash + Copy> FixedWindows<K> {
    pub fn new(length: i64) -> Self {
        let shard = || Mutex::new(Shard { windows: HashMap::new(), queue: VecDeque::new(), shared: None });
        Self { length, hasher: RandomState::new(), shards: std::array::from_fn(|_| shard()) }
    }

    /// Adds to a count, and returns the new count and the end of the window. A window at its `limit` is never evicted.
    pub fn add(&self, key: K, count: i64, limit: i64, now: Timestamp) -> (i64, Timestamp) {
        let fresh = self.fresh(now);
        let mut shard = self.shard(key).lock();
        shard.drop_ended(now);
        let window = shard.window(key, limit, fresh, now);
        window.count = window.count.saturating_add(count);
        (window.count, window.end)
    }

    /// Subtracts from the count of the current window.
    pub fn subtract(&self, key: K, count: i64, now: Timestamp) {
        if let Some(window) = self.shard(key).lock().windows.get_mut(&key)
            && window.end > now
        {
            window.count = (window.count - count).max(0);
        }
    }

    /// The current count and the end of its window.
    pub fn peek(&self, key: K, now: Timestamp) -> (i64, Timestamp) {
        let found = self.shard(key).lock().windows.get(&key).copied().filter(|window| window.end > now);
        let window = found.unwrap_or_else(|| self.fresh(now));
        (window.count, window.end)
    }

    fn shard(&self, key: K) -> &Mutex<Shard<K>> {
        &self.shards[self.hasher.hash_one(key) as usize % SHARDS]
    }

    fn fresh(&self, now: Timestamp) -> Window {
        Window { end: now.plus_seconds(self.length), count: 0 }
    }
}

impl<K: Eq + Hash + Copy> Shard<K> {
    fn drop_ended(&mut self, now: Timestamp) {
        for _ in 0..DROPPED_PER_COUNT {
            match self.queue.front() {
                Some((end, _)) if *end <= now => self.drop_first(),
                Some(_) | None => return,
            }
        }
    }

    fn drop_first(&mut self) {
        let Some((end, key)) = self.queue.pop_front() else { return };
        if let Entry::Occupied(found) = self.windows.entry(key)
            && found.get().end == end
        {
            found.remove();
        }
    }

    fn window(&mut self, key: K, limit: i64, fresh: Window, now: Timestamp) -> &mut Window {
        let is_current = self.windows.get(&key).map(|window| window.end > now);
        let stored = match is_current {
            Some(true) => true,
            Some(false) => {
                self.queue.push_back((fresh.end, key));
                self.windows.insert(key, fresh);
                true
            }
            None => {
                let room = self.make_room(limit);
                if room {
                    self.queue.push_back((fresh.end, key));
                    self.windows.insert(key, fresh);
                }
                room
            }
        };
        if stored {
            return self.windows.get_mut(&key).expect("it is there or was just inserted");
        }
        let shared = self.shared.get_or_insert(fresh);
        if shared.end <= now {
            *shared = fresh;
        }
        shared
    }

    /// Evicts the oldest window that is not at its limit if the shard is full, and returns whether there is room.
    fn make_room(&mut self, limit: i64) -> bool {
        for _ in 0..EVICTION_ATTEMPTS {
            if self.windows.len() < SHARD_WINDOWS_MAX {
                return true;
            }
            let Some((end, key)) = self.queue.front().copied() else { return true };
            let is_limited = |window: &Window| window.end == end && window.count >= limit;
            if self.windows.get(&key).is_some_and(is_limited) {
                // It is dropped somewhat later than it ends, which does no harm.
                self.queue.rotate_left(1);
            } else {
                self.drop_first();
            }
        }
        self.windows.len() < SHARD_WINDOWS_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000);
    const LIMIT: i64 = 2;

    fn sizes(windows: &FixedWindows<u32>) -> (usize, usize) {
        let sizes = windows.shards.iter().map(|shard| {
            let shard = shard.lock();
            (shard.windows.len(), shard.queue.len())
        });
        sizes.fold((0, 0), |(windows, queue), (more, queued)| (windows + more, queue + queued))
    }

    #[test]
    fn add_drops_ended_windows() {
        let windows = FixedWindows::new(60);
        for key in 0..10_000 {
            windows.add(key, 1, LIMIT, NOW);
        }
        assert_eq!(sizes(&windows), (10_000, 10_000));
        assert_eq!(windows.add(0, 1, LIMIT, NOW), (2, NOW.plus_seconds(60)));
        let later = NOW.plus_seconds(60);
        for key in 10_000..20_100 {
            assert_eq!(windows.add(key, 1, LIMIT, later), (1, later.plus_seconds(60)));
        }
        assert_eq!(sizes(&windows), (10_100, 10_100));
        assert_eq!(windows.peek(0, later), (0, later.plus_seconds(60)));
    }

    #[test]
    fn a_key_has_one_window_at_a_time() {
        let windows = FixedWindows::new(60);
        for second in 0..600 {
            windows.add(1, 1, LIMIT, NOW.plus_seconds(second));
        }
        assert_eq!(sizes(&windows), (1, 1));
        assert_eq!(windows.peek(1, NOW.plus_seconds(599)).0, 60);
        windows.subtract(1, 1, NOW.plus_seconds(599));
        assert_eq!(windows.peek(1, NOW.plus_seconds(599)).0, 59);
    }

    #[test]
    fn a_full_table_evicts_the_oldest_windows_except_limited_ones() {
        let windows = FixedWindows::new(3600);
        windows.add(0, 1, LIMIT, NOW);
        for _ in 0..LIMIT {
            windows.add(1, 1, LIMIT, NOW);
        }
        for key in 2..300_000 {
            windows.add(key, 1, LIMIT, NOW);
        }
        let (stored, queued) = sizes(&windows);
        assert!(stored <= WINDOWS_MAX && queued <= WINDOWS_MAX, "{stored} {queued}");
        assert_eq!(windows.peek(0, NOW).0, 0, "the oldest is evicted");
        assert_eq!(windows.add(1, 1, LIMIT, NOW).0, LIMIT + 1, "a limited key stays limited");
    }

    #[test]
    fn new_keys_share_a_window_if_all_others_are_limited() {
        let windows = FixedWindows::new(3600);
        for key in 0..180_000 {
            for _ in 0..LIMIT {
                windows.add(key, 1, LIMIT, NOW);
            }
        }
        let (stored, queued) = sizes(&windows);
        assert!(stored <= WINDOWS_MAX && queued <= WINDOWS_MAX, "{stored} {queued}");
        assert!(windows.add(200_001, 1, LIMIT, NOW).0 > LIMIT);
        assert_eq!(windows.add(0, 1, LIMIT, NOW).0, LIMIT + 1);
        let later = NOW.plus_seconds(3600);
        for key in 300_000..300_100 {
            assert_eq!(windows.add(key, 1, LIMIT, later).0, 1);
        }
    }
}
