//! Creating installation tokens: an app signs, names its installation, and may narrow what the token can do.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_store::Transaction;

use super::{NewAccessToken, OwnInstallation, rules, store};
use crate::access::WriteAccess;
use crate::apps::Installation;
use crate::repos::Repo;
use crate::tokens::{self, INSTALLATION_TOKEN_SECONDS, NewToken, Permissions, Secret, Selection, TokenKind, TokenSpec};
use crate::{Core, accounts};

/// A new token, the only time that its secret is known.
pub struct CreatedToken {
    pub secret: Secret,
    pub expires_at: Timestamp,
    pub permissions: Permissions,
    pub selection: Selection,
    pub narrowed_to: Option<Vec<Repo>>,
}

pub async fn create(core: &Core, access: &WriteAccess<OwnInstallation>, asked: NewAccessToken) -> Result<CreatedToken> {
    let context = (asked, core.clock.now());
    access.write_current(context, |tx, current, (asked, now)| Box::pin(make(tx, &current.target, asked, *now))).await
}

/// Checks against the installation as it is in this very transaction, and stores the token in it.
async fn make(
    tx: &mut Transaction,
    OwnInstallation(installation): &OwnInstallation,
    asked: &NewAccessToken,
    now: Timestamp,
) -> Result<CreatedToken> {
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
    let grant = TokenSpec::Installation {
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
    Ok(CreatedToken { secret, expires_at, permissions, selection, narrowed_to })
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
