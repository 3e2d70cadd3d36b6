//! Objects of repositories as the service uses them: the packs on disk, and beside them the small objects that only
//! the store holds yet. Here work that blocks leaves the asynchronous world, and nowhere else.

mod flush;
mod gate;
mod loose_objects;
mod maintenance;
pub mod store;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::RwLockReadGuard;

use gate::Gates;
use loose_objects::LooseObjects;
pub use maintenance::{GcRoots, Maintenance, Policy};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_git::{Budget, BudgetLimits, Memory, RawObject, Reader, Repositories, Repository, Reserved};
use plinth_store::{Store, WriteAuthority};
use workers::Workers;

/// What operators decide about work over objects.
#[derive(Debug, Clone, Copy)]
pub struct ObjectLimits {
    /// CPU time of one computation.
    pub cpu_time: Duration,
    /// Memory for large objects, differences and results, over all computations.
    pub memory_bytes_max: u64,
}

impl Default for ObjectLimits {
    fn default() -> Self {
        Self { cpu_time: BudgetLimits::default().cpu_time, memory_bytes_max: Memory::BYTES_MAX }
    }
}

/// A result, with what it takes of the memory for large ones.
#[derive(Debug)]
pub struct Large<T> {
    pub value: T,
    /// Given back when it is dropped.
    pub reserved: Option<Reserved>,
}

/// All objects of all repositories of this node; cheap to clone.
#[derive(Clone)]
pub struct Objects(Arc<Parts>);

struct Parts {
    store: Store,
    repositories: Arc<Repositories>,
    workers: Workers,
    gates: Gates,
}

impl Objects {
    /// With the limits that the operator has set for work over objects.
    pub fn new(store: Store, repositories: Arc<Repositories>, limits: ObjectLimits) -> Self {
        let memory = Arc::new(Memory::new(limits.memory_bytes_max));
        let limits = BudgetLimits { cpu_time: limits.cpu_time, ..BudgetLimits::default() };
        Self(Arc::new(Parts { store, repositories, workers: Workers::new(limits, memory), gates: Gates::default() }))
    }

    /// Runs work that blocks on a thread of its own. Waits where too much of it is under way already.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        self.0.workers.run(work).await
    }

    /// Runs `work` over everything that the repository has, packed or not, within a budget. The work ends when
    /// nobody waits for it any more.
    pub async fn read<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl FnOnce(&Reader<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        Ok(self.read_large(repo, work).await?.value)
    }

    /// As [`Objects::read`], for a result that may be large: the memory it takes is counted until it is dropped.
    pub async fn read_large<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl FnOnce(&Reader<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Large<T>> {
        let (objects, handle) = (self.clone(), Handle::current());
        let work = move |budget: &Budget| {
            let repository = objects.repository(repo)?;
            let beside = LooseObjects::new(&objects.0.store, repo, handle);
            let value = work(&repository.reader_within(&beside, budget))?;
            Ok(Large { value, reserved: budget.take_retained() })
        };
        self.0.workers.run_within(repo, work).await
    }

    /// A budget for work on the thread of its caller, which has a limit of its own, such as a push.
    pub fn budget_of(&self, repo: RepoId) -> Budget {
        self.0.workers.budget_of(repo)
    }

    /// As [`Objects::read`], here and now where everything is in memory; `work` may run twice.
    pub async fn look<T: Send + 'static>(
        &self,
        repo: RepoId,
        work: impl Fn(&Reader<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        match self.fast_path(repo, &work) {
            Some(outcome) => outcome,
            None => self.read(repo, work).await,
        }
    }

    /// Runs `work` over what is in memory; nothing if that takes more than a fast_path. It never blocks.
    pub fn fast_path<T>(&self, repo: RepoId, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Option<Result<T>> {
        self.0.repositories.get_open(repo)?.fast_path(work)
    }

    /// The packs of a repository. Its folder is made when it is first asked for; call this where blocking is fine.
    pub fn repository(&self, repo: RepoId) -> Result<Arc<Repository>> {
        match self.0.repositories.get(repo) {
            Err(Error::NotFound) => self.0.repositories.create(repo),
            opened => opened,
        }
    }

    /// Holds back the removal of objects for as long as the guard lives.
    ///
    /// Whoever judges an object and then names it, by a reference or from another object, holds this from the
    /// first look to the commit: what was there then is there afterwards.
    pub async fn hold(&self, repo: RepoId) -> RwLockReadGuard<'_, ()> {
        self.0.gates.hold(repo).await
    }

    /// Keeps new objects durably without a file for each; they are visible at once.
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

    /// Removes the folder of a repository that is in the store no more.
    pub async fn remove_repository(&self, repo: RepoId) -> Result<()> {
        let objects = self.clone();
        self.run(move || objects.0.repositories.delete(repo)).await
    }
}
