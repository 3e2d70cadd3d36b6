//! Device codes and what becomes of them.

use std::str::FromStr;

use crate::tokens::Secret;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId};
use plinth_store::{from_row, text_column};

/// How long a user has to approve.
pub const LIFETIME_SECONDS: i64 = 15 * 60;
/// How long a device waits between two questions, at first.
pub const INTERVAL_SECONDS: i64 = 5;
/// By how much that grows when it does not wait.
pub const SLOW_DOWN_SECONDS: i64 = 5;

/// A code that a device waits on.
#[derive(Debug, Clone)]
pub struct DeviceCode {
    pub id: i64,
    pub app_id: AppId,
    /// Separated by commas.
    pub scopes: String,
    pub interval_seconds: i64,
    pub expires_at: Timestamp,
    pub polled_at: Option<Timestamp>,
    pub decision: Option<Decision>,
    pub user_id: Option<AccountId>,
}

from_row!(DeviceCode { id, app_id, scopes, interval_seconds, expires_at, polled_at, decision, user_id });

/// What the user said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Approve,
    Deny,
}

impl Decision {
    pub fn as_str(self) -> &'static str {
        match self {
            Decision::Approve => "approve",
            Decision::Deny => "deny",
        }
    }
}

impl FromStr for Decision {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Decision::Approve, Decision::Deny].into_iter().find(|decision| decision.as_str() == text).ok_or(())
    }
}

text_column!(Decision);

/// What a user says about a device.
#[derive(Debug, Clone)]
pub struct Approval {
    pub user_code: String,
    pub decision: Decision,
    /// What the user has seen the device ask for; denying takes none.
    pub confirmation: Option<String>,
}

/// What a device is told when it asks for its token.
#[derive(Debug)]
pub enum Answer {
    Token { secret: Secret, scope: String },
    Refused(Refusal),
}

/// Why there is no token, in the words that clients compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    AuthorizationPending,
    SlowDown { interval: i64 },
    ExpiredToken,
    AccessDenied,
    IncorrectDeviceCode,
    IncorrectClientCredentials,
    UnsupportedGrantType,
    BadVerificationCode,
    InvalidScope,
}

impl Refusal {
    pub fn code(self) -> &'static str {
        match self {
            Refusal::AuthorizationPending => "authorization_pending",
            Refusal::SlowDown { .. } => "slow_down",
            Refusal::ExpiredToken => "expired_token",
            Refusal::AccessDenied => "access_denied",
            Refusal::IncorrectDeviceCode => "incorrect_device_code",
            Refusal::IncorrectClientCredentials => "incorrect_client_credentials",
            Refusal::UnsupportedGrantType => "unsupported_grant_type",
            Refusal::BadVerificationCode => "bad_verification_code",
            Refusal::InvalidScope => "invalid_scope",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Refusal::AuthorizationPending => "The authorization request is still pending.",
            Refusal::SlowDown { .. } => "Too many requests have been made in the same timeframe.",
            Refusal::ExpiredToken => "The device_code has expired.",
            Refusal::AccessDenied => "The authorization request was denied.",
            Refusal::IncorrectDeviceCode => "The device_code provided is not valid.",
            Refusal::IncorrectClientCredentials => "The client_id and/or client_secret passed are incorrect.",
            Refusal::UnsupportedGrantType => "The grant_type must be urn:ietf:params:oauth:grant-type:device_code.",
            Refusal::BadVerificationCode => "The code passed is incorrect or expired.",
            Refusal::InvalidScope => "The scopes requested are invalid.",
        }
    }
}
