//! Locks between operations that refer to objects and maintenance that removes objects.

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use plinth_base::ids::RepoId;

/// Repositories share locks. A removal is short, so other repositories with the same lock do not wait long.
const LOCKS: usize = 64;

/// Operations share a lock; a removal holds it exclusively.
pub struct RemovalLocks([RwLock<()>; LOCKS]);

impl Default for RemovalLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| RwLock::default()))
    }
}

impl RemovalLocks {
    /// Prevents removals while the guard lives.
    pub async fn prevent_removal(&self, repo: RepoId) -> RwLockReadGuard<'_, ()> {
        self.lock_of(repo).read().await
    }

    /// Locks for a removal, unless an operation holds the lock. Waiting would block all later operations.
    pub fn try_begin_removal(&self, repo: RepoId) -> Option<RwLockWriteGuard<'_, ()>> {
        self.lock_of(repo).try_write().ok()
    }

    fn lock_of(&self, repo: RepoId) -> &RwLock<()> {
        &self.0[usize::try_from(repo.0).unwrap_or_default() % LOCKS]
    }
}
