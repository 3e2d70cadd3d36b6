//! The error type of the service: a variant for each row of the error table, without HTTP.

use std::fmt;

/// The result of every fallible function of the service.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request fails. The crate plinth-api decides how each one looks in a response.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be parsed: broken JSON, an unknown API version.
    #[error("{0}")]
    BadRequest(String),
    /// A credential is missing or not valid.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// The caller may see the resource, but may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// Absent, or not visible to this caller: the two must look the same.
    #[error("not found")]
    NotFound,
    /// Something that the request names besides the resource of its path is absent.
    #[error("{0}")]
    Missing(&'static str),
    /// As `Missing`, with the name that the request has for it.
    #[error("{0}")]
    MissingNamed(String),
    /// The resource is in a state in which it does not have the operation.
    #[error("{0}")]
    NotAllowed(String),
    /// The state of the resource does not allow the operation now.
    #[error("{0}")]
    Conflict(String),
    /// The body is larger than its limit in bytes.
    #[error("the body is larger than {0} bytes")]
    BodyTooLarge(usize),
    /// The request target is longer than its limit in bytes.
    #[error("the URL is longer than {0} bytes")]
    UriTooLong(usize),
    /// The headers together are larger than their limit in bytes.
    #[error("the headers are larger than {0} bytes")]
    HeadersTooLarge(usize),
    /// The request has more header lines than this.
    #[error("there are more than {0} headers")]
    TooManyHeaders(usize),
    /// None of the media types in `Accept` can be served.
    #[error("cannot serve {0}")]
    NotAcceptable(String),
    /// The JSON does not have the documented shape; one sentence per violation.
    #[error("{}", .0.join(" "))]
    Shape(Vec<String>),
    /// The values break a rule; one object per broken field.
    #[error("invalid fields: {}", FieldList(.0))]
    Invalid(Vec<FieldError>),
    /// As `Invalid`, with a message of the operation.
    #[error("{message} {}", FieldList(.fields))]
    Failed { message: &'static str, fields: Vec<FieldError> },
    /// As `Invalid`, for operations that report plain sentences instead of objects.
    #[error("{}", .0.join(" "))]
    InvalidPlain(Vec<String>),
    /// The values are well formed but cannot be processed; one sentence says why.
    #[error("{0}")]
    Unprocessable(String),
    /// The objects of a repository require more work than one request may cause. A retry changes nothing.
    #[error("{0}")]
    OverBudget(&'static str),
    /// The hourly rate limit of this caller is used up.
    #[error("{0}")]
    RateLimited(String),
    /// Content is created too quickly.
    #[error("content is created too quickly")]
    SecondaryLimited { retry_after_seconds: u64 },
    /// The service cannot respond now; the caller may retry.
    #[error("{0}")]
    Unavailable(String),
    /// An internal error; the cause is logged once and never shown.
    #[error("internal error: {0}")]
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// An internal error without an error value of its own.
    pub fn internal(cause: impl Into<String>) -> Self {
        Error::Internal(cause.into().into())
    }

    /// One broken field.
    pub fn invalid(resource: &'static str, field: &'static str, code: Code) -> Self {
        Error::Invalid(vec![FieldError::new(resource, field, code)])
    }

    /// One sentence about a value that cannot be processed.
    pub fn unprocessable(message: impl Into<String>) -> Self {
        Error::Unprocessable(message.into())
    }
}

/// One broken field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    pub resource: &'static str,
    /// Empty if the error is about the resource as a whole.
    pub field: String,
    pub code: Code,
}

impl FieldError {
    pub fn new(resource: &'static str, field: impl Into<String>, code: Code) -> Self {
        Self { resource, field: field.into(), code }
    }
}

/// The codes of field errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    Missing,
    MissingField,
    Invalid,
    /// Invalid, with a sentence that clients show.
    InvalidBecause(String),
    AlreadyExists,
    Unprocessable(String),
    Custom(String),
}

struct FieldList<'a>(&'a [FieldError]);

impl fmt::Display for FieldList<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(out, "{separator}{}", error.field)?;
            if let (Code::Custom(text), "") = (&error.code, error.field.as_str()) {
                write!(out, "{text}")?;
                continue;
            }
            match &error.code {
                Code::Missing => write!(out, " does not exist")?,
                Code::MissingField => write!(out, " is missing")?,
                Code::Invalid => write!(out, " is invalid")?,
                Code::AlreadyExists => write!(out, " already exists")?,
                Code::InvalidBecause(text) | Code::Unprocessable(text) | Code::Custom(text) => write!(out, ": {text}")?,
            }
        }
        Ok(())
    }
}

impl From<std::io::Error> for Error {
    /// A full, read-only or failing disk is not an internal error, and may be repaired while the service runs.
    fn from(error: std::io::Error) -> Self {
        if is_storage_failure(&error) {
            return Error::Unavailable(format!("the storage does not accept writes: {error}"));
        }
        Error::Internal(error.into())
    }
}

/// The error number of a failing disk.
const EIO: i32 = 5;

fn is_storage_failure(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem)
        || error.raw_os_error() == Some(EIO)
}

/// Texts of error numbers, and what git says instead when a write wrote nothing.
const STORAGE_FAILURES: [&str; 5] = [
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Input/output error",
    "Out of diskspace",
];

/// Whether the error message of a child process reports a storage failure.
pub fn reports_storage_failure(message: &str) -> bool {
    STORAGE_FAILURES.iter().any(|failure| message.contains(failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_git_about_a_full_disk_are_storage_failures() {
        for message in [
            "fatal: sha1 file '/pack/tmp_idx_n5M7BW' write error. Out of diskspace",
            "fatal: write error: No space left on device",
        ] {
            assert!(reports_storage_failure(message), "{message}");
        }
        assert!(!reports_storage_failure("fatal: pack is corrupted (SHA1 mismatch)"));
    }
}
