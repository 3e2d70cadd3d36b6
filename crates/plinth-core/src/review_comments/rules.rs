//! Validation of review comments.

use plinth_base::error::{Code, Error, FieldError, Result};

pub const RESOURCE: &str = "PullRequestReviewComment";
/// The longest body in UTF-8.
const BODY_BYTES_MAX: usize = 262_144;

/// The errors in a body.
pub fn body_errors(body: &str) -> Vec<FieldError> {
    let problem = if body.trim().is_empty() {
        "Body cannot be blank"
    } else if body.len() > BODY_BYTES_MAX {
        "Body is too long (maximum is 65536 characters)"
    } else if body.contains('\0') {
        "Body cannot contain NUL characters"
    } else {
        return Vec::new();
    };
    vec![FieldError::new(RESOURCE, "data", Code::Unprocessable(problem.into()))]
}

pub fn check_body(body: &str) -> Result<()> {
    finish(body_errors(body))
}

pub fn finish(errors: Vec<FieldError>) -> Result<()> {
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

/// Only the first comment of a thread can have replies.
pub fn reply_to_reply() -> Error {
    Error::unprocessable("Replies to replies are not supported: reply to the top-level comment of the thread.")
}

/// While an author has a pending review, all their comments belong to it.
pub fn has_pending() -> Error {
    let message = "user_id can only have one pending review per pull request".into();
    Error::invalid("PullRequestReview", "user_id", Code::Custom(message))
}

/// Why the position of a new comment is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidPosition {
    Commit,
    Path,
    Position,
    Line,
    LineNotPositive,
    StartNotPositive,
    StartNotBefore,
    StartElsewhere,
}

impl InvalidPosition {
    /// The error objects that GitHub returns. Without a position there is no hunk, which is an error of its own.
    pub fn errors(self) -> Vec<FieldError> {
        let (field, problem, without_hunk) = match self {
            InvalidPosition::Commit => ("end_commit_oid", Some(" is not part of the pull request"), true),
            InvalidPosition::Path => ("path", None, true),
            InvalidPosition::Position => ("position", None, true),
            InvalidPosition::Line => ("line", Some(" must be part of the diff"), true),
            InvalidPosition::LineNotPositive => ("line", Some(" required and an integer greater than zero"), false),
            InvalidPosition::StartNotPositive => {
                ("start_line", Some(" required and an integer greater than zero"), false)
            }
            InvalidPosition::StartNotBefore => ("start_line", Some(" must precede the end line."), false),
            InvalidPosition::StartElsewhere => {
                ("start_line", Some(" must be part of the same hunk as the line."), false)
            }
        };
        let field = format!("pull_request_review_thread.{field}");
        let code = match problem {
            Some(problem) => Code::Custom(format!("{field}{problem}")),
            None => Code::Invalid,
        };
        let mut errors = vec![FieldError::new(RESOURCE, field, code)];
        if without_hunk {
            errors.push(FieldError::new(RESOURCE, "pull_request_review_thread.diff_hunk", Code::MissingField));
        }
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_errors_rejects_blank_too_long_and_nul() {
        let problem = |body: &str| match body_errors(body).pop() {
            Some(FieldError { code: Code::Unprocessable(text), .. }) => text,
            Some(other) => format!("{other:?}"),
            None => String::new(),
        };
        assert_eq!(problem("x"), "");
        assert_eq!(problem(" \n\t"), "Body cannot be blank");
        assert_eq!(problem("a\0b"), "Body cannot contain NUL characters");
        assert_eq!(problem(&"x".repeat(BODY_BYTES_MAX)), "");
        assert_eq!(problem(&"x".repeat(BODY_BYTES_MAX + 1)), "Body is too long (maximum is 65536 characters)");
        assert_eq!(problem(&"🦀".repeat(65_536)), "", "as many characters of any size");
    }
}
