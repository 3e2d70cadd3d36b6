//! Changes of what an installation and its tokens have, each judged and made in one transaction.

use super::rules;
use super::target::InstallationRepo;
use crate::apps::store;
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::{Error, Result};
use crate::ids::TokenId;
use crate::tokens::{self, SelectionMode};

/// Adds a repository; an installation on all repositories has it already.
pub async fn add(
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
pub async fn remove(
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
pub async fn revoke(tx: &mut Transaction, token: TokenId, now: Timestamp) -> Result<()> {
    match tokens::store::end(tx, token, now).await? {
        0 => Err(Error::Unauthenticated("Bad credentials")),
        _ => Ok(()),
    }
}
