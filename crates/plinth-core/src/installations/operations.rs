//! Changing installations and their tokens, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::TokenId;
use plinth_store::Transaction;

use super::{InstallationRepo, OwnInstallation, rules};
use crate::Core;
use crate::access::{BAD_CREDENTIALS, NoTarget, WriteAccess};
use crate::apps::{self, store};
use crate::tokens::{self, SelectionMode};

/// Adds a repository to an installation.
pub async fn add_repository(core: &Core, access: &WriteAccess<InstallationRepo>) -> Result<()> {
    access.write_current(core.clock.now(), |tx, current, now| Box::pin(add(tx, &current.target, *now))).await
}

/// Removes a repository from an installation.
pub async fn remove_repository(core: &Core, access: &WriteAccess<InstallationRepo>) -> Result<()> {
    access.write_current(core.clock.now(), |tx, current, now| Box::pin(remove(tx, &current.target, *now))).await
}

/// Ends the token that the caller presents.
pub async fn revoke_token(core: &Core, access: &WriteAccess<NoTarget>) -> Result<()> {
    let token = rules::installation_token(access.caller())?.token;
    access.write((token, core.clock.now()), |tx, (token, now)| Box::pin(revoke(tx, *token, *now))).await
}

pub async fn suspend(core: &Core, access: &WriteAccess<OwnInstallation>) -> Result<()> {
    access
        .write_current(core.clock.now(), |tx, current, now| {
            Box::pin(async move {
                let OwnInstallation(installation) = &current.target;
                let bot = apps::store::find(tx, installation.app_id).await?.map(|app| app.bot_id);
                Ok(apps::store::update_suspension(tx, installation.id, Some(*now), bot).await?)
            })
        })
        .await
}

pub async fn unsuspend(access: &WriteAccess<OwnInstallation>) -> Result<()> {
    access
        .write_current((), |tx, current, ()| {
            Box::pin(async move { Ok(store::update_suspension(tx, current.target.0.id, None, None).await?) })
        })
        .await
}

pub async fn delete(access: &WriteAccess<OwnInstallation>) -> Result<()> {
    access
        .write_current((), |tx, current, ()| {
            Box::pin(async move { Ok(store::delete_installation(tx, current.target.0.id).await.map(drop)?) })
        })
        .await
}

/// Adds a repository; an installation on all repositories has it already.
async fn add(
    tx: &mut Transaction,
    InstallationRepo { installation, repo }: &InstallationRepo,
    now: Timestamp,
) -> Result<()> {
    match installation.repository_selection {
        SelectionMode::All => {}
        SelectionMode::Selected => {
            if store::insert_selected(tx, installation.id, repo.id).await? > 0 {
                store::update_installation_time(tx, installation.id, now).await?;
            }
        }
    }
    Ok(())
}

/// Takes a repository out. The count and the removal stand in one transaction, so that two removals of the last two
/// repositories leave one.
async fn remove(
    tx: &mut Transaction,
    InstallationRepo { installation, repo }: &InstallationRepo,
    now: Timestamp,
) -> Result<()> {
    rules::check_has_selection(installation)?;
    if !store::selects(tx, installation.id, repo.id).await? {
        return Err(Error::NotFound);
    }
    rules::check_not_last(store::count_selected(tx, installation.id).await?)?;
    store::delete_selected(tx, installation.id, repo.id).await?;
    Ok(store::update_installation_time(tx, installation.id, now).await?)
}

/// Ends a token. Of two requests at once that both carry it, one is the last to be let in.
async fn revoke(tx: &mut Transaction, token: TokenId, now: Timestamp) -> Result<()> {
    match tokens::store::end(tx, token, now).await? {
        0 => Err(Error::Unauthenticated(BAD_CREDENTIALS)),
        _ => Ok(()),
    }
}
