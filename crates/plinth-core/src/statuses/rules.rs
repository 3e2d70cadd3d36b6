//! Validation of statuses.

use plinth_base::error::{Code, Error, FieldError, Result};

use super::{CommitStatus, NewStatus};

const RESOURCE: &str = "Status";
/// Statuses of one commit and context, as on GitHub.
pub const STATUSES_MAX: i64 = 1_000;
const DESCRIPTION_LENGTH_MAX: usize = 140;
const CONTEXT_LENGTH_MAX: usize = 255;
const TARGET_URL_LENGTH_MAX: usize = 2_048;

/// Reports every invalid field.
pub fn check(new: &NewStatus) -> Result<()> {
    let mut invalid = Vec::new();
    let mut report = |field: &'static str, message: String| {
        invalid.push(FieldError::new(RESOURCE, field, Code::Custom(message)));
    };
    for (field, text, length_max) in [
        ("description", new.description.as_deref(), DESCRIPTION_LENGTH_MAX),
        ("context", Some(new.context.as_str()), CONTEXT_LENGTH_MAX),
        ("target_url", new.target_url.as_deref(), TARGET_URL_LENGTH_MAX),
    ] {
        let text = text.unwrap_or_default();
        if text.chars().count() > length_max {
            report(field, format!("{field} is too long (maximum is {length_max} characters)"));
        }
        if text.contains('\0') {
            report(field, format!("{field} contains a NUL character"));
        }
    }
    if new.target_url.as_deref().is_some_and(|url| !is_http(url)) {
        report("target_url", "target_url must use http(s) scheme".to_owned());
    }
    if invalid.is_empty() { Ok(()) } else { Err(Error::Invalid(invalid)) }
}

/// Clients open the URL, so it must not be a script.
fn is_http(url: &str) -> bool {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    let is_plain = |letter: char| !letter.is_control() && !letter.is_whitespace();
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) && url.chars().all(is_plain)
}

/// Whether a status has the content of a new one.
pub fn says_same(status: &CommitStatus, new: &NewStatus) -> bool {
    status.state == new.state && status.description == new.description && status.target_url == new.target_url
}

/// Case does not matter in contexts.
pub fn context_key(context: &str) -> String {
    context.to_lowercase()
}

pub fn no_commit(sha: &str) -> Error {
    Error::unprocessable(format!("No commit found for SHA: {sha}"))
}

pub fn too_many() -> Error {
    let message = "This SHA and context has reached the maximum number of statuses.";
    Error::invalid(RESOURCE, "", Code::Custom(message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statuses::StatusState;

    #[test]
    fn check_reports_every_invalid_field() {
        let good = NewStatus {
            state: StatusState::Success,
            context: "ci".into(),
            description: Some("x".repeat(140)),
            target_url: Some("HTTPS://ci.example.com/1".into()),
        };
        check(&good).expect("valid");
        let bad = NewStatus {
            description: Some("x".repeat(141)),
            target_url: Some("javascript:alert(1)".into()),
            context: "x".repeat(256),
            ..good
        };
        let Err(Error::Invalid(fields)) = check(&bad) else { panic!("not valid") };
        let fields: Vec<&str> = fields.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["description", "context", "target_url"]);
    }
}
