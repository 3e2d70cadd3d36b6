//! Maintenance of repositories: joins packs, removes unreachable objects and writes commit-graphs.
//!
//! Readers and writers continue meanwhile, except for the moment in which superseded packs are removed.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::RwLockWriteGuard;

use super::Objects;
use super::store::{self, RepoRefs};
use crate::refs;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_git::{GraphLayers, Superseded};
use plinth_store::Connection;

/// Lists the garbage-collection roots of a repository besides its refs.
pub type GcRoots = for<'a> fn(&'a mut Connection, RepoId) -> BoxFuture<'a, Result<Vec<Sha>>>;

/// When maintenance does what.
#[derive(Debug, Clone)]
pub struct Policy {
    pub interval: Duration,
    /// Loose objects are flushed into a pack if there are so many, or if one is so old.
    pub waiting_objects_max: i64,
    pub waiting_seconds_max: i64,
    /// Small packs are joined if there are so many.
    pub packs_max: usize,
    /// Unreachable objects are kept for so long.
    pub grace: Duration,
    /// A repository is repacked if so many packs are older than the grace time.
    pub old_packs_max: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(60),
            waiting_objects_max: 500,
            waiting_seconds_max: 600,
            packs_max: 16,
            grace: Duration::from_secs(14 * 24 * 60 * 60),
            old_packs_max: 1,
        }
    }
}

const REPOS_PER_BATCH: i64 = 200;
const REFS_PER_BATCH: i64 = 10_000;
/// Attempts to get the removal lock before the removal waits for the next round, and the time between them.
const LOCK_ATTEMPTS: u32 = 50;
const LOCK_INTERVAL: Duration = Duration::from_millis(20);
/// Attempts of a purge, each with that many attempts to get the lock.
const PURGE_ATTEMPTS: u32 = 30;

/// The outcome of repacking a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repacked {
    /// Every object is reachable or young.
    Unchanged,
    /// Operations or a backup hold the locks.
    Busy,
    Removed,
}

/// The background task that maintains all repositories, one after another.
pub struct Maintenance {
    pub(super) objects: Objects,
    pub(super) clock: Clock,
    pub(super) gc_roots: &'static [GcRoots],
    pub(super) policy: Policy,
    /// The ref generation for which this process last wrote each commit-graph.
    pub(super) graphs: HashMap<RepoId, i64>,
}

impl Maintenance {
    pub fn new(objects: Objects, clock: Clock, gc_roots: &'static [GcRoots], policy: Policy) -> Self {
        Self { objects, clock, gc_roots, policy, graphs: HashMap::new() }
    }

    /// Runs rounds until the task is dropped.
    pub async fn run(mut self) {
        loop {
            tokio::time::sleep(self.policy.interval).await;
            if let Err(error) = self.round().await {
                tracing::warn!(%error, "a maintenance round failed");
            }
        }
    }

    /// Maintains every repository once. An error in one does not affect the others.
    pub async fn round(&mut self) -> Result<()> {
        let objects = self.objects.clone();
        self.objects.run(move || objects.0.repositories.delete_marked()).await?;
        let (is_shared, leads) = (self.objects.0.repositories.is_shared(), self.objects.0.store.leads());
        let mut after = RepoId(0);
        loop {
            let mut db = self.objects.0.store.read().await?;
            let batch = store::list_repos(&mut db, after, REPOS_PER_BATCH).await?;
            drop(db);
            let Some(last) = batch.last() else { return Ok(()) };
            after = last.repo;
            for repo_refs in batch {
                let maintained = match is_shared {
                    true => self.maintain_shared(repo_refs, leads).await,
                    false => self.maintain(repo_refs).await,
                };
                if let Err(error) = maintained {
                    tracing::warn!(%error, repo = %repo_refs.repo, "could not maintain a repository");
                }
            }
        }
    }

    async fn maintain(&mut self, repo_refs: RepoRefs) -> Result<()> {
        let repo = repo_refs.repo;
        self.flush_if_due(repo).await?;
        let (objects, grace) = (self.objects.clone(), self.policy.grace);
        let counted = self.objects.run(move || {
            let repository = objects.0.repositories.get(repo)?;
            Ok((repository.pack_count()?, repository.pack_count_older_than(grace)?, repository.has_commit_graph()))
        });
        let (packs, old_packs, has_graph) = match counted.await {
            // It never had an object.
            Err(Error::NotFound) => return Ok(()),
            counted => counted?,
        };
        let mut has_removed = false;
        if old_packs >= self.policy.old_packs_max {
            has_removed = self.repack(repo).await? == Repacked::Removed;
        } else if packs >= self.policy.packs_max {
            self.combine(repo).await?;
        }
        let written = self.graphs.get(&repo).copied();
        let is_outdated = written.map_or(!has_graph, |written| written != repo_refs.ref_generation);
        if has_removed {
            self.write_graph(repo, GraphLayers::Replace).await?;
        } else if packs > 0 && is_outdated {
            self.write_graph(repo, GraphLayers::Keep).await?;
        }
        self.graphs.insert(repo, repo_refs.ref_generation);
        Ok(())
    }

    pub(super) async fn flush_if_due(&self, repo: RepoId) -> Result<()> {
        let mut db = self.objects.0.store.read().await?;
        let (count, oldest) = store::count_waiting(&mut db, repo).await?;
        drop(db);
        let waited = oldest.map_or(0, |oldest| self.clock.now().0 - oldest.0);
        if count >= self.policy.waiting_objects_max || waited > self.policy.waiting_seconds_max {
            self.objects.flush(repo).await?;
        }
        Ok(())
    }

    async fn combine(&self, repo: RepoId) -> Result<()> {
        let objects = self.objects.clone();
        self.objects
            .run(move || {
                let repository = objects.repository(repo)?;
                let superseded = repository.combine_small_packs()?;
                // Every object is in the new pack as well, so readers do not need the old ones. A running backup does:
                // then the next round removes them.
                match objects.0.repositories.try_removals()? {
                    Some(_permit) => repository.remove(&superseded, &[]),
                    None => Ok(false),
                }
            })
            .await?;
        Ok(())
    }

    /// Removes all unreachable objects, however young; returns whether there were any.
    pub async fn purge(&self, repo: RepoId) -> Result<bool> {
        let policy = Policy { grace: Duration::ZERO, ..self.policy.clone() };
        let purging = Self::new(self.objects.clone(), self.clock.clone(), self.gc_roots, policy);
        for _ in 0..PURGE_ATTEMPTS {
            let repacked = match self.objects.0.repositories.is_shared() {
                true => purging.collect_shared(repo).await?,
                false => purging.repack(repo).await?,
            };
            match repacked {
                Repacked::Busy => {}
                Repacked::Unchanged => return Ok(false),
                Repacked::Removed => {
                    purging.write_graph(repo, GraphLayers::Replace).await?;
                    return Ok(true);
                }
            }
        }
        Err(Error::Unavailable("the repository is too busy to remove anything from it; try again".into()))
    }

    /// Packs reachable and young objects, then removes the old packs under the removal lock.
    async fn repack(&self, repo: RepoId) -> Result<Repacked> {
        self.objects.flush(repo).await?;
        let tips = self.tips(repo).await?;
        let (objects, grace) = (self.objects.clone(), self.policy.grace);
        let superseded = self.objects.run(move || objects.repository(repo)?.repack(&tips, grace)).await?;
        if superseded.is_empty() {
            return Ok(Repacked::Unchanged);
        }
        match self.lock_for_removal(repo).await {
            Some(_lock) => self.remove(repo, superseded).await,
            None => Ok(Repacked::Busy),
        }
    }

    /// Waits a while for operations of this node that rely on objects.
    pub(super) async fn lock_for_removal(&self, repo: RepoId) -> Option<RwLockWriteGuard<'_, ()>> {
        for _ in 0..LOCK_ATTEMPTS {
            if let Some(lock) = self.objects.0.removal_locks.try_begin_removal(repo) {
                return Some(lock);
            }
            tokio::time::sleep(LOCK_INTERVAL).await;
        }
        tracing::debug!(%repo, "the repository is busy; superseded packs stay until the next round");
        None
    }

    async fn remove(&self, repo: RepoId, superseded: Superseded) -> Result<Repacked> {
        // New loose objects may refer to objects that are about to be removed. Once they are in a pack, git sees them.
        self.objects.flush(repo).await?;
        let tips = self.tips(repo).await?;
        let objects = self.objects.clone();
        let removed = self.objects.run(move || match objects.0.repositories.try_removals()? {
            Some(_permit) => objects.repository(repo)?.remove(&superseded, &tips),
            // A backup is running; the next round tries again.
            None => Ok(false),
        });
        let removed = removed.await?;
        tracing::info!(%repo, removed, "repacked a repository");
        Ok(if removed { Repacked::Removed } else { Repacked::Busy })
    }

    pub(super) async fn write_graph(&self, repo: RepoId, layers: GraphLayers) -> Result<()> {
        // Git sees only commits that are in packs.
        self.objects.flush(repo).await?;
        let tips = self.tips(repo).await?;
        let objects = self.objects.clone();
        self.objects.run(move || objects.repository(repo)?.write_commit_graph(&tips, layers)).await
    }

    pub(super) async fn tips(&self, repo: RepoId) -> Result<Vec<Sha>> {
        list_tips(&mut self.objects.0.store.read().await?, repo, self.gc_roots).await
    }
}

/// All garbage-collection roots: the targets of refs, and the roots of other areas.
pub(super) async fn list_tips(db: &mut Connection, repo: RepoId, gc_roots: &[GcRoots]) -> Result<Vec<Sha>> {
    let mut tips = Vec::new();
    let mut after = String::new();
    loop {
        let batch = refs::store::list(db, repo, "", &after, REFS_PER_BATCH).await?;
        let Some(last) = batch.last() else { break };
        after = last.name.to_string();
        tips.extend(batch.iter().map(|reference| reference.target));
    }
    for roots in gc_roots {
        tips.extend(roots(db, repo).await?);
    }
    tips.sort_unstable();
    tips.dedup();
    Ok(tips)
}
