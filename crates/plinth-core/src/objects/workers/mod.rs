//! Threads for blocking work, shared fairly among repositories.
//!
//! A repository can use only a share of the workers, so that others are never blocked by it. Work that turns out to be
//! long returns its worker and takes turns with other long work, with at most one running turn per processor, so that
//! short work never waits for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_git::{Budget, BudgetLimits, Cancellation, LongWork, Memory};

/// Concurrent pieces of work; more would only use memory and wait for the same disk.
const WORKERS_MAX: usize = 64;
/// Workers for one repository.
const SHARE_MAX: usize = WORKERS_MAX / 4;
/// Pieces of work for one repository that wait for a worker; more are rejected.
const WAITING_MAX: usize = 512;
/// Long work of one repository that waits for its turn; more is rejected.
const LONG_WAITING_MAX: usize = 16;
/// Long work of all repositories that waits for its turn.
const ALL_LONG_WAITING_MAX: usize = 64;
/// Repositories whose last turn is recorded.
const LAST_TURNS_MAX: usize = 1_000;
/// How often waiting long work checks whether it was cancelled.
const CANCELLATION_INTERVAL: Duration = Duration::from_millis(50);

/// Limits concurrent blocking work; cheap to clone.
#[derive(Clone)]
pub struct Workers(Arc<Parts>);

struct Parts {
    permits: Arc<Semaphore>,
    shares: Mutex<HashMap<RepoId, Arc<Share>>>,
    memory: Arc<Memory>,
    limits: BudgetLimits,
    turns: Mutex<Turns>,
    turn_ended: Condvar,
    turns_max: usize,
}

/// The workers of one repository.
struct Share {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// Long work, by repository.
#[derive(Default)]
struct Turns {
    running: HashMap<RepoId, usize>,
    waiting: HashMap<RepoId, usize>,
    /// The number of each repository's last turn.
    last: HashMap<RepoId, u64>,
    count: u64,
}

impl Turns {
    /// Whether long work of a repository may run. The waiting repository whose last turn was the earliest is next.
    fn is_next(&self, repo: RepoId, turns_max: usize) -> bool {
        let share = (turns_max / 2).max(1);
        let is_within_share = |repo: &&RepoId| count(&self.running, **repo) < share;
        let rank = |repo: &RepoId| (self.last.get(repo).copied().unwrap_or_default(), repo.0);
        let next = self.waiting.keys().filter(is_within_share).min_by_key(|repo| rank(repo));
        self.running.values().sum::<usize>() < turns_max && next == Some(&repo)
    }

    fn begin(&mut self, repo: RepoId) {
        if self.last.len() >= LAST_TURNS_MAX {
            self.last.clear();
        }
        self.count += 1;
        self.last.insert(repo, self.count);
        change(&mut self.running, repo, 1);
    }
}

impl Workers {
    pub fn new(limits: BudgetLimits, memory: Arc<Memory>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::with_turns(limits, memory, processors.max(2))
    }

    fn with_turns(limits: BudgetLimits, memory: Arc<Memory>, turns_max: usize) -> Self {
        Self(Arc::new(Parts {
            permits: Arc::new(Semaphore::new(WORKERS_MAX)),
            shares: Mutex::default(),
            memory,
            limits,
            turns: Mutex::default(),
            turn_ended: Condvar::new(),
            turns_max,
        }))
    }

    /// Runs work that belongs to no repository. It holds its permit until it ends, even if the future is dropped.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let permit = acquire(&self.0.permits).await;
        on_thread(move || {
            let outcome = work();
            drop(permit);
            outcome
        })
        .await
    }

    /// Runs work over the objects of a repository, within an object budget. Dropping the future cancels it.
    pub async fn run_within<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl FnOnce(&Budget) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permits = self.admit(repo).await?;
        let cancellation = Arc::new(Cancellation::new(repo));
        let _interest = cancellation.first_interest();
        let parts = self.0.clone();
        on_thread(move || {
            let turn = Arc::new(Turn {
                parts: parts.clone(),
                permits: Mutex::new(Some(permits)),
                cancellation: cancellation.clone(),
                has_turn: AtomicBool::new(false),
            });
            let budget = Budget::new(parts.limits, parts.memory.clone(), cancellation, Some(turn));
            work(&budget)
        })
        .await
    }

    /// An object budget for work on a thread of the caller.
    pub fn budget_of(&self, repo: RepoId) -> Budget {
        Budget::new(self.0.limits, self.0.memory.clone(), Arc::new(Cancellation::new(repo)), None)
    }

    /// Waits for a worker within the share of the repository.
    async fn admit(&self, repo: RepoId) -> Result<Permits> {
        let share = ShareUse { parts: self.0.clone(), repo, share: self.share(repo) };
        let waiting = Waiting::begin(share.share.clone())?;
        let own = acquire(&share.share.permits).await;
        let general = acquire(&self.0.permits).await;
        drop(waiting);
        Ok(Permits { _own: own, _general: general, _share: share })
    }

    fn share(&self, repo: RepoId) -> Arc<Share> {
        let new = || Arc::new(Share { permits: Arc::new(Semaphore::new(SHARE_MAX)), waiting: AtomicUsize::new(0) });
        self.0.shares.lock().entry(repo).or_insert_with(new).clone()
    }
}

async fn acquire(permits: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    permits.clone().acquire_owned().await.expect("nobody closes this semaphore")
}

async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::internal(format!("work on objects did not end: {error}")))?
}

/// The permits for a worker. The fields are released in this order.
struct Permits {
    _general: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _share: ShareUse,
}

/// Removes the share of a repository with its last use.
struct ShareUse {
    parts: Arc<Parts>,
    repo: RepoId,
    share: Arc<Share>,
}

impl Drop for ShareUse {
    fn drop(&mut self) {
        let mut shares = self.parts.shares.lock();
        // One reference is in the map and one is ours; no other can appear while the map is locked.
        if Arc::strong_count(&self.share) == 2 {
            shares.remove(&self.repo);
        }
    }
}

struct Waiting(Arc<Share>);

impl Waiting {
    fn begin(share: Arc<Share>) -> Result<Self> {
        if share.waiting.fetch_add(1, Ordering::SeqCst) >= WAITING_MAX {
            share.waiting.fetch_sub(1, Ordering::SeqCst);
            return Err(Error::Unavailable("too many requests read this repository".into()));
        }
        Ok(Self(share))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The turn of one piece of work, if it becomes long.
struct Turn {
    parts: Arc<Parts>,
    permits: Mutex<Option<Permits>>,
    cancellation: Arc<Cancellation>,
    has_turn: AtomicBool,
}

impl LongWork for Turn {
    fn wait_for_turn(&self) -> Result<()> {
        // Short work may use the worker meanwhile.
        self.permits.lock().take();
        let repo = self.cancellation.owner();
        let mut turns = self.parts.turns.lock();
        let all_waiting: usize = turns.waiting.values().sum();
        if count(&turns.waiting, repo) >= LONG_WAITING_MAX || all_waiting >= ALL_LONG_WAITING_MAX {
            return Err(Error::Unavailable("too many long computations wait for their turn".into()));
        }
        change(&mut turns.waiting, repo, 1);
        let outcome = loop {
            if let Err(cancelled) = self.cancellation.check() {
                break Err(cancelled);
            }
            if turns.is_next(repo, self.parts.turns_max) {
                turns.begin(repo);
                self.has_turn.store(true, Ordering::SeqCst);
                break Ok(());
            }
            self.parts.turn_ended.wait_for(&mut turns, CANCELLATION_INTERVAL);
        };
        change(&mut turns.waiting, repo, -1);
        // Another may be next now.
        self.parts.turn_ended.notify_all();
        outcome
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.has_turn.load(Ordering::SeqCst) {
            change(&mut self.parts.turns.lock().running, self.cancellation.owner(), -1);
            self.parts.turn_ended.notify_all();
        }
    }
}

fn count(counts: &HashMap<RepoId, usize>, repo: RepoId) -> usize {
    counts.get(&repo).copied().unwrap_or_default()
}

fn change(counts: &mut HashMap<RepoId, usize>, repo: RepoId, by: isize) {
    let counted = count(counts, repo).saturating_add_signed(by);
    if counted == 0 {
        counts.remove(&repo)
    } else {
        counts.insert(repo, counted)
    };
}

#[cfg(test)]
mod tests;
