//! Changing installations and their tokens, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, InstallationId, RepoId, TokenId};
use plinth_store::Transaction;

use super::events::{self, Changer};
use super::model::CreatedToken;
use super::{InstallationRepo, NewAccessToken, OwnInstallation, rules, store};
use crate::access::{BAD_CREDENTIALS, NoTarget, WriteAccess};
use crate::apps::store::NewInstallation;
use crate::apps::{self, Installation};
use crate::repos::Repo;
use crate::tokens::{
    self, INSTALLATION_TOKEN_SECONDS, NewToken, Secret, Selection, SelectionMode, TokenKind, TokenSpec,
};
use crate::{Core, accounts};

/// Adds a repository to an installation.
pub async fn add_repository(core: &Core, access: &WriteAccess<InstallationRepo>) -> Result<()> {
    access
        .write_current(core.clock.now(), |tx, current, now| {
            Box::pin(add(tx, &current.target, Changer::from(&*current.caller), *now))
        })
        .await
}

/// Removes a repository from an installation.
pub async fn remove_repository(core: &Core, access: &WriteAccess<InstallationRepo>) -> Result<()> {
    access
        .write_current(core.clock.now(), |tx, current, now| {
            Box::pin(remove(tx, &current.target, Changer::from(&*current.caller), *now))
        })
        .await
}

/// Creates an installation token. The app may restrict its permissions and repositories.
pub async fn create_access_token(
    core: &Core,
    access: &WriteAccess<OwnInstallation>,
    asked: NewAccessToken,
) -> Result<CreatedToken> {
    let context = (asked, core.clock.now());
    access
        .write_current(context, |tx, current, (asked, now)| Box::pin(insert_token(tx, &current.target, asked, *now)))
        .await
}

/// Revokes the caller's own token.
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
                set_suspended(tx, installation, (Some(*now), bot), Changer::from(&*current.caller), *now).await
            })
        })
        .await
}

pub async fn unsuspend(core: &Core, access: &WriteAccess<OwnInstallation>) -> Result<()> {
    access
        .write_current(core.clock.now(), |tx, current, now| {
            let by = Changer::from(&*current.caller);
            Box::pin(set_suspended(tx, &current.target.0, (None, None), by, *now))
        })
        .await
}

pub async fn delete(core: &Core, access: &WriteAccess<OwnInstallation>) -> Result<()> {
    access
        .write_current(core.clock.now(), |tx, current, now| {
            Box::pin(uninstall(tx, current.target.0.id, Changer::from(&*current.caller), *now))
        })
        .await
}

/// Installs an app on an account, with these repositories if it has a selection.
pub async fn install(
    tx: &mut Transaction,
    new: &NewInstallation<'_>,
    repos: &[RepoId],
    now: Timestamp,
) -> Result<InstallationId> {
    let id = apps::store::insert_installation(tx, new, now).await?;
    for repo in repos {
        apps::store::insert_selected(tx, id, *repo).await?;
    }
    events::record(tx, "created", id, Changer::Operator, now).await?;
    Ok(id)
}

/// Adds repositories to the selection; returns whether any of them was not in it.
pub async fn select(tx: &mut Transaction, id: InstallationId, repos: &[RepoId], now: Timestamp) -> Result<bool> {
    let mut added = Vec::new();
    for repo in repos {
        if apps::store::insert_selected(tx, id, *repo).await? > 0 {
            added.push(*repo);
        }
    }
    events::record_repositories(tx, "added", (id, &added), Changer::Operator, now).await?;
    Ok(!added.is_empty())
}

/// Changes what an installation may do, and on which repositories.
pub async fn update_grant(
    tx: &mut Transaction,
    before: &Installation,
    new: &NewInstallation<'_>,
    now: Timestamp,
) -> Result<()> {
    apps::store::update_selection(tx, before.id, new.mode, now).await?;
    apps::store::update_installation_grant(tx, before.id, new.permissions, now).await?;
    if before.permissions != *new.permissions {
        events::record(tx, "new_permissions_accepted", before.id, Changer::Operator, now).await?;
    }
    Ok(())
}

/// Suspends an installation, or ends its suspension.
pub async fn set_suspended(
    tx: &mut Transaction,
    before: &Installation,
    (since, by): (Option<Timestamp>, Option<AccountId>),
    changer: Changer,
    now: Timestamp,
) -> Result<()> {
    apps::store::update_suspension(tx, before.id, since, by).await?;
    match (before.suspended_at, since) {
        (None, Some(_)) => events::record(tx, "suspend", before.id, changer, now).await,
        (Some(_), None) => events::record(tx, "unsuspend", before.id, changer, now).await,
        (None, None) | (Some(_), Some(_)) => Ok(()),
    }
}

/// Deletes an installation with its tokens.
pub async fn uninstall(tx: &mut Transaction, id: InstallationId, by: Changer, now: Timestamp) -> Result<()> {
    events::record(tx, "deleted", id, by, now).await?;
    apps::store::delete_installation(tx, id).await?;
    Ok(())
}

/// Adds a repository, unless the installation has all repositories.
async fn add(
    tx: &mut Transaction,
    InstallationRepo { installation, repo }: &InstallationRepo,
    by: Changer,
    now: Timestamp,
) -> Result<()> {
    match installation.repository_selection {
        SelectionMode::All => {}
        SelectionMode::Selected => {
            if apps::store::insert_selected(tx, installation.id, repo.id).await? > 0 {
                apps::store::update_installation_time(tx, installation.id, now).await?;
                events::record_repositories(tx, "added", (installation.id, &[repo.id]), by, now).await?;
            }
        }
    }
    Ok(())
}

/// Removes a repository. Counting and removing in one transaction ensures that two concurrent removals leave at least one
/// repository.
async fn remove(
    tx: &mut Transaction,
    InstallationRepo { installation, repo }: &InstallationRepo,
    by: Changer,
    now: Timestamp,
) -> Result<()> {
    rules::check_has_selection(installation)?;
    if !apps::store::selects(tx, installation.id, repo.id).await? {
        return Err(Error::NotFound);
    }
    rules::check_not_last(apps::store::count_selected(tx, installation.id).await?)?;
    apps::store::delete_selected(tx, installation.id, repo.id).await?;
    apps::store::update_installation_time(tx, installation.id, now).await?;
    events::record_repositories(tx, "removed", (installation.id, &[repo.id]), by, now).await
}

/// Revokes a token. Of two concurrent requests with the same token, only one succeeds.
async fn revoke(tx: &mut Transaction, token: TokenId, now: Timestamp) -> Result<()> {
    match tokens::store::end(tx, token, now).await? {
        0 => Err(Error::Unauthenticated(BAD_CREDENTIALS)),
        _ => Ok(()),
    }
}

/// Checks the request against the current installation, and stores the token.
async fn insert_token(
    tx: &mut Transaction,
    OwnInstallation(installation): &OwnInstallation,
    asked: &NewAccessToken,
    now: Timestamp,
) -> Result<CreatedToken> {
    rules::check_not_suspended(installation)?;
    rules::check_within(asked, installation)?;
    let narrowed_to = find_named_repos(tx, asked, installation).await?;
    let permissions = rules::granted(asked, installation);
    let token_selection = match &narrowed_to {
        Some(repos) => Selection::Selected(repos.iter().map(|repo| repo.id).collect()),
        None => Selection::All,
    };
    let secret = Secret::generate(TokenKind::Installation);
    let expires_at = now.plus_seconds(INSTALLATION_TOKEN_SECONDS);
    let grant = TokenSpec::Installation {
        app: installation.app_id,
        installation: installation.id,
        selection: token_selection.clone(),
        permissions: permissions.clone(),
    };
    let new = NewToken { secret: secret.clone(), grant, note: None, expires_at: Some(expires_at) };
    tokens::store::insert(tx, &new, now).await?;
    let selection = match installation.repository_selection {
        SelectionMode::Selected => Selection::Selected(Vec::new()),
        SelectionMode::All => token_selection,
    };
    Ok(CreatedToken { secret, expires_at, permissions, selection, narrowed_to })
}

/// The repositories that the app named, which must all belong to the installation; `None` if it named none.
async fn find_named_repos(
    tx: &mut Transaction,
    asked: &NewAccessToken,
    installation: &Installation,
) -> Result<Option<Vec<Repo>>> {
    let names = asked.repositories.as_deref().unwrap_or_default();
    let ids = asked.repository_ids.as_deref().unwrap_or_default();
    if names.is_empty() && ids.is_empty() {
        return Ok(None);
    }
    let account = accounts::store::find(tx, installation.account_id).await?;
    let owner = account.ok_or_else(|| Error::internal("an installation has an account"))?;
    let mut repos: Vec<Repo> = Vec::new();
    for name in names {
        let found = store::find_by_name(tx, installation, &owner.login, name).await?;
        repos.push(found.ok_or_else(rules::unknown_repository)?);
    }
    for id in ids {
        let found = store::find_by_id(tx, installation, *id).await?;
        repos.push(found.ok_or_else(rules::unknown_repository)?);
    }
    repos.sort_by_key(|repo| repo.id);
    repos.dedup_by_key(|repo| repo.id);
    Ok(Some(repos))
}
