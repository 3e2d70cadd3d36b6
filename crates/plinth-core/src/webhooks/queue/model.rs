//! What the queue reads and stores.

use plinth_base::clock::Timestamp;
use plinth_base::ids::{DeliveryId, MessageId, RepoId, WebhookId};
use plinth_store::from_row;

/// A hook with pending deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueHook {
    pub hook: WebhookId,
    /// Whether one of them can be sent now.
    pub is_due: bool,
}

from_row!(DueHook { hook, is_due });

/// A delivery that this node sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claimed {
    pub delivery: DeliveryId,
    pub message: MessageId,
    pub attempt: i64,
    pub redelivery: bool,
    pub repo: Option<RepoId>,
}

from_row!(Claimed { delivery, message, attempt, redelivery, repo });

/// The result of an attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub claimed: Claimed,
    pub delivered_at: Timestamp,
    pub duration_ms: i64,
    pub status: String,
    pub status_code: Option<i64>,
    pub request_headers: String,
    pub response_headers: Option<String>,
    pub response_body: Option<String>,
    /// When the next attempt is due, if there is one.
    pub retry_at: Option<Timestamp>,
}
