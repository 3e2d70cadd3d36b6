//! Results that are computed once: cached while there is room, and never computed by two threads at a time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::generations::Generations;
use crate::budget::{Budget, Cancellation};
use plinth_base::error::{Error, Result};

/// How often one who waits for another's computation looks whether it is still wanted itself.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// What it takes to remember that a result is over budget.
const REFUSED_WEIGHT: usize = 128;

/// A cache of results by what they follow from. Objects never change, so neither does a result, not even that it is
/// over budget.
#[derive(Debug)]
pub(super) struct Computed<K, V> {
    known: Generations<K, Known<V>>,
    running: Mutex<HashMap<K, Arc<Flight<V>>>>,
}

#[derive(Debug, Clone)]
enum Known<V> {
    Value(V),
    OverBudget(&'static str),
}

impl<V> Known<V> {
    fn into_result(self) -> Result<V> {
        match self {
            Known::Value(value) => Ok(value),
            Known::OverBudget(reason) => Err(Error::OverBudget(reason)),
        }
    }
}

/// A computation under way.
#[derive(Debug)]
struct Flight<V> {
    leader: Arc<Cancellation>,
    landed: Mutex<Landed<V>>,
    changed: Condvar,
}

#[derive(Debug)]
enum Landed<V> {
    NotYet,
    With(Known<V>),
    /// It failed for a reason of its own: whoever waits has to try for themselves.
    WithNothing,
}

impl<K: Copy + Eq + Hash, V: Clone> Computed<K, V> {
    pub fn new(weight_max: usize) -> Self {
        Self { known: Generations::new(weight_max), running: Mutex::default() }
    }

    /// The result, if it is in the cache.
    pub fn find(&self, key: &K) -> Option<Result<V>> {
        self.known.find(key).map(Known::into_result)
    }

    /// The result, computed by this thread or by another one that is at it already. Blocks.
    ///
    /// `weigh` gives the weight of a result in the cache, or nothing for one that is too heavy.
    pub fn get(
        &self,
        key: K,
        budget: &Budget,
        weigh: impl FnOnce(&V) -> Option<usize>,
        compute: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        loop {
            if let Some(known) = self.find(&key) {
                return known;
            }
            budget.check_total()?;
            let flight = match self.join(key, budget) {
                Role::Follow(flight) => flight,
                Role::Lead(flight) => return self.lead(key, &flight, budget, weigh, compute),
            };
            if let Some(known) = flight.wait(budget)? {
                return known.into_result();
            }
        }
    }

    fn join(&self, key: K, budget: &Budget) -> Role<V> {
        let mut running = self.running.lock();
        if let Some(flight) = running.get(&key) {
            return Role::Follow(flight.clone());
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
        // Lands also when the computation panics.
        let landing = Landing { computed: self, key, flight };
        // Another leader may have finished between the look into the cache and here.
        if let Some(known) = self.find(&key) {
            return known;
        }
        let outcome = budget.section(compute);
        let known = match &outcome {
            Ok(value) => {
                if let Some(weight) = weigh(value) {
                    self.known.insert(key, Known::Value(value.clone()), weight);
                }
                Some(Known::Value(value.clone()))
            }
            Err(Error::OverBudget(reason)) => {
                self.known.insert(key, Known::OverBudget(reason), REFUSED_WEIGHT);
                Some(Known::OverBudget(reason))
            }
            Err(_) => None,
        };
        if let Some(known) = known {
            *flight.landed.lock() = Landed::With(known);
        }
        drop(landing);
        outcome
    }
}

enum Role<V> {
    Lead(Arc<Flight<V>>),
    Follow(Arc<Flight<V>>),
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
    /// Waits for the leader, who goes on as long as anybody waits.
    fn wait(&self, budget: &Budget) -> Result<Option<Known<V>>> {
        let _interest = self.leader.join();
        let mut landed = self.landed.lock();
        loop {
            match &*landed {
                Landed::With(known) => return Ok(Some(known.clone())),
                Landed::WithNothing => return Ok(None),
                Landed::NotYet => {}
            }
            budget.cancellation().check()?;
            self.changed.wait_for(&mut landed, LOOK_INTERVAL);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;
    use crate::budget::{BudgetLimits, Interest};
    use plinth_base::ids::RepoId;

    fn budget() -> (Budget, Interest) {
        let cancellation = Arc::new(Cancellation::new(RepoId(1)));
        let interest = cancellation.first_interest();
        (Budget::new(BudgetLimits::default(), Arc::default(), cancellation, None), interest)
    }

    #[test]
    fn what_is_over_budget_is_computed_once() {
        let computed: Computed<u32, u32> = Computed::new(10_000);
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
    fn many_who_ask_at_once_share_one_computation_that_outlives_its_first_asker() {
        let computed: Computed<u32, u32> = Computed::new(10_000);
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
            // All four wait, and the first asker has gone.
            drop(interest);
            // Known to this test, to the leader's budget, to the flight, and to each of those who wait.
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
