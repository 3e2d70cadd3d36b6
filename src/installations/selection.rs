//! Changes of what an installation and its tokens have, each judged and made in one transaction.

use super::rules;
use super::target::InstallationRepo;
use crate::api::access::Recheck;
use crate::api::access::table::{AddInstallationRepository, RemoveInstallationRepository};
use crate::apps::store;
use crate::clock::Timestamp;
use crate::db::Connection;
use crate::error::{Error, Result};
use crate::ids::TokenId;
use crate::tokens::{self, SelectionMode};

/// Adds a repository; an installation on all repositories has it already.
pub async fn add(
    tx: &mut Connection,
    right: &Recheck<AddInstallationRepository, InstallationRepo>,
    now: Timestamp,
) -> Result<()> {
    let InstallationRepo { installation, repo } = right.ask(tx).await?;
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
pub async fn remove(
    tx: &mut Connection,
    right: &Recheck<RemoveInstallationRepository, InstallationRepo>,
    now: Timestamp,
) -> Result<()> {
    let InstallationRepo { installation, repo } = right.ask(tx).await?;
    rules::check_has_selection(&installation)?;
    if !store::selects(tx, installation.id, repo.id).await? {
        return Err(Error::NotFound);
    }
    rules::check_not_last(store::count_selected(tx, installation.id).await?)?;
    store::delete_selected(tx, installation.id, repo.id).await?;
    Ok(store::update_installation_time(tx, installation.id, now).await?)
}

/// Ends a token. Of two requests at once that both carry it, one is the last to be let in.
pub async fn revoke(tx: &mut Connection, token: TokenId, now: Timestamp) -> Result<()> {
    match tokens::store::end(tx, token, now).await? {
        0 => Err(Error::Unauthenticated("Bad credentials")),
        _ => Ok(()),
    }
}
