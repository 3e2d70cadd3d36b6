//! Changing installations and their tokens, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::TokenId;
use plinth_store::Transaction;

use super::model::CreatedToken;
use super::{InstallationRepo, NewAccessToken, OwnInstallation, rules, store};
use crate::access::{BAD_CREDENTIALS, NoTarget, WriteAccess};
use crate::apps::{self, Installation};
use crate::repos::Repo;
use crate::tokens::{
    self, INSTALLATION_TOKEN_SECONDS, NewToken, Secret, Selection, SelectionMode, TokenKind, TokenSpec,
};
use crate::{Core, accounts};

/// Adds a repository to an installation.
pub async fn add_repository(core: &Core, access: &WriteAccess<InstallationRepo>) -> Result<()> {
    access.write_current(core.clock.now(), |tx, current, now| Box::pin(add(tx, &current.target, *now))).await
}

/// Removes a repository from an installation.
pub async fn remove_repository(core: &Core, access: &WriteAccess<InstallationRepo>) -> Result<()> {
    access.write_current(core.clock.now(), |tx, current, now| Box::pin(remove(tx, &current.target, *now))).await
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
                Ok(apps::store::update_suspension(tx, installation.id, Some(*now), bot).await?)
            })
        })
        .await
}

pub async fn unsuspend(access: &WriteAccess<OwnInstallation>) -> Result<()> {
    access
        .write_current((), |tx, current, ()| {
            Box::pin(async move { Ok(apps::store::update_suspension(tx, current.target.0.id, None, None).await?) })
        })
        .await
}

pub async fn delete(access: &WriteAccess<OwnInstallation>) -> Result<()> {
    access
        .write_current((), |tx, current, ()| {
            Box::pin(async move { Ok(apps::store::delete_installation(tx, current.target.0.id).await.map(drop)?) })
        })
        .await
}

/// Adds a repository, unless the installation has all repositories.
async fn add(
    tx: &mut Transaction,
    InstallationRepo { installation, repo }: &InstallationRepo,
    now: Timestamp,
) -> Result<()> {
    match installation.repository_selection {
        SelectionMode::All => {}
        SelectionMode::Selected => {
            if apps::store::insert_selected(tx, installation.id, repo.id).await? > 0 {
                apps::store::update_installation_time(tx, installation.id, now).await?;
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
    now: Timestamp,
) -> Result<()> {
    rules::check_has_selection(installation)?;
    if !apps::store::selects(tx, installation.id, repo.id).await? {
        return Err(Error::NotFound);
    }
    rules::check_not_last(apps::store::count_selected(tx, installation.id).await?)?;
    apps::store::delete_selected(tx, installation.id, repo.id).await?;
    Ok(apps::store::update_installation_time(tx, installation.id, now).await?)
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
