//! Threads for blocking work, shared fairly among repositories and their owners.
//!
//! A repository can use only a share of the workers, and so can all repositories of one owner, so that others are never
//! blocked by them. Work that turns out to be
//! long returns its worker and takes turns with other long work, with at most one running turn per processor, so that
//! short work never waits for it.

mod turns;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::{Condvar, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_git::{Budget, BudgetLimits, Cancellation, LongWork, Memory};
use turns::{Turns, change};

/// Concurrent pieces of work; more would only use memory and wait for the same disk.
const WORKERS_MAX: usize = 64;
/// Workers for one repository.
const SHARE_MAX: usize = WORKERS_MAX / 4;
/// Workers for all repositories of one owner. An installation may have only one, so this is most of them.
const OWNER_SHARE_MAX: usize = WORKERS_MAX / 4 * 3;
/// Pieces of work for one repository that wait for a worker; more are rejected.
const WAITING_MAX: usize = 512;
/// How often waiting long work checks whether it was cancelled.
const CANCELLATION_INTERVAL: Duration = Duration::from_millis(50);

/// Limits concurrent blocking work; cheap to clone.
#[derive(Clone)]
pub struct Workers(Arc<Parts>);

struct Parts {
    permits: Arc<Semaphore>,
    shares: Mutex<HashMap<ShareKey, Arc<Share>>>,
    memory: Arc<Memory>,
    limits: BudgetLimits,
    turns: Mutex<Turns>,
    turn_ended: Condvar,
    turns_max: usize,
}

/// Whose objects work is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subject {
    pub repo: RepoId,
    pub owner: AccountId,
}

/// Who has a share of the workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ShareKey {
    Repo(RepoId),
    Owner(AccountId),
}

/// The workers of one repository, or of all repositories of one owner.
struct Share {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
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
        let (sender, receiver) = oneshot::channel();
        on_thread(Box::new(move || {
            let outcome = work();
            drop(permit);
            let _ = sender.send(outcome);
        }))
        .await?;
        receive(receiver)
    }

    /// Runs work over the objects of a repository, within an object budget. Dropping the future cancels it.
    pub async fn run_within<T: Send + 'static>(
        &self,
        subject: Subject,
        work: impl FnOnce(&Budget) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        let work = Box::new(move |budget: &Budget| {
            let _ = sender.send(work(budget));
        });
        self.run_boxed(subject, work).await?;
        receive(receiver)
    }

    /// The part of [`Workers::run_within`] that does not depend on the type of the result.
    fn run_boxed(&self, subject: Subject, work: Box<dyn FnOnce(&Budget) + Send>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let permits = self.admit(subject).await?;
            let cancellation = Arc::new(Cancellation::new(subject.owner));
            let _interest = cancellation.first_interest();
            let parts = self.0.clone();
            on_thread(Box::new(move || {
                let turn = Arc::new(Turn {
                    parts: parts.clone(),
                    subject,
                    permits: Mutex::new(Some(permits)),
                    cancellation: cancellation.clone(),
                    has_turn: AtomicBool::new(false),
                });
                work(&Budget::new(parts.limits, parts.memory.clone(), cancellation, Some(turn)));
            }))
            .await
        })
    }

    /// Waits for a worker within the shares of the repository and of its owner.
    async fn admit(&self, subject: Subject) -> Result<Permits> {
        let of_repo = self.use_share(ShareKey::Repo(subject.repo));
        let of_owner = self.use_share(ShareKey::Owner(subject.owner));
        let waiting = Waiting::begin(of_repo.share.clone())?;
        let own = acquire(&of_repo.share.permits).await;
        let owners = acquire(&of_owner.share.permits).await;
        let general = acquire(&self.0.permits).await;
        drop(waiting);
        Ok(Permits { _general: general, _own: [own, owners], _shares: [of_repo, of_owner] })
    }

    fn use_share(&self, key: ShareKey) -> ShareUse {
        ShareUse { parts: self.0.clone(), key, share: self.share(key) }
    }

    fn share(&self, key: ShareKey) -> Arc<Share> {
        let permits = match key {
            ShareKey::Repo(_) => SHARE_MAX,
            ShareKey::Owner(_) => OWNER_SHARE_MAX,
        };
        let new = || Arc::new(Share { permits: Arc::new(Semaphore::new(permits)), waiting: AtomicUsize::new(0) });
        self.0.shares.lock().entry(key).or_insert_with(new).clone()
    }
}

async fn acquire(permits: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    permits.clone().acquire_owned().await.expect("nobody closes this semaphore")
}

/// Runs it to its end on a thread that may block.
async fn on_thread(work: Box<dyn FnOnce() + Send>) -> Result<()> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::internal(format!("work on objects did not end: {error}")))
}

/// The outcome of work that has ended.
fn receive<T>(mut receiver: oneshot::Receiver<Result<T>>) -> Result<T> {
    receiver.try_recv().map_err(|_| Error::internal("work on objects has no outcome"))?
}

/// The permits for a worker. The fields are released in this order.
struct Permits {
    _general: OwnedSemaphorePermit,
    _own: [OwnedSemaphorePermit; 2],
    _shares: [ShareUse; 2],
}

/// Removes a share with its last use.
struct ShareUse {
    parts: Arc<Parts>,
    key: ShareKey,
    share: Arc<Share>,
}

impl Drop for ShareUse {
    fn drop(&mut self) {
        let mut shares = self.parts.shares.lock();
        // One reference is in the map and one is ours; no other can appear while the map is locked.
        if Arc::strong_count(&self.share) == 2 {
            shares.remove(&self.key);
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
    subject: Subject,
    permits: Mutex<Option<Permits>>,
    cancellation: Arc<Cancellation>,
    has_turn: AtomicBool,
}

impl LongWork for Turn {
    fn wait_for_turn(&self) -> Result<()> {
        // Short work may use the worker meanwhile.
        self.permits.lock().take();
        let subject = self.subject;
        let mut turns = self.parts.turns.lock();
        if !turns.has_room(subject) {
            return Err(Error::Unavailable("too many long computations wait for their turn".into()));
        }
        change(&mut turns.waiting, subject, 1);
        let outcome = loop {
            if let Err(cancelled) = self.cancellation.check() {
                break Err(cancelled);
            }
            if turns.is_next(subject, self.parts.turns_max) {
                turns.begin(subject);
                self.has_turn.store(true, Ordering::SeqCst);
                break Ok(());
            }
            self.parts.turn_ended.wait_for(&mut turns, CANCELLATION_INTERVAL);
        };
        change(&mut turns.waiting, subject, -1);
        // Another may be next now.
        self.parts.turn_ended.notify_all();
        outcome
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.has_turn.load(Ordering::SeqCst) {
            change(&mut self.parts.turns.lock().running, self.subject, -1);
            self.parts.turn_ended.notify_all();
        }
    }
}

#[cfg(test)]
mod tests;
