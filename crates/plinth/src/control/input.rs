//! What requests to the control interface contain.

use axum::body::Body;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};

/// A state file with small files in it, or with a snapshot.
const BODY_BYTES_MAX: usize = 64 << 20;
const NAME_LENGTH_MAX: usize = 64;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSnapshot {
    pub name: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewNamespace {
    pub name: Option<String>,
    /// A snapshot of the namespace that is asked; without it, the initial state.
    pub snapshot: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockChange {
    pub now: Option<Timestamp>,
    pub advance_seconds: Option<i64>,
    pub frozen: Option<bool>,
}

/// Which requests of the log.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestFilter {
    pub method: Option<String>,
    pub path: Option<String>,
    pub operation: Option<String>,
    pub status: Option<u16>,
    /// Only requests with a higher id.
    pub after: Option<u64>,
    /// Only requests that no route matches.
    #[serde(default)]
    pub unmatched: bool,
}

/// What to wait for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitQuery {
    pub method: Option<String>,
    pub path: Option<String>,
    pub operation: Option<String>,
    pub status: Option<u16>,
    pub after: Option<u64>,
    /// Every webhook of every change has been sent and responded to.
    #[serde(default)]
    pub deliveries: bool,
    pub timeout_ms: Option<u64>,
}

impl WaitQuery {
    pub fn filter(&self) -> RequestFilter {
        RequestFilter {
            method: self.method.clone(),
            path: self.path.clone(),
            operation: self.operation.clone(),
            status: self.status,
            after: self.after,
            unmatched: false,
        }
    }
}

/// The body as text.
pub async fn read_text(body: Body) -> Result<String> {
    let bytes = axum::body::to_bytes(body, BODY_BYTES_MAX).await.map_err(|_| Error::BodyTooLarge(BODY_BYTES_MAX))?;
    String::from_utf8(bytes.into()).map_err(|_| Error::BadRequest("the body is not UTF-8".into()))
}

/// The body as JSON; an empty one is an empty object.
pub async fn read_json<T: DeserializeOwned>(body: Body) -> Result<T> {
    let text = read_text(body).await?;
    let text = if text.trim().is_empty() { "{}" } else { &text };
    serde_json::from_str(text).map_err(|error| Error::BadRequest(format!("the body is not valid: {error}")))
}

pub fn read_query<T: DeserializeOwned>(query: Option<&str>) -> Result<T> {
    serde_urlencoded::from_str(query.unwrap_or_default())
        .map_err(|error| Error::BadRequest(format!("the query is not valid: {error}")))
}

/// A name of a snapshot or a namespace: it is part of a path.
pub fn check_name(name: &str) -> Result<()> {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    if name.is_empty() || name.len() > NAME_LENGTH_MAX || !name.chars().all(is_allowed) {
        return Err(Error::unprocessable(
            "a name has 1 to 64 characters: letters, digits, hyphens, underscores and dots",
        ));
    }
    Ok(())
}
