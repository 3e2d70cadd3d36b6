//! Objects that stay because a pull request needs them.

use futures_util::future::BoxFuture;

use super::store;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_store::Connection;

/// The commits of all versions, and those that comments were written on: without them a comment that was forced away
/// could neither be shown in its diff nor come back.
pub fn gc_roots(db: &mut Connection, repo: RepoId) -> BoxFuture<'_, Result<Vec<Sha>>> {
    Box::pin(async move {
        let held = store::list_gc_roots(db, repo).await?;
        Ok(held.into_iter().map(|(sha,)| sha).collect())
    })
}
