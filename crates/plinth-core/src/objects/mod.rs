//! Git objects of repositories: packs on disk, and loose objects in the database. This is the only module through which
//! operations run blocking work outside of the async runtime.

mod collection;
mod flush;
mod loose_objects;
mod maintenance;
mod merge_permits;
mod removal_locks;
pub mod shared;
mod shared_maintenance;
mod short_ids;
pub mod store;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

pub use collection::RemovalGuard;
use loose_objects::LooseObjects;
pub use maintenance::{GcRoots, Maintenance, Policy};
use merge_permits::MergePermits;
use plinth_base::cache::WeightedCache;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_git::{Budget, BudgetLimits, Memory, Merger, RawObject, Reader, Repositories, Repository, Reserved};
use plinth_store::{Store, WriteAuthority};
use removal_locks::RemovalLocks;
pub use workers::Subject;
use workers::Workers;

/// Repositories whose owner is cached.
const OWNERS_MAX: usize = 10_000;

/// Objects that are inserted into the database in one transaction, and their bytes; more make a pack.
const LOOSE_OBJECTS_MAX: usize = 100;
const LOOSE_BYTES_MAX: usize = 1 << 20;

/// The operator's limits for computations over objects.
#[derive(Debug, Clone, Copy)]
pub struct ObjectLimits {
    /// CPU time of one computation.
    pub cpu_time: Duration,
    /// Memory for large objects, diffs and results, over all computations.
    pub memory_bytes_max: u64,
}

impl Default for ObjectLimits {
    fn default() -> Self {
        Self { cpu_time: BudgetLimits::default().cpu_time, memory_bytes_max: Memory::BYTES_MAX }
    }
}

/// A result, with the memory that is reserved for it.
#[derive(Debug)]
pub struct Large<T> {
    pub value: T,
    /// Released on drop.
    pub reserved: Option<Reserved>,
}

/// The work needs more than the objects in memory.
struct WouldBlock;

/// The objects of all repositories of this node; cheap to clone.
#[derive(Clone)]
pub struct Objects(Arc<Parts>);

struct Parts {
    store: Store,
    repositories: Arc<Repositories>,
    workers: Workers,
    removal_locks: RemovalLocks,
    merge_permits: MergePermits,
    /// The owners of repositories, which never change.
    owners: WeightedCache<RepoId, AccountId>,
}

impl Objects {
    pub fn new(store: Store, repositories: Arc<Repositories>, limits: ObjectLimits) -> Self {
        let memory = Arc::new(Memory::new(limits.memory_bytes_max));
        let limits = BudgetLimits { cpu_time: limits.cpu_time, ..BudgetLimits::default() };
        Self(Arc::new(Parts {
            store,
            repositories,
            workers: Workers::new(limits, memory),
            removal_locks: RemovalLocks::default(),
            merge_permits: MergePermits::default(),
            owners: WeightedCache::new(OWNERS_MAX, 1),
        }))
    }

    /// Runs blocking work on another thread. Waits while too much of it is running.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        self.0.workers.run(work).await.map_err(|error| self.or_lost_copy(error))
    }

    /// Runs `work` over all objects of the repository, within an object budget. Dropping the future cancels the work.
    pub async fn read<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl FnOnce(&Reader<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        Ok(self.read_large(repo, work).await?.value)
    }

    /// As [`Objects::read`], for a result that may be large: its memory stays reserved until it is dropped.
    pub async fn read_large<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl FnOnce(&Reader<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Large<T>> {
        let (objects, handle) = (self.clone(), Handle::current());
        let work = move |budget: &Budget| {
            let repository = objects.repository(repo)?;
            let loose = LooseObjects::new(&objects.0.store, repo, handle);
            let value = work(&repository.reader_within(&loose, budget))?;
            Ok(Large { value, reserved: budget.take_retained() })
        };
        let owner = self.owner_of(repo).await?;
        let ran = self.0.workers.run_within(Subject { repo, owner }, work).await;
        ran.map_err(|error| self.or_lost_copy(error))
    }

    /// Runs `work` with the repository and an object budget, for objects that are not in the repository yet, such as
    /// those of a push. Dropping the future cancels the work.
    pub async fn run_within<T: Send + 'static>(
        &self,
        subject: Subject,
        work: impl FnOnce(&Arc<Repository>, &Budget) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let objects = self.clone();
        let work = move |budget: &Budget| work(&objects.repository(subject.repo)?, budget);
        self.0.workers.run_within(subject, work).await.map_err(|error| self.or_lost_copy(error))
    }

    /// If packs are shared, the copies on this disk can be lost at any time, also while they are used.
    fn or_lost_copy(&self, error: Error) -> Error {
        let is_missing = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::NotFound;
        match error {
            Error::Internal(cause)
                if self.0.repositories.is_shared() && cause.downcast_ref().is_some_and(is_missing) =>
            {
                Error::Unavailable(format!("a copy of a repository on this disk was lost: {cause}"))
            }
            error => error,
        }
    }

    /// As [`Objects::read_large`], for work that merges commits; also returns the new objects. Git merges and sees only
    /// packs, so loose objects are moved into a pack first.
    pub async fn merge<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl FnOnce(&Reader<'_>, &mut Merger<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Large<(T, Vec<Arc<RawObject>>)>> {
        self.flush(repo).await?;
        let owner = self.owner_of(repo).await?;
        let permit = self.0.merge_permits.acquire(owner).await;
        let (objects, handle) = (self.clone(), Handle::current());
        let work = move |repository: &Arc<Repository>, budget: &Budget| {
            let loose = LooseObjects::new(&objects.0.store, repo, handle);
            let reader = repository.reader_within(&loose, budget);
            let mut merger = Merger::new(repository, &reader);
            let value = (work(&reader, &mut merger)?, merger.into_objects()?);
            drop(permit);
            Ok(Large { value, reserved: budget.take_retained() })
        };
        self.run_within(Subject { repo, owner }, work).await
    }

    async fn owner_of(&self, repo: RepoId) -> Result<AccountId> {
        if let Some(owner) = self.0.owners.get(&repo) {
            return Ok(owner);
        }
        let found = store::find_owner(&mut self.0.store.read().await?, repo).await?;
        let owner = found.ok_or(Error::NotFound)?;
        self.0.owners.insert(repo, owner, 1);
        Ok(owner)
    }

    /// As [`Objects::read`], on the current thread if everything is in memory; otherwise `work` runs a second time.
    pub async fn read_fast<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl Fn(&Reader<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        match self.try_read(repo, &work) {
            Ok(outcome) => outcome,
            // Boxed, because it is large and rarely needed.
            Err(WouldBlock) => Box::pin(self.read(repo, work)).await,
        }
    }

    /// As [`Objects::read`], if everything is in memory.
    pub fn read_in_memory<T>(&self, repo: RepoId, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Option<Result<T>> {
        self.try_read(repo, work).ok()
    }

    /// The fast path: runs `work` over objects in memory. It never blocks.
    fn try_read<T>(&self, repo: RepoId, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<Result<T>, WouldBlock> {
        let open = self.0.repositories.get_open(repo).ok_or(WouldBlock)?;
        open.fast_path(work).ok_or(WouldBlock)
    }

    /// The packs of a repository. Creates its directory on first use. Blocks.
    pub fn repository(&self, repo: RepoId) -> Result<Arc<Repository>> {
        match self.0.repositories.get(repo) {
            Err(Error::NotFound) => self.0.repositories.create(repo),
            opened => opened,
        }
    }

    /// Stores new objects durably in the database, without a file for each; they are visible at once.
    pub async fn insert(
        &self,
        authority: impl WriteAuthority,
        repo: RepoId,
        objects: Vec<Arc<RawObject>>,
        now: Timestamp,
    ) -> Result<()> {
        if objects.is_empty() {
            return Ok(());
        }
        let context = (repo, objects, now);
        self.0
            .store
            .write(authority, context, |tx, (repo, objects, now)| Box::pin(store::insert_all(tx, *repo, objects, *now)))
            .await
    }

    /// Stores objects that are too large for the database durably in a pack. Returns those that the caller inserts with
    /// [`store::insert_all`].
    pub async fn store_large(&self, repo: RepoId, objects: Vec<Arc<RawObject>>) -> Result<Vec<Arc<RawObject>>> {
        let bytes: usize = objects.iter().map(|object| object.data().len()).sum();
        if bytes <= LOOSE_BYTES_MAX && objects.len() <= LOOSE_OBJECTS_MAX {
            return Ok(objects);
        }
        let packs = self.clone();
        self.run(move || packs.repository(repo)?.store(&objects)).await?;
        Ok(Vec::new())
    }

    /// Removes the packs of a repository that was deleted from the store, if nodes share them.
    pub async fn remove_packs(&self, repo: RepoId, now: Timestamp) -> Result<()> {
        if self.0.repositories.is_shared() { shared::remove_all(&self.0.store, repo, now).await } else { Ok(()) }
    }

    /// Removes the directory of a repository that was deleted from the store.
    pub async fn remove_repository(&self, repo: RepoId) -> Result<()> {
        // Work that reads the repository later looks for its owner and ends there, before it creates the directory again.
        self.0.owners.remove(&repo);
        let objects = self.clone();
        self.run(move || objects.0.repositories.delete(repo)).await
    }
}
