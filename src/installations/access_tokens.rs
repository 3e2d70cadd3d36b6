//! Making installation tokens: an app signs, names its installation, and may narrow what the token can do.

use super::json::{AccessToken, NewAccessToken};
use super::target::OwnInstallation;
use super::{rules, store};
use crate::accounts;
use crate::api::access::Allowed;
use crate::api::access::table::CreateInstallationToken;
use crate::api::body::Json;
use crate::api::reply::Reply;
use crate::app::App;
use crate::apps::Installation;
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::{Error, Result};
use crate::repos::Repo;
use crate::repos::json::Repository;
use crate::tokens::{self, Grant, INSTALLATION_TOKEN_SECONDS, NewToken, Permissions, Secret, Selection, TokenKind};

/// A suspended installation is refused before anyone looks at the body.
pub async fn create(
    access: Allowed<CreateInstallationToken, OwnInstallation>,
    app: App,
    asked: Result<Json<NewAccessToken>>,
) -> Result<Reply> {
    rules::check_not_suspended(&access.target.0)?;
    let Json(asked) = asked?;
    let context = (asked, app.clock.now());
    let made = access
        .write_current(&app.store, context, |tx, current, (asked, now)| {
            Box::pin(make(tx, &current.target, asked, *now))
        })
        .await?;
    Ok(Reply::created_without_address(&AccessToken {
        token: made.secret.reveal(),
        expires_at: made.expires_at,
        permissions: &made.permissions,
        repository_selection: made.selection.mode().as_str(),
        repositories: made
            .narrowed_to
            .as_ref()
            .map(|repos| repos.iter().map(|repo| Repository::new(repo, access.urls())).collect()),
    })
    .without_storing())
}

struct Made {
    secret: Secret,
    expires_at: Timestamp,
    permissions: Permissions,
    selection: Selection,
    narrowed_to: Option<Vec<Repo>>,
}

/// Checks against the installation as it is in this very transaction, and stores the token in it.
async fn make(
    tx: &mut Transaction,
    OwnInstallation(installation): &OwnInstallation,
    asked: &NewAccessToken,
    now: Timestamp,
) -> Result<Made> {
    rules::check_not_suspended(installation)?;
    rules::check_within(asked, installation)?;
    let narrowed_to = find_named(tx, asked, installation).await?;
    let permissions = rules::granted(asked, installation);
    let token_selection = match &narrowed_to {
        Some(repos) => Selection::Selected(repos.iter().map(|repo| repo.id).collect()),
        None => Selection::All,
    };
    let secret = Secret::generate(TokenKind::Installation);
    let expires_at = now.plus_seconds(INSTALLATION_TOKEN_SECONDS);
    let grant = Grant::Installation {
        app: installation.app_id,
        installation: installation.id,
        selection: token_selection.clone(),
        permissions: permissions.clone(),
    };
    let new = NewToken { secret: secret.clone(), grant, note: None, expires_at: Some(expires_at) };
    tokens::store::insert(tx, &new, now).await?;
    let selection = match installation.repository_selection {
        tokens::SelectionMode::Selected => Selection::Selected(Vec::new()),
        tokens::SelectionMode::All => token_selection,
    };
    Ok(Made { secret, expires_at, permissions, selection, narrowed_to })
}

/// The repositories that the app named, each one the installation's; `None` where it named none.
async fn find_named(
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
