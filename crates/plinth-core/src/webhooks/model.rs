//! Hooks, messages and deliveries as they are stored.

use std::fmt::Write as _;
use std::str::FromStr;

use plinth_base::clock::Timestamp;
use plinth_base::ids::{DeliveryId, InstallationId, MessageId, RepoId, WebhookId};
use plinth_store::{DbError, FromRow, Row, from_row, text_column};

pub use super::owner::WebhookOwner;
use super::secret::SealedSecret;
use crate::apps::EventNames;

/// The name that subscribes a hook to all events.
pub const ALL_EVENTS: &str = "*";

/// A URL that is sent events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    pub owner: WebhookOwner,
    pub url: String,
    pub content_type: ContentType,
    pub secret: Option<SealedSecret>,
    /// Whether the certificate of the receiver is not verified.
    pub insecure_ssl: bool,
    /// The events that the hook is sent; the list of an app is that of the app's row instead.
    pub events: EventNames,
    pub active: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Webhook {
    /// Whether the hook is active and subscribed to an event of this name. For hooks of repositories and organizations.
    pub fn wants(&self, event: &str) -> bool {
        self.active && self.events.0.iter().any(|name| name == event || name == ALL_EVENTS)
    }
}

impl FromRow for Webhook {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get(0)?,
            owner: WebhookOwner::from_columns(row.get(1)?, row.get(2)?, row.get(3)?)?,
            url: row.get(4)?,
            content_type: row.get(5)?,
            secret: row.get(6)?,
            insecure_ssl: row.get(7)?,
            events: row.get(8)?,
            active: row.get(9)?,
            created_at: row.get(10)?,
            updated_at: row.get(11)?,
        })
    }
}

/// How a payload is encoded in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContentType {
    Json,
    #[default]
    Form,
}

impl ContentType {
    pub fn as_str(self) -> &'static str {
        match self {
            ContentType::Json => "json",
            ContentType::Form => "form",
        }
    }
}

impl FromStr for ContentType {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [ContentType::Json, ContentType::Form].into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

text_column!(ContentType);

/// Whom a payload is rendered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient {
    pub hook: WebhookId,
    /// The installation through which an app receives the event.
    pub installation: Option<InstallationId>,
}

/// What one hook is sent about one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub webhook_id: WebhookId,
    /// `X-GitHub-Delivery`: the same for every attempt.
    pub guid: String,
    pub event: String,
    pub action: Option<String>,
    pub repo_id: Option<RepoId>,
    pub installation_id: Option<InstallationId>,
    /// JSON, however the request encodes it.
    pub payload: String,
    pub created_at: Timestamp,
}

from_row!(Message { id, webhook_id, guid, event, action, repo_id, installation_id, payload, created_at });

/// How the last delivery to a hook ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastResponse {
    pub status: String,
    /// `None` if there was no response.
    pub code: Option<i64>,
}

impl LastResponse {
    pub fn is_success(&self) -> bool {
        self.code.is_some_and(|code| (200..300).contains(&code))
    }
}

/// A hook with the outcome of its last delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookWithResponse {
    pub hook: Webhook,
    pub last_response: Option<LastResponse>,
}

impl FromRow for WebhookWithResponse {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let (status, code) = (row.get::<Option<String>>(12)?, row.get(13)?);
        let last_response = status.map(|status| LastResponse { status, code });
        Ok(Self { hook: Webhook::from_row(row)?, last_response })
    }
}

/// A message to insert.
#[derive(Debug, Clone)]
pub struct NewMessage {
    pub webhook: WebhookId,
    pub guid: String,
    pub event: String,
    pub action: Option<String>,
    pub repo: Option<RepoId>,
    pub installation: Option<InstallationId>,
    pub payload: String,
}

/// One attempt to deliver a message. It is pending until `delivered_at` is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub message_id: MessageId,
    pub webhook_id: WebhookId,
    /// Whether somebody asked for another delivery; false for automatic attempts.
    pub redelivery: bool,
    pub attempt: i64,
    pub due_at: Timestamp,
    pub claimed_until: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub duration_ms: Option<i64>,
    /// `OK`, the reason phrase of another status, or why there was no response.
    pub status: Option<String>,
    pub status_code: Option<i64>,
    /// A JSON object from names to values.
    pub request_headers: Option<String>,
    /// A JSON object from names to values.
    pub response_headers: Option<String>,
    pub response_body: Option<String>,
}

from_row!(Delivery {
    id,
    message_id,
    webhook_id,
    redelivery,
    attempt,
    due_at,
    claimed_until,
    delivered_at,
    duration_ms,
    status,
    status_code,
    request_headers,
    response_headers,
    response_body,
});

/// A delivery to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewDelivery {
    pub message: MessageId,
    pub webhook: WebhookId,
    pub redelivery: bool,
    pub attempt: i64,
    pub due_at: Timestamp,
}

/// A random UUID for a message.
pub fn new_guid() -> String {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).expect("the system has a random generator");
    // Version 4, variant 1.
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        write!(text, "{byte:02x}").expect("a string accepts every write");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_guid_is_a_version_4_uuid() {
        let (one, two) = (new_guid(), new_guid());
        assert_ne!(one, two);
        let lengths: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert!(one.as_bytes()[14] == b'4' && b"89ab".contains(&one.as_bytes()[19]), "{one}");
    }
}
