//! A cache whose missing values are computed by one thread at a time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::budget::{Budget, Cancellation};
use plinth_base::cache::WeightedCache;
use plinth_base::error::{Error, Result};

/// How often a thread that waits for another's computation checks whether it is cancelled itself.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// The weight of a result that is over budget.
pub(super) const OVER_BUDGET_WEIGHT: usize = 128;

/// Results by key. Objects are immutable, so a result never changes, not even that it is over budget.
#[derive(Debug)]
pub(super) struct Computed<K, V> {
    cache: WeightedCache<K, Outcome<V>>,
    running: Mutex<HashMap<K, Arc<Flight<V>>>>,
}

#[derive(Debug, Clone)]
enum Outcome<V> {
    Value(V),
    OverBudget(&'static str),
}

impl<V> Outcome<V> {
    fn into_result(self) -> Result<V> {
        match self {
            Outcome::Value(value) => Ok(value),
            Outcome::OverBudget(reason) => Err(Error::OverBudget(reason)),
        }
    }
}

/// A computation in flight.
#[derive(Debug)]
struct Flight<V> {
    leader: Arc<Cancellation>,
    landed: Mutex<Landed<V>>,
    changed: Condvar,
}

#[derive(Debug)]
enum Landed<V> {
    NotYet,
    With(Outcome<V>),
    /// It failed for a reason of the leader, such as its cancellation: every waiting thread tries again.
    WithNothing,
}

impl<K: Copy + Eq + Hash, V: Clone> Computed<K, V> {
    pub fn new(weight_max: usize, weight_typical: usize) -> Self {
        Self { cache: WeightedCache::new(weight_max, weight_typical), running: Mutex::default() }
    }

    /// The result, if it is in the cache.
    pub fn find(&self, key: &K) -> Option<Result<V>> {
        self.cache.get(key).map(Outcome::into_result)
    }

    /// The result, computed by this thread or by another one that has started already. Blocks.
    ///
    /// `weigh` returns the weight of a result, or `None` if it is not to be cached.
    pub fn get(
        &self,
        key: K,
        budget: &Budget,
        weigh: impl FnOnce(&V) -> Option<usize>,
        compute: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        loop {
            if let Some(cached) = self.find(&key) {
                return cached;
            }
            budget.check_total()?;
            let flight = match self.join(key, budget) {
                Role::Wait(flight) => flight,
                Role::Lead(flight) => return self.lead(key, &flight, budget, weigh, compute),
            };
            if let Some(outcome) = flight.wait(budget)? {
                return outcome.into_result();
            }
        }
    }

    fn join(&self, key: K, budget: &Budget) -> Role<V> {
        let mut running = self.running.lock();
        if let Some(flight) = running.get(&key) {
            return Role::Wait(flight.clone());
        }
        let (leader, landed) = (budget.cancellation().clone(), Mutex::new(Landed::NotYet));
        let flight = Arc::new(Flight { leader, landed, changed: Condvar::new() });
        running.insert(key, flight.clone());
        Role::Lead(flight)
    }

    fn lead(
        &self,
        key: K,
        flight: &Flight<V>,
        budget: &Budget,
        weigh: impl FnOnce(&V) -> Option<usize>,
        compute: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        // Wakes the others up even if the computation panics.
        let landing = Landing { computed: self, key, flight };
        // Another leader may have finished since the last lookup in the cache.
        if let Some(cached) = self.find(&key) {
            return cached;
        }
        let result = budget.section(compute);
        let outcome = match &result {
            Ok(value) => {
                if let Some(weight) = weigh(value) {
                    self.cache.insert(key, Outcome::Value(value.clone()), weight);
                }
                Some(Outcome::Value(value.clone()))
            }
            Err(Error::OverBudget(reason)) => {
                self.cache.insert(key, Outcome::OverBudget(reason), OVER_BUDGET_WEIGHT);
                Some(Outcome::OverBudget(reason))
            }
            Err(_) => None,
        };
        if let Some(outcome) = outcome {
            *flight.landed.lock() = Landed::With(outcome);
        }
        drop(landing);
        result
    }
}

enum Role<V> {
    Lead(Arc<Flight<V>>),
    Wait(Arc<Flight<V>>),
}

struct Landing<'a, K: Copy + Eq + Hash, V> {
    computed: &'a Computed<K, V>,
    key: K,
    flight: &'a Flight<V>,
}

impl<K: Copy + Eq + Hash, V> Drop for Landing<'_, K, V> {
    fn drop(&mut self) {
        self.computed.running.lock().remove(&self.key);
        let mut landed = self.flight.landed.lock();
        if matches!(*landed, Landed::NotYet) {
            *landed = Landed::WithNothing;
        }
        self.flight.changed.notify_all();
    }
}

impl<V: Clone> Flight<V> {
    /// Waits for the leader, which goes on as long as any request waits.
    fn wait(&self, budget: &Budget) -> Result<Option<Outcome<V>>> {
        let _interest = self.leader.join();
        let mut landed = self.landed.lock();
        loop {
            match &*landed {
                Landed::With(outcome) => return Ok(Some(outcome.clone())),
                Landed::WithNothing => return Ok(None),
                Landed::NotYet => {}
            }
            budget.cancellation().check()?;
            self.changed.wait_for(&mut landed, CHECK_INTERVAL);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;
    use crate::budget::{BudgetLimits, Interest};
    use plinth_base::ids::AccountId;

    fn budget() -> (Budget, Interest) {
        let cancellation = Arc::new(Cancellation::new(AccountId(1)));
        let interest = cancellation.first_interest();
        (Budget::new(BudgetLimits::default(), Arc::default(), cancellation, None), interest)
    }

    #[test]
    fn over_budget_result_is_computed_once() {
        let computed: Computed<u32, u32> = Computed::new(10_000, 1);
        let count = AtomicUsize::new(0);
        for _ in 0..3 {
            let (budget, _interest) = budget();
            let outcome = computed.get(
                1,
                &budget,
                |_| Some(1),
                || {
                    count.fetch_add(1, Ordering::SeqCst);
                    Err(Error::OverBudget("too much"))
                },
            );
            assert!(matches!(outcome, Err(Error::OverBudget("too much"))));
        }
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn concurrent_callers_share_one_computation_that_outlives_its_first_caller() {
        let computed: Computed<u32, u32> = Computed::new(10_000, 1);
        let count = AtomicUsize::new(0);
        let (started, has_started) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let (leader, interest) = budget();
            let cancellation = leader.cancellation().clone();
            let leading = scope.spawn({
                let (computed, count) = (&computed, &count);
                move || {
                    computed.get(
                        1,
                        &leader,
                        |_| None,
                        || {
                            count.fetch_add(1, Ordering::SeqCst);
                            started.send(()).expect("the test waits");
                            may_go_on.recv().expect("the test lets it go on");
                            leader.check().map(|()| 7)
                        },
                    )
                }
            });
            has_started.recv().expect("it starts");
            let following: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let (budget, _interest) = budget();
                        computed.get(1, &budget, |_| None, || panic!("only one computes"))
                    })
                })
                .collect();
            // The first caller is gone; four others wait.
            drop(interest);
            // References: this test, the leader's budget, the flight, and each waiting thread.
            while Arc::strong_count(&cancellation) < 3 + 4 {
                std::thread::yield_now();
            }
            while cancellation.is_cancelled() {
                std::thread::yield_now();
            }
            go_on.send(()).expect("it waits");
            assert_eq!(leading.join().expect("no panic").expect("somebody waited"), 7);
            for follower in following {
                assert_eq!(follower.join().expect("no panic").expect("shared"), 7);
            }
        });
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}
