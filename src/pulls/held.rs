//! Objects that stay because a pull request needs them.

use futures_util::future::BoxFuture;

use super::store;
use crate::db::Connection;
use crate::error::Result;
use crate::ids::{RepoId, Sha};

/// The commits of all versions, and those that comments were written on: without them a comment that was forced away
/// could neither be shown in its diff nor come back.
pub fn held(db: &mut Connection, repo: RepoId) -> BoxFuture<'_, Result<Vec<Sha>>> {
    Box::pin(async move {
        let held = store::list_held(db, repo).await?;
        Ok(held.into_iter().map(|(sha,)| sha).collect())
    })
}
