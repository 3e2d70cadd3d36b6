//! Validation of new repositories.

use super::NewRepository;
use crate::repos::RepoName;
use crate::tokens::{Principal, Scope, UserLimits};
use plinth_base::error::{Code, Error, FieldError, Result};

const DESCRIPTION_CHARACTERS_MAX: usize = 350;

/// Checks all fields and reports every error.
pub fn check_new(new: &NewRepository) -> Result<()> {
    let mut errors = Vec::new();
    if let Err(error) = RepoName::parse(&new.name) {
        errors.push(FieldError::new("Repository", "name", Code::Custom(error.to_string())));
    }
    let description = new.description.as_deref().unwrap_or_default();
    if description.chars().count() > DESCRIPTION_CHARACTERS_MAX {
        let message = format!("description is too long (maximum is {DESCRIPTION_CHARACTERS_MAX} characters)");
        errors.push(FieldError::new("Repository", "description", Code::Custom(message)));
    }
    if description.chars().any(char::is_control) {
        let message = "description control characters are not allowed".into();
        errors.push(FieldError::new("Repository", "description", Code::Custom(message)));
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

/// Only the `repo` scope allows private repositories; `public_repo` does not.
pub fn check_scope(new: &NewRepository, caller: &Principal) -> Result<()> {
    let Principal::User(token) = caller else { return Ok(()) };
    match &token.limits {
        UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } if new.private && !scopes.grant(Scope::Repo) => {
            Err(Error::Forbidden("A private repository takes the repo scope".into()))
        }
        _ => Ok(()),
    }
}
