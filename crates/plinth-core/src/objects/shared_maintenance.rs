//! Maintenance of repositories whose packs all nodes share.
//!
//! One node joins packs and removes unreachable objects; every node cares for its own copies. A joined pack has all objects of the
//! packs that it replaces, so it does not matter what other nodes do meanwhile. Unreachable objects are removed in a transaction
//! that finds everything as it was when their removal was checked; operations of other nodes that rely on these objects then
//! fail, since the number of collections has changed (docs/decisions/0167-collection-across-nodes.md).

use std::collections::BTreeSet;

use super::maintenance::{Maintenance, Repacked};
use super::store::{self, RepoRefs};
use super::{shared, shared::store::DatedPack};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_git::{GraphLayers, Superseded};
use plinth_store::{Transaction, count_collection, internal_authority};

/// How often a removal is checked again because something has changed.
const REMOVAL_ATTEMPTS: u32 = 10;

internal_authority!(
    /// Replaces packs by one that has all their objects, or all that are needed.
    Replacement = "maintenance/replace-packs", in_repo
);

/// A repository as a removal was checked for.
struct Checked {
    repo: RepoId,
    packs: Vec<DatedPack>,
    tips: Vec<Sha>,
    /// The packs to remove.
    old: Vec<String>,
    now: Timestamp,
}

impl Maintenance {
    pub(super) async fn maintain_shared(&mut self, repo_refs: RepoRefs, leads: bool) -> Result<()> {
        let repo = repo_refs.repo;
        if leads {
            self.flush_if_due(repo).await?;
            let packs = shared::store::list_dated(&mut self.objects.0.store.read().await?, repo).await?;
            if self.old_packs(&packs).len() >= self.policy.old_packs_max {
                self.collect_shared(repo).await?;
            } else if packs.len() >= self.policy.packs_max {
                self.join_shared(repo).await?;
            }
        }
        // Only of repositories that are used on this node.
        let Some(open) = self.objects.0.repositories.get_open(repo) else { return Ok(()) };
        let written = self.graphs.get(&repo).copied();
        let is_outdated = written.map_or(!open.has_commit_graph(), |written| written != repo_refs.ref_generation);
        drop(open);
        if is_outdated {
            self.write_graph(repo, GraphLayers::Keep).await?;
        }
        self.graphs.insert(repo, repo_refs.ref_generation);
        Ok(())
    }

    fn old_packs(&self, packs: &[DatedPack]) -> BTreeSet<String> {
        let grace = i64::try_from(self.policy.grace.as_secs()).unwrap_or(i64::MAX / 2);
        let until = self.clock.now().plus_seconds(-grace);
        packs.iter().filter(|(_, time)| *time <= until).map(|(name, _)| name.clone()).collect()
    }

    /// Packs what is reachable or young again, and removes the old packs with everything else in them.
    pub(super) async fn collect_shared(&self, repo: RepoId) -> Result<Repacked> {
        self.objects.flush(repo).await?;
        self.objects.forget_collected(repo).await?;
        let packs = shared::store::list_dated(&mut self.objects.0.store.read().await?, repo).await?;
        let old = self.old_packs(&packs);
        let (tips, objects, names) = (self.tips(repo).await?, self.objects.clone(), old.clone());
        let superseded = self.objects.run(move || objects.repository(repo)?.repack_named(&tips, &names)).await?;
        if superseded.is_empty() {
            // Everything is reachable. It is checked again after another grace period.
            self.touch(repo, old).await?;
            return Ok(Repacked::Unchanged);
        }
        for _ in 0..REMOVAL_ATTEMPTS {
            // Operations of this node wait for a moment, instead of failing.
            let Some(_lock) = self.lock_for_removal(repo).await else { return Ok(Repacked::Busy) };
            match self.remove_shared(repo, &superseded).await? {
                Some(outcome) => return Ok(outcome),
                None => tracing::debug!(%repo, "the repository has changed; its removal is checked again"),
            }
        }
        Ok(Repacked::Busy)
    }

    /// Checks that nothing needs the superseded packs, and removes them. `None` if something has changed meanwhile.
    async fn remove_shared(&self, repo: RepoId, superseded: &Superseded) -> Result<Option<Repacked>> {
        self.objects.flush(repo).await?;
        self.objects.forget_collected(repo).await?;
        let packs = shared::store::list_dated(&mut self.objects.0.store.read().await?, repo).await?;
        let tips = self.tips(repo).await?;
        let (objects, checked, tips_then) = (self.objects.clone(), superseded.clone(), tips.clone());
        let names: BTreeSet<String> = packs.iter().map(|(name, _)| name.clone()).collect();
        let is_complete = self.objects.run(move || {
            let repository = objects.repository(repo)?;
            // Packs that others have added or removed since are not what was listed.
            Ok((repository.pack_names()? == names).then(|| repository.is_complete_without(&checked, &tips_then)))
        });
        match is_complete.await?.transpose()? {
            None => return Ok(None),
            // Something refers to an object that was unreachable. The next round packs it.
            Some(false) => return Ok(Some(Repacked::Busy)),
            Some(true) => {}
        }
        let gc_roots = self.gc_roots;
        let checked = Checked { repo, packs, tips, old: superseded.names(), now: self.clock.now() };
        let removed = self.objects.0.store.write(Replacement(repo), checked, move |tx, checked| {
            Box::pin(async move {
                let tips = super::maintenance::list_tips(tx, checked.repo, gc_roots).await?;
                let (loose, _) = store::count_waiting(tx, checked.repo).await?;
                let packs = shared::store::list_dated(tx, checked.repo).await?;
                if loose > 0 || tips != checked.tips || packs != checked.packs {
                    return Ok(false);
                }
                remove_all(tx, checked).await?;
                Ok(true)
            })
        });
        if !removed.await? {
            return Ok(None);
        }
        self.objects.0.store.collections().outdate(repo);
        self.objects.forget_collected(repo).await?;
        tracing::info!(%repo, packs = superseded.names().len(), "removed unreachable objects");
        Ok(Some(Repacked::Removed))
    }

    async fn touch(&self, repo: RepoId, names: BTreeSet<String>) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let context = (repo, names, self.clock.now());
        let touched = self.objects.0.store.write(Replacement(repo), context, |tx, (repo, names, now)| {
            Box::pin(async move {
                for name in names {
                    shared::store::set_time(tx, *repo, name, *now).await?;
                }
                Ok(())
            })
        });
        touched.await
    }

    /// Joins small packs, and replaces them on all nodes.
    pub(super) async fn join_shared(&self, repo: RepoId) -> Result<()> {
        self.objects.flush(repo).await?;
        let packs = shared::store::list(&mut self.objects.0.store.read().await?, repo).await?;
        let current: BTreeSet<String> = packs.into_iter().map(|pack| pack.0.name).collect();
        let objects = self.objects.clone();
        let join = move || objects.repository(repo)?.combine_small_packs_of(&|name| current.contains(name));
        let superseded = self.objects.run(join).await?;
        let Some(new) = superseded.replacement().filter(|_| !superseded.is_empty()) else { return Ok(()) };
        let context = (repo, new, superseded.names(), self.clock.now());
        let replaced = self.objects.0.store.write(Replacement(repo), context, |tx, (repo, new, old, now)| {
            Box::pin(async move {
                if !shared::store::exists(tx, *repo, new).await? {
                    return Err(Error::Unavailable("the joined pack was replaced meanwhile".into()));
                }
                // Objects that nothing reaches do not get younger by being packed again.
                let packs = shared::store::list_dated(tx, *repo).await?;
                let newest = packs.iter().filter(|(name, _)| old.contains(name)).map(|(_, time)| *time).max();
                if let Some(newest) = newest {
                    shared::store::set_time(tx, *repo, new, newest).await?;
                }
                for name in old {
                    shared::store::remove(tx, *repo, name, *now).await?;
                }
                Ok(())
            })
        });
        replaced.await?;
        tracing::info!(%repo, packs = superseded.names().len(), "joined packs");
        Ok(())
    }
}

async fn remove_all(tx: &mut Transaction, checked: &Checked) -> Result<()> {
    for name in &checked.old {
        shared::store::remove(tx, checked.repo, name, checked.now).await?;
    }
    Ok(count_collection(tx, checked.repo).await?)
}
