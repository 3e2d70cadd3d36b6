//! Deleting repositories. [`crate::repo_creation`] creates them.

use plinth_base::error::Result;

use super::{RepoTarget, deletion};
use crate::Core;
use crate::access::WriteAccess;

/// Deletes a repository. Everything that belongs to it is removed in the background.
pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<()> {
    access.write(access.repo.id, |tx, id| Box::pin(deletion::mark(tx, *id))).await?;
    deletion::remove_later(core);
    Ok(())
}
