//! Maintenance of repositories whose packs all nodes share.
//!
//! One node joins packs; every node cares for its own copies. Nothing that is reachable or not is ever removed here: a joined
//! pack has all objects of the packs that it replaces, so it does not matter what other nodes do meanwhile.

use std::collections::BTreeSet;

use super::maintenance::Maintenance;
use super::shared;
use super::store::RepoRefs;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_git::GraphLayers;
use plinth_store::internal_authority;

internal_authority!(
    /// Replaces packs by one that has all their objects.
    Replacement = "maintenance/replace-packs", in_repo
);

impl Maintenance {
    pub(super) async fn maintain_shared(&mut self, repo_refs: RepoRefs, leads: bool) -> Result<()> {
        let repo = repo_refs.repo;
        if leads {
            self.flush_if_due(repo).await?;
            let (packs, _) = shared::store::count(&mut self.objects.0.store.read().await?, repo).await?;
            if usize::try_from(packs).unwrap_or_default() >= self.policy.packs_max {
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
