//! Judgement about installations and their tokens.

use super::json::NewAccessToken;
use crate::apps::Installation;
use crate::error::{Error, Result};
use crate::tokens::Permissions;

const REPOSITORIES_MAX: usize = 500;

/// A suspended installation hands out nothing.
pub fn check_not_suspended(installation: &Installation) -> Result<()> {
    match installation.suspended_at {
        Some(_) => Err(Error::Forbidden("This installation has been suspended".into())),
        None => Ok(()),
    }
}

/// A token gets at most what the installation has.
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

/// The token's own permissions: those asked for, or all.
pub fn granted(asked: &NewAccessToken, installation: &Installation) -> Permissions {
    if asked.permissions.is_empty() {
        installation.permissions.clone()
    } else {
        asked.permissions.clone().with_metadata()
    }
}

/// The refusal for a repository that the installation does not have.
pub fn unknown_repository() -> Error {
    Error::unprocessable(
        "There is at least one repository that does not exist or is not accessible to the parent installation.",
    )
}
