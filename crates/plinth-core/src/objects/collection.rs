//! Guards against the removal of unreachable objects, by this node or another one.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::RwLockReadGuard;

use super::{Objects, shared};
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_store::{CollectionGuard, find_collection};

/// How long an operation waits for others that rely on objects from before a collection, and how often it looks.
const UPDATE_ATTEMPTS: u32 = 250;
const UPDATE_INTERVAL: Duration = Duration::from_millis(20);

/// Nobody removes the objects that its owner has found, or its owner's transaction fails.
pub struct RemovalGuard<'a> {
    _lock: RwLockReadGuard<'a, ()>,
    _collection: Option<CollectionGuard>,
}

impl Objects {
    /// Prevents the removal of objects while the guard lives.
    ///
    /// An operation that checks an object and then refers to it, by a ref or from another object, holds the guard from
    /// the check to the commit, so that garbage collection cannot remove the object in between. If another node does, the
    /// transaction fails.
    pub async fn prevent_removal(&self, repo: RepoId) -> Result<RemovalGuard<'_>> {
        let lock = self.0.removal_locks.prevent_removal(repo).await;
        let collection = match self.0.repositories.is_shared() {
            true => Some(self.enter_collection(repo).await?),
            false => None,
        };
        Ok(RemovalGuard { _lock: lock, _collection: collection })
    }

    async fn enter_collection(&self, repo: RepoId) -> Result<CollectionGuard> {
        let collections = self.0.store.collections();
        for _ in 0..UPDATE_ATTEMPTS {
            if let Some(guard) = collections.enter(repo) {
                return Ok(guard);
            }
            if let Some(update) = collections.begin_update(repo) {
                // Read before the packs: if another collection comes in between, the transaction will fail.
                let number = find_collection(&mut self.0.store.read().await?, repo).await?;
                self.forget_collected(repo).await?;
                return Ok(update.finish(number));
            }
            tokio::time::sleep(UPDATE_INTERVAL).await;
        }
        Err(Error::Unavailable("unreachable objects of this repository were just removed; try again".into()))
    }

    /// Removes packs from this disk that were replaced, with the objects that only they have. Fetches those that replace them
    /// first.
    pub(super) async fn forget_collected(&self, repo: RepoId) -> Result<()> {
        let packs = shared::store::list(&mut self.0.store.read().await?, repo).await?;
        let current: BTreeSet<String> = packs.into_iter().map(|pack| pack.0.name).collect();
        let objects = self.clone();
        self.run(move || {
            if !objects.0.repositories.has_directory(repo)? {
                return Ok(());
            }
            let repository = objects.repository(repo)?;
            if repository.pack_names()?.is_subset(&current) {
                return Ok(());
            }
            repository.complete()?;
            repository.retain_packs(&current).map(drop)
        })
        .await
    }
}
