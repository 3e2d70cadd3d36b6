//! Counts that have a limit.

use std::time::Duration;

use crate::rate_limit::LimitKey;
use plinth_base::ids::AccountId;

/// Whose count it is, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counter {
    Requests(LimitKey),
    ContentMinute(AccountId),
    ContentHour(AccountId),
}

impl Counter {
    pub fn key(self) -> String {
        match self {
            Counter::Requests(LimitKey::User(id)) => format!("user {id}"),
            Counter::Requests(LimitKey::Installation(id)) => format!("installation {id}"),
            Counter::Requests(LimitKey::Address(address)) => format!("address {address}"),
            Counter::ContentMinute(id) => format!("content in a minute {id}"),
            Counter::ContentHour(id) => format!("content in an hour {id}"),
        }
    }
}

/// A limit on a count in windows of fixed length.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub max: i64,
    pub seconds: i64,
}

/// What is known of a count after it was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    pub is_admitted: bool,
    /// What other nodes have leased counts as used.
    pub used: i64,
    pub ends_in: Duration,
}
