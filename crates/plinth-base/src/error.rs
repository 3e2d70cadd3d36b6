//! The one error of the service: a variant for each row of the error table, and nothing about HTTP.

use std::fmt;

/// What every fallible function of the service returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request is refused. How each one looks on the wire is decided in `api/refusal.rs`.
#[derive(Debug)]
pub enum Error {
    /// The request cannot be read at all: broken JSON, an unknown API version.
    BadRequest(String),
    /// There is no credential where one is needed, or it is not good.
    Unauthenticated(&'static str),
    /// The caller is known and may see the resource, but not do this to it.
    Forbidden(String),
    /// Absent, or not visible to this caller: the two must look the same.
    NotFound,
    /// The state of the resource does not allow the operation now.
    Conflict(String),
    /// The body is larger than its limit in bytes.
    BodyTooLarge(usize),
    /// The request target is longer than its limit in bytes.
    UriTooLong(usize),
    /// The headers are together larger than their limit in bytes.
    HeadersTooLarge(usize),
    /// The request has more header lines than this.
    TooManyHeaders(usize),
    /// None of the media types in `Accept` can be served.
    NotAcceptable(String),
    /// The JSON does not have the shape that the operation describes; one sentence per violation.
    Shape(Vec<String>),
    /// The values break a rule; one object per broken field.
    Invalid(Vec<FieldError>),
    /// As `Invalid`, for operations whose description lists plain sentences instead of objects.
    InvalidPlain(Vec<String>),
    /// The values are well formed but cannot be processed, told in one sentence.
    Unprocessable(String),
    /// What the objects of a repository ask for is more than one request may compute. Asking again changes nothing.
    OverBudget(&'static str),
    /// The hourly budget of this caller is used up.
    RateLimited(String),
    /// Content is created too quickly.
    SecondaryLimited { retry_after_seconds: u64 },
    /// The service cannot answer now; the caller may try again.
    Unavailable(String),
    /// A fault of ours; the cause is logged once and never shown.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// A fault of ours that has no error value of its own.
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
    pub field: String,
    pub code: Code,
}

impl FieldError {
    pub fn new(resource: &'static str, field: impl Into<String>, code: Code) -> Self {
        Self { resource, field: field.into(), code }
    }
}

/// The vocabulary of field errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    Missing,
    MissingField,
    Invalid,
    AlreadyExists,
    Unprocessable(String),
    Custom(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BadRequest(text)
            | Error::Forbidden(text)
            | Error::Conflict(text)
            | Error::Unprocessable(text)
            | Error::RateLimited(text)
            | Error::Unavailable(text) => out.write_str(text),
            Error::Unauthenticated(text) | Error::OverBudget(text) => out.write_str(text),
            Error::NotFound => out.write_str("not found"),
            Error::BodyTooLarge(limit) => write!(out, "the body is larger than {limit} bytes"),
            Error::UriTooLong(limit) => write!(out, "the address is longer than {limit} bytes"),
            Error::HeadersTooLarge(limit) => write!(out, "the headers are larger than {limit} bytes"),
            Error::TooManyHeaders(limit) => write!(out, "there are more than {limit} headers"),
            Error::NotAcceptable(accept) => write!(out, "cannot serve {accept}"),
            Error::Shape(sentences) | Error::InvalidPlain(sentences) => out.write_str(&sentences.join(" ")),
            Error::Invalid(fields) => write!(out, "invalid fields: {}", FieldList(fields)),
            Error::SecondaryLimited { .. } => out.write_str("content is created too quickly"),
            Error::Internal(cause) => write!(out, "internal error: {cause}"),
        }
    }
}

struct FieldList<'a>(&'a [FieldError]);

impl fmt::Display for FieldList<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(out, "{separator}{}", error.field)?;
            match &error.code {
                Code::Missing => write!(out, " does not exist")?,
                Code::MissingField => write!(out, " is missing")?,
                Code::Invalid => write!(out, " is invalid")?,
                Code::AlreadyExists => write!(out, " already exists")?,
                Code::Unprocessable(text) | Code::Custom(text) => write!(out, ": {text}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    /// A disk that is full, read-only or failing is no fault of the program, and may be repaired while it runs.
    fn from(error: std::io::Error) -> Self {
        if is_storage_failure(&error) {
            return Error::Unavailable(format!("the storage does not take it: {error}"));
        }
        Error::Internal(error.into())
    }
}

/// The number of the error that a failing disk gives.
const INPUT_OUTPUT_ERROR: i32 = 5;

fn is_storage_failure(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem)
        || error.raw_os_error() == Some(INPUT_OUTPUT_ERROR)
}

/// The same for what a child process reports in words.
pub fn reports_storage_failure(words: &str) -> bool {
    ["No space left on device", "Disk quota exceeded", "Read-only file system", "Input/output error"]
        .iter()
        .any(|failure| words.contains(failure))
}
