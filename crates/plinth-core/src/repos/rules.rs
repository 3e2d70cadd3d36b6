//! Validation of new repositories and of changes to them.

use super::{NewRepository, Repo, RepoEdit};
use crate::access::Role;
use crate::repos::{RepoName, RepoNameError};
use crate::tokens::{Principal, Scope, UserLimits};
use plinth_base::error::{Code, Error, FieldError, Result};
use plinth_base::ids::AccountId;

pub const DESCRIPTION_CHARACTERS_MAX: usize = 350;
pub const HOMEPAGE_CHARACTERS_MAX: usize = 255;
pub const TOPICS_MAX: usize = 20;
pub const TOPIC_LENGTH_MAX: usize = 50;

/// Checks all fields, reports every error, and returns the name that the repository gets.
pub fn check_new(new: &NewRepository) -> Result<RepoName> {
    let mut errors = Vec::new();
    let name = RepoName::from_input(&new.name);
    if let Err(error) = name {
        errors.extend(name_errors(error, &new.name));
    }
    check_texts(new.description.as_deref(), new.homepage.as_deref(), &mut errors);
    match name {
        Ok(name) if errors.is_empty() => Ok(name),
        _ => Err(creation_failed(errors)),
    }
}

fn check_texts(description: Option<&str>, homepage: Option<&str>, errors: &mut Vec<FieldError>) {
    let (description, homepage) = (description.unwrap_or_default(), homepage.unwrap_or_default());
    if description.chars().count() > DESCRIPTION_CHARACTERS_MAX {
        let message = format!("description is too long (maximum is {DESCRIPTION_CHARACTERS_MAX} characters)");
        errors.push(FieldError::new("Repository", "description", Code::Custom(message)));
    }
    if description.chars().any(char::is_control) {
        let message = "description control characters are not allowed".into();
        errors.push(FieldError::new("Repository", "description", Code::Custom(message)));
    }
    if let Err(Error::Invalid(wrong)) = check_homepage(homepage) {
        errors.extend(wrong);
    }
}

pub fn check_homepage(homepage: &str) -> Result<()> {
    if homepage.chars().count() > HOMEPAGE_CHARACTERS_MAX || homepage.chars().any(char::is_control) {
        return Err(Error::invalid("Repository", "homepage", Code::Invalid));
    }
    Ok(())
}

/// Checks all fields of a change that do not depend on what is stored.
pub fn check_edit(edit: &RepoEdit, repo: &Repo) -> Result<()> {
    let mut errors = Vec::new();
    let is_own = |name: &String| RepoName::from_input(name).is_ok_and(|name| name.as_str() == repo.name);
    if !edit.name.as_ref().is_none_or(is_own) {
        let message = Code::Custom("repositories cannot be renamed".into());
        errors.push(FieldError::new("Repository", "name", message));
    }
    let text = |value: &Option<Option<String>>| value.clone().flatten();
    check_texts(text(&edit.description).as_deref(), text(&edit.homepage).as_deref(), &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

/// The error for a default branch that does not exist.
pub fn missing_branch(name: &str) -> Error {
    let message =
        format!("The branch {name} was not found. Please push that ref first or create it via the Git Data API.");
    Error::invalid("Repository", "default_branch", Code::Custom(message))
}

/// Normalizes and checks topics, and returns them as they are stored.
pub fn check_topics(names: &[String]) -> Result<String> {
    let mut topics: Vec<String> = Vec::new();
    for name in names.iter().map(|name| name.to_lowercase()) {
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_valid =
            (1..=TOPIC_LENGTH_MAX).contains(&name.len()) && name.bytes().all(is_allowed) && !name.starts_with('-');
        if !is_valid {
            return Err(Error::InvalidPlain(vec![format!(
                "Topics must start with a lowercase letter or number, consist of {TOPIC_LENGTH_MAX} characters or less, \
                 and can include hyphens."
            )]));
        }
        if !topics.contains(&name) {
            topics.push(name);
        }
    }
    if topics.len() > TOPICS_MAX {
        return Err(Error::InvalidPlain(vec![format!("A repository cannot have more than {TOPICS_MAX} topics.")]));
    }
    Ok(topics.join(" "))
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

/// The owner of a repository is no collaborator.
pub fn check_collaborator(user: AccountId, owner: AccountId) -> Result<()> {
    let message = Code::Custom("Repository owner cannot be a collaborator".into());
    if user == owner { Err(Error::invalid("Repository", "", message)) } else { Ok(()) }
}

/// Administrators remove any collaborator, and every user may leave. For an app's installation the permissions have
/// decided already.
pub fn check_removal(caller: &Principal, role: Option<Role>, user: Option<AccountId>) -> Result<()> {
    let is_own = user.is_some() && caller.user_id() == user;
    let administers = role >= Some(Role::Admin) || matches!(caller, Principal::Installation(_));
    if is_own || administers { Ok(()) } else { Err(Error::Forbidden("Must have admin rights to Repository.".into())) }
}

/// The error for a repository that cannot be created.
pub fn creation_failed(fields: Vec<FieldError>) -> Error {
    Error::Failed { message: "Repository creation failed.", fields }
}

/// Only the `repo` scope allows private repositories; `public_repo` does not.
pub fn check_scope(private: bool, caller: &Principal) -> Result<()> {
    let Principal::User(token) = caller else { return Ok(()) };
    match &token.limits {
        UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } if private && !scopes.grant(Scope::Repo) => {
            Err(Error::Forbidden("A private repository takes the repo scope".into()))
        }
        _ => Ok(()),
    }
}
