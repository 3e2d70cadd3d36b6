//! Keeps those who name objects and those who remove them apart.

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use plinth_base::ids::RepoId;

/// Repositories share gates; a removal is short, so a neighbour waits little.
const GATES: usize = 64;

/// Many may name objects at once; whoever removes some is alone.
pub struct Gates([RwLock<()>; GATES]);

impl Default for Gates {
    fn default() -> Self {
        Self(std::array::from_fn(|_| RwLock::default()))
    }
}

impl Gates {
    pub async fn hold(&self, repo: RepoId) -> RwLockReadGuard<'_, ()> {
        self.gate(repo).read().await
    }

    /// Closes the gate if nobody is inside. Waiting in line for it would hold back all who come later.
    pub fn try_close(&self, repo: RepoId) -> Option<RwLockWriteGuard<'_, ()>> {
        self.gate(repo).try_write().ok()
    }

    fn gate(&self, repo: RepoId) -> &RwLock<()> {
        &self.0[usize::try_from(repo.0).unwrap_or_default() % GATES]
    }
}
