//! Keeps those who name objects and those who remove them apart.

use tokio::sync::{RwLock, RwLockReadGuard};

use crate::ids::RepoId;

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

    fn gate(&self, repo: RepoId) -> &RwLock<()> {
        &self.0[usize::try_from(repo.0).unwrap_or_default() % GATES]
    }
}
