//! Validation of pull requests.

use super::{NewPullRequest, PullRequestChanges};
use crate::access::Role;
use crate::repos::Repo;
use crate::tokens::Principal;
use plinth_base::error::{Code, Error, FieldError, Result};
use plinth_base::ids::{AccountId, Sha};

pub const RESOURCE: &str = "PullRequest";
const TITLE_CHARACTERS_MAX: usize = 256;
const BODY_BYTES_MAX: usize = 262_144;

/// The author may edit, and so may everyone who can push. For an app's installation the permissions have decided already.
pub fn check_editor(caller: &Principal, role: Option<Role>, author: Option<AccountId>) -> Result<()> {
    let is_author = caller.actor().is_some() && caller.actor() == author;
    let may_edit = is_author || may_edit_all(caller, role);
    if may_edit { Ok(()) } else { Err(Error::Forbidden("Must have push access to repository".into())) }
}

/// Whether the caller may edit what others have written.
pub fn may_edit_all(caller: &Principal, role: Option<Role>) -> bool {
    role >= Some(Role::Write) || matches!(caller, Principal::Installation(_))
}

pub fn check_new(new: &NewPullRequest) -> Result<()> {
    let mut errors = Vec::new();
    check_title(&new.title, &mut errors);
    check_body(new.body.as_deref(), &mut errors);
    finish(errors)
}

pub fn check_changes(changes: &PullRequestChanges) -> Result<()> {
    let mut errors = Vec::new();
    if let Some(title) = &changes.title {
        check_title(title, &mut errors);
    }
    check_body(changes.body.as_ref().and_then(|body| body.as_deref()), &mut errors);
    finish(errors)
}

fn check_title(title: &str, errors: &mut Vec<FieldError>) {
    if title.trim().is_empty() {
        errors.push(FieldError::new(RESOURCE, "title", Code::MissingField));
    } else if title.chars().count() > TITLE_CHARACTERS_MAX {
        let message = format!("title is too long (maximum is {TITLE_CHARACTERS_MAX} characters)");
        errors.push(FieldError::new(RESOURCE, "title", Code::Custom(message)));
    } else if title.contains('\0') {
        errors.push(FieldError::new(RESOURCE, "title", Code::Invalid));
    }
}

fn check_body(body: Option<&str>, errors: &mut Vec<FieldError>) {
    let body = body.unwrap_or_default();
    if body.len() > BODY_BYTES_MAX {
        let message = "body is too long (maximum is 65536 characters)".into();
        errors.push(FieldError::new(RESOURCE, "body", Code::Custom(message)));
    } else if body.contains('\0') {
        errors.push(FieldError::new(RESOURCE, "body", Code::Invalid));
    }
}

fn finish(errors: Vec<FieldError>) -> Result<()> {
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

/// The branch that `branch` or `owner:branch` names; heads in other repositories are not supported.
pub fn head_branch<'a>(repo: &Repo, head: &'a str) -> Option<&'a str> {
    match head.split_once(':') {
        None => Some(head),
        Some((owner, branch)) if owner.eq_ignore_ascii_case(&repo.owner_login) => Some(branch),
        Some(_) => None,
    }
}

/// The tips of both branches, if both exist.
pub fn check_branches(base: Option<Sha>, head: Option<Sha>) -> Result<(Sha, Sha)> {
    if let (Some(base), Some(head)) = (base, head) {
        return Ok((base, head));
    }
    let missing = [("base", base), ("head", head)].into_iter().filter(|(_, tip)| tip.is_none());
    Err(Error::Invalid(missing.map(|(field, _)| FieldError::new(RESOURCE, field, Code::Invalid)).collect()))
}

pub fn base_not_found(base: &str) -> Error {
    let message = format!("Proposed base branch '{base}' was not found");
    Error::invalid(RESOURCE, "base", Code::InvalidBecause(message))
}

/// A pull request that is merged has nothing left to propose.
pub fn already_merged(field: &'static str) -> Error {
    let message = format!("{field} cannot be changed. The pull request has already been merged.");
    Error::invalid(RESOURCE, field, Code::InvalidBecause(message))
}

/// An empty body is stored like an absent one.
pub fn non_empty(body: Option<String>) -> Option<String> {
    body.filter(|body| !body.is_empty())
}

pub fn no_commits(base: &str, head: &str) -> Error {
    Error::invalid(RESOURCE, "head", Code::Custom(format!("No commits between {base} and {head}")))
}

pub fn no_history(base: &str, head: &str) -> Error {
    let message = format!("The {head} branch has no history in common with {base}");
    Error::invalid(RESOURCE, "head", Code::Custom(message))
}

pub fn already_open(repo: &Repo, head: &str) -> Error {
    let message = format!("A pull request already exists for {}:{head}.", repo.owner_login);
    Error::invalid(RESOURCE, "head", Code::Custom(message))
}
