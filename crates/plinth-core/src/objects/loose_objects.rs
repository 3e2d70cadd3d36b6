//! The database table of loose objects as an object source for readers.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::store;
use crate::refs;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::{ObjectSource, RawObject};
use plinth_store::Store;

/// Refs whose targets must exist when another object is not found.
const WITNESSES_MAX: i64 = 16;
/// Refs that are searched for one that points at an object; `plinth verify` checks all.
const REFS_SEARCHED_MAX: i64 = 10_000;

/// Objects of one repository that are not in a pack yet. Its methods block, so use it on blocking threads only.
pub struct LooseObjects<'a> {
    store: &'a Store,
    repo: RepoId,
    handle: Handle,
}

impl<'a> LooseObjects<'a> {
    pub fn new(store: &'a Store, repo: RepoId, handle: Handle) -> Self {
        Self { store, repo, handle }
    }
}

impl ObjectSource for LooseObjects<'_> {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        self.handle.block_on(async {
            let mut db = self.store.read().await?;
            let found = store::find(&mut db, self.repo, *sha).await?;
            found.map(|stored| stored.into_object().map(Arc::new)).transpose()
        })
    }

    fn required(&self, sha: &Sha) -> Result<Vec<Sha>> {
        self.handle.block_on(async {
            let mut db = self.store.read().await?;
            let mut required: Vec<Sha> = refs::store::list(&mut db, self.repo, "", "", WITNESSES_MAX)
                .await?
                .into_iter()
                .map(|reference| reference.target)
                .collect();
            if refs::store::is_target(&mut db, self.repo, *sha, REFS_SEARCHED_MAX).await? {
                required.push(*sha);
            }
            required.sort_unstable();
            required.dedup();
            Ok(required)
        })
    }
}
