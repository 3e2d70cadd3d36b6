//! Keeping repositories quick: few packs, none of them full of what nothing reaches, and a commit-graph.
//!
//! Nothing here stops readers or writers, but for the moment in which superseded packs are removed.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::Objects;
use super::store::{self, Tended};
use crate::refs;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_git::{GraphLayers, Superseded};
use plinth_store::Connection;

/// Tells the objects of a repository that must stay although no reference reaches them.
pub type GcRoots = for<'a> fn(&'a mut Connection, RepoId) -> BoxFuture<'a, Result<Vec<Sha>>>;

/// When something is worth doing.
#[derive(Debug, Clone)]
pub struct Policy {
    pub interval: Duration,
    /// Objects in the store move into a pack when there are so many, or when one has waited so long.
    pub waiting_objects_max: i64,
    pub waiting_seconds_max: i64,
    /// Small packs are joined when a reader would have to look through so many.
    pub packs_max: usize,
    /// What nothing reaches stays for so long.
    pub grace: Duration,
    /// A repository is looked at, and packed anew where that helps, when so many packs are older than the grace time.
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
/// How often, and how long apart, the gate is tried before upkeep leaves it for the next round.
const GATE_TRIES: u32 = 50;
const GATE_PAUSE: Duration = Duration::from_millis(20);

/// Attempts to remove at once what nothing reaches, each with as many tries at the gate.
const PURGE_TRIES: u32 = 30;

/// What packing a repository anew has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repacked {
    /// Every object is still needed.
    Unchanged,
    /// Somebody is about to need what would be removed.
    Busy,
    Removed,
}

/// The task that tends all repositories, one after another.
pub struct Maintenance {
    objects: Objects,
    clock: Clock,
    holders: &'static [GcRoots],
    policy: Policy,
    /// The generation of references that each commit-graph knows, as far as this process wrote it.
    graphs: HashMap<RepoId, i64>,
}

impl Maintenance {
    pub fn new(objects: Objects, clock: Clock, holders: &'static [GcRoots], policy: Policy) -> Self {
        Self { objects, clock, holders, policy, graphs: HashMap::new() }
    }

    /// Goes round for ever.
    pub async fn run(mut self) {
        loop {
            tokio::time::sleep(self.policy.interval).await;
            if let Err(error) = self.round().await {
                tracing::warn!(%error, "a round of upkeep broke off");
            }
        }
    }

    /// Tends every repository once. A fault in one does not keep the others waiting.
    pub async fn round(&mut self) -> Result<()> {
        let objects = self.objects.clone();
        self.objects.run(move || objects.0.repositories.delete_marked()).await?;
        let mut after = RepoId(0);
        loop {
            let mut db = self.objects.0.store.read().await?;
            let batch = store::list_repos(&mut db, after, REPOS_PER_BATCH).await?;
            drop(db);
            let Some(last) = batch.last() else { return Ok(()) };
            after = last.repo;
            for tended in batch {
                if let Err(error) = self.tend(tended).await {
                    tracing::warn!(%error, repo = %tended.repo, "upkeep of a repository failed");
                }
            }
        }
    }

    async fn tend(&mut self, tended: Tended) -> Result<()> {
        let repo = tended.repo;
        self.flush_if_due(repo).await?;
        let (objects, grace) = (self.objects.clone(), self.policy.grace);
        let counted = self.objects.run(move || {
            let repository = objects.0.repositories.get(repo)?;
            Ok((repository.pack_count()?, repository.pack_count_older_than(grace)?, repository.has_commit_graph()))
        });
        let (packs, old_packs, has_graph) = match counted.await {
            // Nothing was ever put into it.
            Err(Error::NotFound) => return Ok(()),
            counted => counted?,
        };
        let mut lost_objects = false;
        if old_packs >= self.policy.old_packs_max {
            lost_objects = self.repack(repo).await? == Repacked::Removed;
        } else if packs >= self.policy.packs_max {
            self.combine(repo).await?;
        }
        let written = self.graphs.get(&repo).copied();
        let is_outdated = written.map_or(!has_graph, |written| written != tended.ref_generation);
        if lost_objects {
            self.write_graph(repo, GraphLayers::Replace).await?;
        } else if packs > 0 && is_outdated {
            self.write_graph(repo, GraphLayers::Keep).await?;
        }
        self.graphs.insert(repo, tended.ref_generation);
        Ok(())
    }

    async fn flush_if_due(&self, repo: RepoId) -> Result<()> {
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
                // Every object is in the new pack as well, so nobody can miss the old ones, but for a backup that is
                // being made: the next round finds them again.
                match objects.0.repositories.try_removals()? {
                    Some(_permit) => repository.remove(&superseded, &[]),
                    None => Ok(false),
                }
            })
            .await?;
        Ok(())
    }

    /// Removes what nothing reaches, however young it is; tells whether there was anything.
    pub async fn purge(&self, repo: RepoId) -> Result<bool> {
        let policy = Policy { grace: Duration::ZERO, ..self.policy.clone() };
        let purging = Self::new(self.objects.clone(), self.clock.clone(), self.holders, policy);
        for _ in 0..PURGE_TRIES {
            match purging.repack(repo).await? {
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

    /// Packs what is needed anew, then removes the rest while nobody can begin to need it.
    async fn repack(&self, repo: RepoId) -> Result<Repacked> {
        self.objects.flush(repo).await?;
        let tips = self.tips(repo).await?;
        let (objects, grace) = (self.objects.clone(), self.policy.grace);
        let superseded = self.objects.run(move || objects.repository(repo)?.repack(&tips, grace)).await?;
        if superseded.is_empty() {
            return Ok(Repacked::Unchanged);
        }
        for _ in 0..GATE_TRIES {
            if let Some(_closed) = self.objects.0.gates.try_close(repo) {
                return self.remove(repo, superseded).await;
            }
            tokio::time::sleep(GATE_PAUSE).await;
        }
        tracing::debug!(%repo, "superseded packs stay for another round: the repository is busy");
        Ok(Repacked::Busy)
    }

    async fn remove(&self, repo: RepoId, superseded: Superseded) -> Result<Repacked> {
        // Objects that were made meanwhile may lean on what is about to go: in a pack, they are seen.
        self.objects.flush(repo).await?;
        let tips = self.tips(repo).await?;
        let objects = self.objects.clone();
        let removed = self.objects.run(move || match objects.0.repositories.try_removals()? {
            Some(_permit) => objects.repository(repo)?.remove(&superseded, &tips),
            // A backup is being made; the next round tries again.
            None => Ok(false),
        });
        let removed = removed.await?;
        tracing::info!(%repo, removed, "packed a repository anew");
        Ok(if removed { Repacked::Removed } else { Repacked::Busy })
    }

    async fn write_graph(&self, repo: RepoId, layers: GraphLayers) -> Result<()> {
        // Git can only see commits that are in packs.
        self.objects.flush(repo).await?;
        let tips = self.tips(repo).await?;
        let objects = self.objects.clone();
        self.objects.run(move || objects.repository(repo)?.write_commit_graph(&tips, layers)).await
    }

    /// Everything that must stay, with all that it reaches.
    async fn tips(&self, repo: RepoId) -> Result<Vec<Sha>> {
        let mut tips = Vec::new();
        let mut after = String::new();
        let mut db = self.objects.0.store.read().await?;
        loop {
            let batch = refs::store::list(&mut db, repo, "", &after, REFS_PER_BATCH).await?;
            let Some(last) = batch.last() else { break };
            after = last.name.to_string();
            tips.extend(batch.iter().map(|reference| reference.target));
        }
        for holder in self.holders {
            tips.extend(holder(&mut db, repo).await?);
        }
        tips.sort_unstable();
        tips.dedup();
        Ok(tips)
    }
}
