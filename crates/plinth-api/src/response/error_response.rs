//! Error responses: every row of the error table, and what clients read.

use crate::response::content_type::with_type;
use axum::response::Response;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde::ser::SerializeMap;

use super::content_type::JSON;
use crate::policy::{Row, Wire};
use plinth_base::error::{Code, Error, FieldError};
use plinth_base::urls::Urls;

/// What git shows to its user.
const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// Git asks for a password only after this challenge.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Basic realm=\"Plinth\", charset=\"UTF-8\"");
const OVERLOAD_RETRY_SECONDS: u64 = 1;

/// Every row of the error table.
fn status(error: &Error) -> StatusCode {
    match error {
        Error::BadRequest(_) => StatusCode::BAD_REQUEST,
        Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
        Error::Forbidden(_) | Error::RateLimited(_) | Error::SecondaryLimited { .. } => StatusCode::FORBIDDEN,
        Error::NotFound | Error::Missing(_) | Error::MissingNamed(_) => StatusCode::NOT_FOUND,
        Error::NotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
        Error::Conflict(_) => StatusCode::CONFLICT,
        Error::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Error::UriTooLong(_) => StatusCode::URI_TOO_LONG,
        Error::HeadersTooLarge(_) | Error::TooManyHeaders(_) => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        Error::NotAcceptable(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Error::Shape(_)
        | Error::Invalid(_)
        | Error::Failed { .. }
        | Error::InvalidPlain(_)
        | Error::Unprocessable(_)
        | Error::OverBudget(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The error response.
pub fn error_response(error: &Error, row: Option<&Row>, urls: &Urls) -> Response {
    let status = status(error);
    let mut response = match row.map_or(Wire::Json, |row| row.wire) {
        Wire::Json | Wire::Upload => {
            let envelope = Envelope { error, status, row, urls };
            let body = serde_json::to_vec(&envelope).expect("the envelope has text keys and no failing parts");
            with_type(JSON, body)
        }
        Wire::Git => git_error(error),
    };
    *response.status_mut() = status;
    let retry_after = match error {
        Error::SecondaryLimited { retry_after_seconds } => Some(*retry_after_seconds),
        Error::Unavailable(_) => Some(OVERLOAD_RETRY_SECONDS),
        _ => None,
    };
    retry_after.map(|seconds| response.headers_mut().insert(RETRY_AFTER, seconds.into()));
    response
}

/// A sentence that the git client shows to its user.
fn git_error(error: &Error) -> Response {
    let text = match error {
        Error::NotFound => "Repository not found.".into(),
        other => message(other),
    };
    let mut response = with_type(PLAIN_TEXT, format!("{text}\n"));
    if let Error::Unauthenticated(_) = error {
        response.headers_mut().insert(WWW_AUTHENTICATE, CHALLENGE);
    }
    response
}

struct Envelope<'a> {
    error: &'a Error,
    status: StatusCode,
    row: Option<&'a Row>,
    urls: &'a Urls,
}

impl Serialize for Envelope<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("message", &message(self.error))?;
        match self.error {
            Error::Invalid(fields) | Error::Failed { fields, .. } => {
                map.serialize_entry("errors", &fields.iter().map(Field).collect::<Vec<_>>())?;
            }
            Error::InvalidPlain(sentences) => map.serialize_entry("errors", sentences)?,
            _ => {}
        }
        map.serialize_entry("documentation_url", &self.documentation_url())?;
        map.serialize_entry("status", self.status.as_str())?;
        map.end()
    }
}

impl Envelope<'_> {
    /// Clients recognize limits by the end of this URL. An error before routing belongs to no operation.
    fn documentation_url(&self) -> String {
        match (self.error, self.row) {
            (Error::RateLimited(_), _) => self.urls.documentation("rate-limits-for-the-rest-api").to_string(),
            (Error::SecondaryLimited { .. }, _) => self.urls.documentation("about-secondary-rate-limits").to_string(),
            (Error::Unauthenticated(_), _) | (_, None) => format!("{}/docs", self.urls.web()),
            (_, Some(row)) => self.urls.documentation(row.operation).to_string(),
        }
    }
}

fn message(error: &Error) -> String {
    match error {
        Error::NotFound => "Not Found".into(),
        Error::NotAcceptable(accept) => {
            format!("Unsupported 'Accept' header: '{accept}'. Must accept 'application/json'.")
        }
        Error::BodyTooLarge(limit) => format!("The request body is larger than {limit} bytes."),
        Error::UriTooLong(limit) => format!("The request target is longer than {limit} bytes."),
        Error::HeadersTooLarge(limit) => format!("The request headers are larger than {limit} bytes."),
        Error::TooManyHeaders(limit) => format!("The request has more than {limit} headers."),
        Error::Shape(sentences) => format!("Invalid request.\n\n{}", sentences.join("\n")),
        Error::Invalid(_) | Error::InvalidPlain(_) => "Validation Failed".into(),
        Error::Failed { message, .. } => (*message).into(),
        Error::SecondaryLimited { .. } => {
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.".into()
        }
        Error::Unavailable(_) => "Service unavailable. Please try again in a moment.".into(),
        Error::Internal(_) => "Server Error".into(),
        Error::BadRequest(_)
        | Error::Unauthenticated(_)
        | Error::Forbidden(_)
        | Error::Missing(_)
        | Error::MissingNamed(_)
        | Error::NotAllowed(_)
        | Error::Conflict(_)
        | Error::Unprocessable(_)
        | Error::OverBudget(_)
        | Error::RateLimited(_) => error.to_string(),
    }
}

struct Field<'a>(&'a FieldError);

impl Serialize for Field<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (code, message) = match &self.0.code {
            Code::Missing => ("missing", None),
            Code::MissingField => ("missing_field", None),
            Code::Invalid => ("invalid", None),
            Code::AlreadyExists => ("already_exists", None),
            Code::InvalidBecause(text) => ("invalid", Some(text)),
            Code::Unprocessable(text) => ("unprocessable", Some(text)),
            Code::Custom(text) => ("custom", Some(text)),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("resource", self.0.resource)?;
        map.serialize_entry("code", code)?;
        if !self.0.field.is_empty() {
            map.serialize_entry("field", &self.0.field)?;
        }
        if let Some(message) = message {
            map.serialize_entry("message", message)?;
        }
        map.end()
    }
}
