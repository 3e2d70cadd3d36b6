//! Repositories of installations in the store.

use crate::apps::{self, Installation};
use crate::db::{Connection, DbError};
use crate::ids::RepoId;
use crate::repos::{self, Repo};
use crate::tokens::SelectionMode;

/// A repository of the installation's account, by name, if the installation has it.
pub async fn find_by_name(
    db: &mut Connection,
    installation: &Installation,
    owner_login: &str,
    name: &str,
) -> Result<Option<Repo>, DbError> {
    let found = repos::store::find(db, owner_login, name, None).await?;
    match found {
        Some(found) if has(db, installation, &found.repo).await? => Ok(Some(found.repo)),
        _ => Ok(None),
    }
}

/// As [`find_by_name`], by number.
pub async fn find_by_id(db: &mut Connection, installation: &Installation, id: RepoId) -> Result<Option<Repo>, DbError> {
    match repos::store::find_by_id(db, id, None).await? {
        Some(found) if has(db, installation, &found.repo).await? => Ok(Some(found.repo)),
        _ => Ok(None),
    }
}

async fn has(db: &mut Connection, installation: &Installation, repo: &Repo) -> Result<bool, DbError> {
    if repo.owner_id != installation.account_id {
        return Ok(false);
    }
    match installation.repository_selection {
        SelectionMode::All => Ok(true),
        SelectionMode::Selected => apps::store::selects(db, installation.id, repo.id).await,
    }
}
