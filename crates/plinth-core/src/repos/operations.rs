//! Changing and deleting repositories and their collaborators. [`crate::repo_creation`] creates repositories through the API.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::Transaction;

use super::events::{self, MemberData};
use super::store::{self, NewRepo};
use super::{Repo, RepoTarget, deletion};
use crate::Core;
use crate::access::{Role, WriteAccess};

/// Deletes a repository. Everything that belongs to it is removed in the background.
pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<()> {
    let context = (access.repo.id, access.caller().actor(), core.clock.now());
    access.write(context, |tx, (id, actor, now)| Box::pin(remove(tx, *id, *actor, *now))).await?;
    deletion::remove_later(core);
    Ok(())
}

/// Inserts a repository.
pub async fn insert(
    tx: &mut Transaction,
    new: &NewRepo<'_>,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<RepoId> {
    let id = store::insert(tx, new, now).await?;
    events::record_created(tx, id, actor, now).await?;
    Ok(id)
}

/// Changes what a state file sets.
pub async fn update(
    tx: &mut Transaction,
    before: &Repo,
    new: &NewRepo<'_>,
    archived: bool,
    now: Timestamp,
) -> Result<()> {
    store::update(tx, before.id, new, now).await?;
    store::update_archived(tx, before.id, archived).await?;
    record_changes(tx, before, None, now).await
}

/// Changes the default branch.
pub async fn update_default_branch(
    tx: &mut Transaction,
    id: RepoId,
    branch: &str,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    let before = if crate::events::is_wanted(tx).await? { store::find_by_id(tx, id, None).await? } else { None };
    store::update_default_branch(tx, id, branch, now).await?;
    match before {
        Some(before) => record_changes(tx, &before.repo, actor, now).await,
        None => Ok(()),
    }
}

async fn record_changes(tx: &mut Transaction, before: &Repo, actor: Option<AccountId>, now: Timestamp) -> Result<()> {
    if crate::events::is_wanted(tx).await? {
        let after = store::find_by_id(tx, before.id, None).await?.ok_or(Error::NotFound)?;
        events::record_changes(tx, (before, &after.repo), actor, now).await?;
    }
    Ok(())
}

/// Deletes a repository for everybody: see [`deletion::mark`].
pub async fn remove(tx: &mut Transaction, repo: RepoId, actor: Option<AccountId>, now: Timestamp) -> Result<()> {
    events::record_deleted(tx, repo, actor, now).await?;
    deletion::mark(tx, repo).await
}

/// Gives a user a role in a repository, and returns the role before.
pub async fn set_collaborator(
    tx: &mut Transaction,
    repo: RepoId,
    user: AccountId,
    role: Role,
    now: Timestamp,
) -> Result<Option<Role>> {
    let before = store::find_collaborator(tx, repo, user).await?;
    store::upsert_collaborator(tx, repo, user, role).await?;
    events::record_member(tx, (repo, user), &MemberData { before, after: Some(role) }, None, now).await?;
    Ok(before)
}
