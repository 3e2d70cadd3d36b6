//! Creating and deleting repositories.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::Transaction;

use super::store::{self, Found, NewRepo};
use super::{NewRepository, RepoRole, rules};
use crate::Core;
use crate::access::{RepoTarget, Target, WriteAccess};

const DEFAULT_BRANCH: &str = "main";

/// Creates a repository for `owner`, which is the account that the access is about.
pub async fn create<T: Target>(
    core: &Core,
    access: &WriteAccess<T>,
    owner: AccountId,
    new: NewRepository,
) -> Result<Found> {
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
    // A killed process may have left a directory under this id, whose objects are not the new repository's.
    core.objects.remove_repository(found.repo.id).await?;
    Ok(found)
}

pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>) -> Result<()> {
    let id = access.repo.id;
    access.write(id, |tx, id| Box::pin(async move { Ok(store::delete(tx, *id).await?) })).await?;
    // The repository is gone and its id is never used again: the directory only takes space.
    if let Err(error) = core.objects.remove_repository(id).await {
        tracing::warn!(%error, %id, "could not remove the directory of a deleted repository");
    }
    Ok(())
}

/// Inserts the repository; whoever creates one for an organization administers it.
async fn insert(
    tx: &mut Transaction,
    owner: AccountId,
    user: Option<AccountId>,
    new: &NewRepository,
    now: Timestamp,
) -> Result<Found> {
    let row = NewRepo {
        owner,
        name: &new.name,
        description: new.description.as_deref(),
        private: new.private,
        default_branch: DEFAULT_BRANCH,
    };
    let id = store::insert(tx, &row, now).await?;
    if let Some(user) = user.filter(|user| *user != owner) {
        store::upsert_collaborator(tx, id, user, RepoRole::Admin).await?;
    }
    store::find_by_id(tx, id, user).await?.ok_or_else(|| Error::internal("a repository was just stored"))
}
