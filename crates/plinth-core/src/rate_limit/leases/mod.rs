//! Rate limits over several nodes: a node leases a share of a limit from the database, and counts within it on its own.
//!
//! What all nodes have leased in a window is never more than the limit. A lease is renewed in the background when half of it
//! is used, so that a request waits only if its node has nothing: for the first of a window, and while a burst uses up leases
//! faster than they are renewed. A lease that is not used goes back after some seconds.

mod counter;
mod table;

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

pub use counter::{Counted, Counter, Limit};
use plinth_base::error::{Error, Result};
use plinth_store::Store;
use table::{BATCH_MAX, Held, IDLE_MAX, Table};

/// How long a request waits for a lease.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// The leases of this node.
#[derive(Default)]
pub struct Leases {
    table: Mutex<Table>,
    /// Some counter wants a lease.
    wanted: Notify,
    /// Requests for leases have got a response.
    decided: Notify,
}

impl Leases {
    /// Counts so many at once, or none of them.
    pub async fn count(&self, counter: Counter, count: i64, limit: Limit) -> Result<Counted> {
        // More than the limit is admitted if nothing else is counted in the window.
        let count = count.min(limit.max).max(1);
        if limit.max < 1 {
            let ends_in = Duration::from_secs(u64::try_from(limit.seconds).unwrap_or_default());
            return Ok(Counted { is_admitted: false, used: 0, ends_in });
        }
        let counting = async {
            loop {
                let (decided, failures) = {
                    let mut table = self.table.lock();
                    if let Some(counted) = self.try_count(&mut table, counter, count, limit) {
                        return Ok(counted);
                    }
                    (self.decided.notified(), table.failures)
                };
                decided.await;
                if self.table.lock().failures != failures {
                    return Err(Error::Unavailable("the rate limit cannot be read from the database".into()));
                }
            }
        };
        let waited = tokio::time::timeout(WAIT_MAX, counting).await;
        waited.unwrap_or_else(|_| Err(Error::Unavailable("the database does not lease rate limits in time".into())))
    }

    fn try_count(&self, table: &mut Table, counter: Counter, count: i64, limit: Limit) -> Option<Counted> {
        let now = Instant::now();
        table.make_room(counter);
        let held = table.held.entry(counter).or_insert_with(|| Held::new(limit, now));
        held.limit = limit;
        let counted = held.try_count(count, now);
        let is_low = held.unused <= held.share() / 2 && held.leased < limit.max && held.refused.is_none();
        if counted.is_none() {
            held.needed = held.needed.max(count);
            held.waiting += count;
        } else if counted.is_some_and(|counted| !counted.is_admitted) || !is_low {
            return counted;
        }
        if !std::mem::replace(&mut held.is_asking, true) {
            table.asking.push(counter);
            self.wanted.notify_one();
        }
        counted
    }

    /// Takes back a count of the current window.
    pub fn uncount(&self, counter: Counter, count: i64) {
        if let Some(held) = self.table.lock().held.get_mut(&counter)
            && held.ends > Instant::now()
        {
            held.unused += count;
            held.refused = None;
        }
    }

    /// The current state over all nodes.
    pub async fn peek(&self, store: &Store, counter: Counter, limit: Limit) -> Result<Counted> {
        let found = store.find_window(&counter.key()).await?;
        let unused = |ends_at: i64| {
            let table = self.table.lock();
            table.held.get(&counter).filter(|held| held.ends_at == ends_at).map_or(0, |held| held.unused)
        };
        Ok(match found {
            Some(window) => Counted {
                is_admitted: true,
                used: (window.leased - unused(window.ends_at)).clamp(0, limit.max),
                ends_in: window.ends_in,
            },
            None => {
                let length = Duration::from_secs(u64::try_from(limit.seconds).unwrap_or_default());
                Counted { is_admitted: true, used: 0, ends_in: length }
            }
        })
    }

    /// Leases what is asked for, and gives back what is not used, until the task is aborted.
    pub async fn run(&self, store: &Store) {
        let mut idle = tokio::time::interval(IDLE_MAX);
        idle.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.wanted.notified() => self.lease_batches(store).await,
                _ = idle.tick() => self.table.lock().collect_idle(Instant::now()),
            }
            self.give_back(store).await;
        }
    }

    /// Gives back everything: the node stops.
    pub async fn give_back_all(&self, store: &Store) {
        self.table.lock().collect_idle(Instant::now() + IDLE_MAX);
        self.give_back(store).await;
    }

    async fn lease_batches(&self, store: &Store) {
        loop {
            let (asked, requests) = self.table.lock().requests();
            if asked.is_empty() {
                return;
            }
            // The window ends this long after the database was asked, or later.
            let asked_at = Instant::now();
            let leases = store.lease(&requests).await;
            self.table.lock().receive(&asked, &requests, leases, asked_at);
            self.decided.notify_waiters();
        }
    }

    async fn give_back(&self, store: &Store) {
        let mut returned = std::mem::take(&mut self.table.lock().returned);
        returned.sort_by(|one, other| one.key.cmp(&other.key));
        for batch in returned.chunks(BATCH_MAX) {
            if let Err(error) = store.give_back(batch).await {
                tracing::warn!(%error, "could not give back leases of rate limits; they end with their windows");
                return;
            }
        }
    }
}
