//! Validation of issues.

use super::{IssueChanges, NewIssue};
use crate::access::Role;
use crate::labels;
use crate::tokens::Principal;
use plinth_base::error::{Code, Error, FieldError, Result};
use plinth_base::ids::AccountId;

pub const RESOURCE: &str = "Issue";
const TITLE_CHARACTERS_MAX: usize = 256;
const BODY_CHARACTERS_MAX: usize = 65_536;
pub const LABELS_MAX: usize = 100;
pub const ASSIGNEES_MAX: usize = 10;

/// Whether the caller may set labels and assignees. For an app's installation the permissions have decided already.
pub fn may_triage(caller: &Principal, role: Option<Role>) -> bool {
    role >= Some(Role::Triage) || matches!(caller, Principal::Installation(_))
}

/// As [`may_triage`], for the values of issue fields.
pub fn may_push(caller: &Principal, role: Option<Role>) -> bool {
    role >= Some(Role::Write) || matches!(caller, Principal::Installation(_))
}

/// The author may edit an issue, and so may everyone who can sort issues.
pub fn check_editor(caller: &Principal, role: Option<Role>, author: Option<AccountId>) -> Result<()> {
    let is_author = caller.actor().is_some() && caller.actor() == author;
    if is_author || may_triage(caller, role) {
        return Ok(());
    }
    Err(Error::Forbidden("Must have triage access to repository".into()))
}

pub fn check_new(new: &NewIssue) -> Result<()> {
    let mut errors = Vec::new();
    check_title(&new.title, &mut errors);
    check_body(new.body.as_deref(), &mut errors);
    finish(errors)?;
    check_label_names(&new.labels)
}

pub fn check_changes(changes: &IssueChanges) -> Result<()> {
    let mut errors = Vec::new();
    if let Some(title) = &changes.title {
        check_title(title, &mut errors);
    }
    check_body(changes.body.as_ref().and_then(|body| body.as_deref()), &mut errors);
    finish(errors)?;
    check_label_names(changes.labels.as_deref().unwrap_or_default())
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
    if body.chars().count() > BODY_CHARACTERS_MAX {
        let message = format!("body is too long (maximum is {BODY_CHARACTERS_MAX} characters)");
        errors.push(FieldError::new(RESOURCE, "body", Code::Custom(message)));
    } else if body.contains('\0') {
        errors.push(FieldError::new(RESOURCE, "body", Code::Invalid));
    }
}

fn finish(errors: Vec<FieldError>) -> Result<()> {
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

/// Labels that do not exist are created, so their names must be valid.
pub fn check_label_names(labels: &[labels::NewLabel]) -> Result<()> {
    labels.iter().try_for_each(labels::rules::check_new)
}

pub fn check_label_count(count: usize) -> Result<()> {
    if count <= LABELS_MAX {
        return Ok(());
    }
    let message = format!("An issue can have at most {LABELS_MAX} labels");
    Err(Error::invalid(RESOURCE, "labels", Code::InvalidBecause(message)))
}

pub fn check_assignee_count(count: usize) -> Result<()> {
    if count <= ASSIGNEES_MAX {
        return Ok(());
    }
    let message = format!("An issue can have at most {ASSIGNEES_MAX} assignees");
    Err(Error::invalid(RESOURCE, "assignees", Code::InvalidBecause(message)))
}

/// Only users with a role in the repository can be assigned.
pub fn invalid_assignee() -> Error {
    Error::invalid(RESOURCE, "assignees", Code::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::NewLabel;

    fn new(title: &str, body: &str) -> NewIssue {
        NewIssue { title: title.into(), body: Some(body.into()), ..NewIssue::default() }
    }

    #[test]
    fn new_issue_reports_every_invalid_field() {
        assert!(check_new(&new("a", "")).is_ok());
        assert!(check_new(&new(&"\u{e9}".repeat(256), &"\u{e9}".repeat(65_536))).is_ok());
        let Err(Error::Invalid(errors)) = check_new(&new(" ", &"x".repeat(65_537))) else {
            panic!("two invalid fields")
        };
        assert_eq!(errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), ["title", "body"]);
        assert!(check_new(&new(&"x".repeat(257), "")).is_err());
        assert!(check_new(&new("a\0", "b\0")).is_err());
    }

    #[test]
    fn new_issue_rejects_invalid_names_of_labels() {
        let labels = vec![NewLabel::named("bug"), NewLabel::named("x".repeat(51))];
        assert!(check_new(&NewIssue { labels, ..new("a", "") }).is_err());
    }
}
