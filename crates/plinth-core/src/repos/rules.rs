//! Validation of new repositories.

use super::NewRepository;
use crate::repos::{RepoName, RepoNameError};
use crate::tokens::{Principal, Scope, UserLimits};
use plinth_base::error::{Code, Error, FieldError, Result};

pub const DESCRIPTION_CHARACTERS_MAX: usize = 350;
pub const HOMEPAGE_CHARACTERS_MAX: usize = 255;

/// Checks all fields, reports every error, and returns the name that the repository gets.
pub fn check_new(new: &NewRepository) -> Result<RepoName> {
    let mut errors = Vec::new();
    let name = RepoName::from_input(&new.name);
    if let Err(error) = name {
        errors.extend(name_errors(error, &new.name));
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
    let homepage = new.homepage.as_deref().unwrap_or_default();
    if homepage.chars().count() > HOMEPAGE_CHARACTERS_MAX || homepage.chars().any(char::is_control) {
        errors.push(FieldError::new("Repository", "homepage", Code::Invalid));
    }
    match name {
        Ok(name) if errors.is_empty() => Ok(name),
        _ => Err(creation_failed(errors)),
    }
}

fn name_errors(error: RepoNameError, name: &str) -> Vec<FieldError> {
    let field = |code| FieldError::new("Repository", "name", code);
    match error {
        RepoNameError::Length if name.is_empty() => {
            vec![field(Code::MissingField), field(Code::Custom("name is too short (minimum is 1 character)".into()))]
        }
        RepoNameError::Length => {
            vec![field(Code::Custom(format!("name is too long (maximum is {} characters)", RepoName::LENGTH_MAX)))]
        }
        RepoNameError::Characters | RepoNameError::Reserved => vec![field(Code::Custom(error.to_string()))],
    }
}

/// The error for a repository that cannot be created.
pub fn creation_failed(fields: Vec<FieldError>) -> Error {
    Error::Failed { message: "Repository creation failed.", fields }
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
