//! Creating and deleting repositories.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::Transaction;

use super::store::{self, NewRepo, RepoWithRole};
use super::{NewRepository, RepoTarget, deletion, rules};
use crate::Core;
use crate::access::{Role, Target, WriteAccess};

const DEFAULT_BRANCH: &str = "main";

/// Creates a repository for `owner`, which is the target of the access.
pub async fn create<T: Target>(
    core: &Core,
    access: &WriteAccess<T>,
    owner: AccountId,
    new: NewRepository,
) -> Result<RepoWithRole> {
    rules::check_new(&new)?;
    rules::check_scope(&new, access.caller())?;
    let context = (owner, new, core.clock.now());
    let found = access
        .write_current(context, |tx, current, (owner, new, now)| {
            Box::pin(async move {
                // The scopes may have changed since the request began.
                rules::check_scope(new, &current.caller)?;
                insert(tx, *owner, current.caller.user_id(), new, *now).await
            })
        })
        .await?;
    // A process that was killed may have left a directory with this id, whose objects do not belong to the repository.
    core.objects.remove_repository(found.repo.id).await?;
    Ok(found)
}

/// Deletes a repository. Everything that belongs to it is removed in the background.
pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<()> {
    access.write(access.repo.id, |tx, id| Box::pin(deletion::mark(tx, *id))).await?;
    deletion::remove_later(core);
    Ok(())
}

/// Inserts the repository. A user who creates one for an organization becomes its admin.
async fn insert(
    tx: &mut Transaction,
    owner: AccountId,
    user: Option<AccountId>,
    new: &NewRepository,
    now: Timestamp,
) -> Result<RepoWithRole> {
    let row = NewRepo {
        owner,
        name: &new.name,
        description: new.description.as_deref(),
        private: new.private,
        default_branch: DEFAULT_BRANCH,
    };
    let id = store::insert(tx, &row, now).await?;
    if let Some(user) = user.filter(|user| *user != owner) {
        store::upsert_collaborator(tx, id, user, Role::Admin).await?;
    }
    store::find_by_id(tx, id, user).await?.ok_or_else(|| Error::internal("a repository was just stored"))
}
