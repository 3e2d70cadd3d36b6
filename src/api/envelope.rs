//! What the body of a refusal says.

use http::StatusCode;
use serde::Serialize;
use serde::ser::SerializeMap;

use super::access::Row;
use crate::error::{Code, Error, FieldError};
use crate::urls::Urls;

/// An error with where it happened.
pub(super) struct Envelope<'a> {
    pub error: &'a Error,
    pub status: StatusCode,
    pub row: Option<&'a Row>,
    pub urls: &'a Urls,
}

impl Serialize for Envelope<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("message", &message(self.error))?;
        match self.error {
            Error::Invalid(fields) => {
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
    /// Clients recognize limits by the end of this address; a refusal before routing belongs to no operation.
    fn documentation_url(&self) -> String {
        match (self.error, self.row) {
            (Error::RateLimited(_), _) => self.urls.documentation("rate-limits-for-the-rest-api").to_string(),
            (Error::SecondaryLimited { .. }, _) => self.urls.documentation("about-secondary-rate-limits").to_string(),
            (Error::Unauthenticated(_), _) | (_, None) => format!("{}/docs", self.urls.web()),
            (_, Some(row)) => self.urls.documentation(row.operation).to_string(),
        }
    }
}

/// The sentence of an error, without its details.
pub(super) fn message(error: &Error) -> String {
    match error {
        Error::NotFound => "Not Found".into(),
        Error::NotAcceptable(accept) => {
            format!("Unsupported 'Accept' header: '{accept}'. Must accept 'application/json'.")
        }
        Error::BodyTooLarge(limit) => format!("The request body is larger than {limit} bytes."),
        Error::UriTooLong(limit) => format!("The request target is longer than {limit} bytes."),
        Error::Shape(sentences) => format!("Invalid request.\n\n{}", sentences.join("\n")),
        Error::Invalid(_) | Error::InvalidPlain(_) => "Validation Failed".into(),
        Error::SecondaryLimited { .. } => {
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.".into()
        }
        Error::Unavailable(_) => "Service unavailable. Please try again in a moment.".into(),
        Error::Internal(_) => "Server Error".into(),
        Error::BadRequest(_)
        | Error::Unauthenticated(_)
        | Error::Forbidden(_)
        | Error::Conflict(_)
        | Error::Unprocessable(_)
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
            Code::Unprocessable(text) => ("unprocessable", Some(text)),
            Code::Custom(text) => ("custom", Some(text)),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("resource", self.0.resource)?;
        map.serialize_entry("code", code)?;
        map.serialize_entry("field", &self.0.field)?;
        if let Some(message) = message {
            map.serialize_entry("message", message)?;
        }
        map.end()
    }
}
