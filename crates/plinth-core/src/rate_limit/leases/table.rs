//! What this node has leased, and what it asks for.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::counter::{Counted, Counter, Limit};
use plinth_base::error::Result;
use plinth_store::{Lease, LeaseRequest, ReturnedLease};

/// Leases in memory: about 20 MB.
const LEASES_MAX: usize = 131_072;
/// Leases in one statement.
pub const BATCH_MAX: usize = 1_000;
/// Part of a limit that a node asks for at once.
const SHARE: i64 = 20;
/// A lease that was not used for this long goes back.
pub const IDLE_MAX: Duration = Duration::from_secs(5);
/// How long a node does not ask again after there was nothing left. Another node may give something back.
const REFUSED_FOR: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Table {
    pub held: HashMap<Counter, Held>,
    /// Counters that want a lease, each once.
    pub asking: Vec<Counter>,
    pub returned: Vec<ReturnedLease>,
    /// How often the database has failed.
    pub failures: u64,
}

pub struct Held {
    pub limit: Limit,
    pub unused: i64,
    /// Of all nodes, when this one has asked last.
    pub leased: i64,
    pub ends: Instant,
    pub ends_at: i64,
    used_at: Instant,
    pub is_asking: bool,
    /// The most that a waiting request needs, and what all of them need together.
    pub needed: i64,
    pub waiting: i64,
    /// So much was not left until then.
    pub refused: Option<(i64, Instant)>,
}

impl Held {
    pub fn new(limit: Limit, now: Instant) -> Self {
        Self {
            limit,
            unused: 0,
            leased: 0,
            ends: now,
            ends_at: 0,
            used_at: now,
            is_asking: false,
            needed: 1,
            waiting: 0,
            refused: None,
        }
    }

    pub fn share(&self) -> i64 {
        (self.limit.max / SHARE).max(1)
    }

    fn counted(&self, is_admitted: bool, now: Instant) -> Counted {
        let used = (self.leased - self.unused).clamp(0, self.limit.max);
        // A rejected request sees nothing left, whatever other nodes still have.
        let used = if is_admitted { used } else { self.limit.max };
        Counted { is_admitted, used, ends_in: self.ends.saturating_duration_since(now) }
    }

    /// Counts if this node knows enough to decide.
    pub fn try_count(&mut self, count: i64, now: Instant) -> Option<Counted> {
        if self.ends <= now {
            self.unused = 0;
            self.refused = None;
            return None;
        }
        if self.unused >= count {
            self.unused -= count;
            self.used_at = now;
            return Some(self.counted(true, now));
        }
        let is_refused = self.refused.is_some_and(|(needed, until)| count >= needed && now < until);
        is_refused.then(|| self.counted(false, now))
    }
}

impl Table {
    pub fn make_room(&mut self, counter: Counter) {
        if self.held.len() >= LEASES_MAX
            && !self.held.contains_key(&counter)
            && let Some(other) = self.held.iter().find(|(_, held)| !held.is_asking).map(|(other, _)| *other)
            && let Some(held) = self.held.remove(&other)
        {
            self.put_back(other, &held);
        }
    }

    fn put_back(&mut self, counter: Counter, held: &Held) {
        if held.unused > 0 && held.ends > Instant::now() {
            self.returned.push(ReturnedLease { key: counter.key(), ends_at: held.ends_at, unused: held.unused });
        }
    }

    /// Removes ended windows, and takes what was not used for a while.
    pub fn collect_idle(&mut self, now: Instant) {
        let Self { held, returned, .. } = self;
        held.retain(|counter, held| {
            if held.is_asking {
                return true;
            }
            if held.ends > now && held.unused > 0 && now.saturating_duration_since(held.used_at) >= IDLE_MAX {
                let unused = std::mem::take(&mut held.unused);
                returned.push(ReturnedLease { key: counter.key(), ends_at: held.ends_at, unused });
                held.leased -= unused;
            }
            held.ends > now
        });
    }

    pub fn requests(&mut self) -> (Vec<Counter>, Vec<LeaseRequest>) {
        let count = self.asking.len().min(BATCH_MAX);
        let asked: Vec<Counter> = self.asking.drain(..count).collect();
        let Self { held, .. } = self;
        let requests = asked.iter().map(|counter| {
            let held = held.get_mut(counter).expect("a counter that asks is not removed");
            let needed = std::mem::replace(&mut held.needed, 1);
            let wanted = std::mem::take(&mut held.waiting) + held.share();
            let (limit, milliseconds) = (held.limit.max, held.limit.seconds * 1_000);
            LeaseRequest { key: counter.key(), milliseconds, limit, needed, wanted }
        });
        let requests = requests.collect();
        (asked, requests)
    }

    pub fn receive(
        &mut self,
        asked: &[Counter],
        requests: &[LeaseRequest],
        leases: Result<Vec<Lease>>,
        asked_at: Instant,
    ) {
        let leases = leases.unwrap_or_else(|error| {
            tracing::warn!(%error, "could not lease rate limits");
            self.failures += 1;
            Vec::new()
        });
        let mut leases: HashMap<String, Lease> = leases.into_iter().map(|lease| (lease.key.clone(), lease)).collect();
        for (counter, request) in asked.iter().zip(requests) {
            let Some(held) = self.held.get_mut(counter) else { continue };
            held.is_asking = false;
            let Some(lease) = leases.remove(&request.key) else { continue };
            let ends = asked_at + lease.ends_in;
            // A window of the same end is the same one, so what is left of it stays.
            let left = if held.ends_at == lease.ends_at && held.ends > Instant::now() { held.unused } else { 0 };
            held.unused = left + lease.granted;
            (held.ends_at, held.ends, held.leased) = (lease.ends_at, ends, lease.leased);
            let refused = (lease.granted == 0).then(|| Instant::now() + REFUSED_FOR);
            held.refused = refused.map(|until| (request.needed, until));
        }
    }
}
