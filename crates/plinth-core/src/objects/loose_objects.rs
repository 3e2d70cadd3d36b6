//! The table of small objects as a source that git's readers understand.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::store;
use crate::refs;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::{ObjectSource, RawObject};
use plinth_store::Store;

/// References whose objects are looked for where another object is not found.
const WITNESSES_MAX: i64 = 16;
/// References that are searched for one that names an object; `plinth verify` looks at all.
const REFS_SEARCHED_MAX: i64 = 10_000;

/// Objects of one repository that are in no pack yet. Asking blocks, so it happens behind the doorway only.
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
