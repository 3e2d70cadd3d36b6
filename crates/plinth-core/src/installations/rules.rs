//! Validation of installations and their tokens.

use super::NewAccessToken;
use crate::apps::Installation;
use crate::tokens::{InstallationToken, Permissions, Principal, Scope, SelectionMode, UserLimits};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, AppId};

const REPOSITORIES_MAX: usize = 500;

/// A suspended installation gets no tokens.
pub fn check_not_suspended(installation: &Installation) -> Result<()> {
    match installation.suspended_at {
        Some(_) => Err(Error::Forbidden("This installation has been suspended".into())),
        None => Ok(()),
    }
}

/// A token gets at most the permissions of the installation.
pub fn check_within(asked: &NewAccessToken, installation: &Installation) -> Result<()> {
    if !asked.permissions.is_within(&installation.permissions) {
        let message = "The permissions requested are not granted to this installation.";
        return Err(Error::unprocessable(message));
    }
    let named = asked.repositories.as_ref().map_or(0, Vec::len) + asked.repository_ids.as_ref().map_or(0, Vec::len);
    if named > REPOSITORIES_MAX {
        return Err(Error::unprocessable(format!("At most {REPOSITORIES_MAX} repositories can be named.")));
    }
    Ok(())
}

/// The permissions of a new token: the requested ones, or all of the installation.
pub fn granted(asked: &NewAccessToken, installation: &Installation) -> Permissions {
    if asked.permissions.is_empty() {
        installation.permissions.clone()
    } else {
        asked.permissions.clone().with_metadata()
    }
}

/// The error for a repository that the installation does not have.
pub fn unknown_repository() -> Error {
    Error::unprocessable(
        "There is at least one repository that does not exist or is not accessible to the parent installation.",
    )
}

/// The token of an operation that the policy table admits installations to.
pub fn installation_token(caller: &Principal) -> Result<&InstallationToken> {
    match caller {
        Principal::Installation(token) => Ok(token),
        Principal::User(_) | Principal::App(_) | Principal::Anonymous => Err(not_admitted()),
    }
}

/// The app of an operation that the policy table admits apps to.
pub fn app(caller: &Principal) -> Result<AppId> {
    match caller {
        Principal::App(signed) => Ok(signed.app),
        Principal::User(_) | Principal::Installation(_) | Principal::Anonymous => Err(not_admitted()),
    }
}

/// The user of an operation that the policy table admits users to.
pub fn user(caller: &Principal) -> Result<AccountId> {
    caller.user_id().ok_or_else(not_admitted)
}

/// User and app of an operation that the policy table admits app user tokens to.
pub fn app_user(caller: &Principal) -> Result<(AccountId, AppId)> {
    let token = caller.user().ok_or_else(not_admitted)?;
    match token.limits {
        UserLimits::AppUser { app } => Ok((token.user, app)),
        UserLimits::Classic(_) | UserLimits::OAuth { .. } | UserLimits::FineGrained { .. } => Err(not_admitted()),
    }
}

fn not_admitted() -> Error {
    Error::internal("the policy table does not admit this kind of caller here")
}

/// Whether a list may include private repositories. Scoped tokens need the `repo` scope; for the others the permissions of
/// the token or of the installation decide.
pub fn sees_private(caller: &Principal) -> bool {
    match caller {
        Principal::User(token) => match &token.limits {
            UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } => scopes.grant(Scope::Repo),
            UserLimits::FineGrained { .. } | UserLimits::AppUser { .. } => true,
        },
        Principal::Installation(_) => true,
        Principal::App(_) | Principal::Anonymous => false,
    }
}

/// The selection of a token: all repositories only if neither the token nor the installation has a selection.
pub fn selection_of(token: &InstallationToken) -> SelectionMode {
    match (token.installation_mode, token.token_mode) {
        (SelectionMode::All, SelectionMode::All) => SelectionMode::All,
        (SelectionMode::Selected, _) | (_, SelectionMode::Selected) => SelectionMode::Selected,
    }
}

/// A repository cannot be removed from an installation on all repositories.
pub fn check_has_selection(installation: &Installation) -> Result<()> {
    match installation.repository_selection {
        SelectionMode::Selected => Ok(()),
        SelectionMode::All => {
            Err(Error::unprocessable("This installation is on all repositories, please update in the Web UI."))
        }
    }
}

/// An installation must have at least one repository.
pub fn check_not_last(selected: i64) -> Result<()> {
    if selected > 1 {
        return Ok(());
    }
    Err(Error::unprocessable(
        "This is the last repository of the installation: removing it would leave the app with no repository.",
    ))
}
