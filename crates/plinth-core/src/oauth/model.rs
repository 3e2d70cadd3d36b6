//! Device codes and their outcomes.

use std::str::FromStr;

use crate::apps::{App, AppKind};
use crate::tokens::{Permissions, Scopes, Secret};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId};
use plinth_store::{from_row, text_column};

/// How long a user has to approve.
pub const LIFETIME_SECONDS: i64 = 15 * 60;
/// The initial time between two polls of a device.
pub const INTERVAL_SECONDS: i64 = 5;
/// The increase of that time after a poll that came too early.
pub const SLOW_DOWN_SECONDS: i64 = 5;

/// A device code and its state.
#[derive(Debug, Clone)]
pub struct DeviceCode {
    pub id: i64,
    pub user_code: String,
    /// `None` for a browser that signs in to the pages of the service.
    pub app_id: Option<AppId>,
    /// Separated by commas.
    pub scopes: String,
    pub interval_seconds: i64,
    pub expires_at: Timestamp,
    pub polled_at: Option<Timestamp>,
    pub decision: Option<Decision>,
    pub user_id: Option<AccountId>,
}

from_row!(DeviceCode { id, user_code, app_id, scopes, interval_seconds, expires_at, polled_at, decision, user_id });

/// The user's decision.
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

/// A device that waits for approval, with everything that an approval grants.
pub struct ApprovalRequest {
    pub code: DeviceCode,
    /// `None` for a browser that signs in to the pages of the service.
    pub app: Option<RequestingApp>,
    /// Of an OAuth app or a browser; a GitHub App has permissions instead.
    pub scopes: Scopes,
    /// Identifies account, app and rights: see [`super::rules::confirmation`].
    pub confirmation: String,
}

impl ApprovalRequest {
    /// The permissions that a GitHub App gets in the place of scopes.
    pub fn permissions(&self) -> Option<&Permissions> {
        let requesting = self.app.as_ref().filter(|requesting| requesting.app.kind == AppKind::GitHubApp);
        requesting.map(|requesting| &requesting.app.permissions)
    }
}

/// The app that a device belongs to.
pub struct RequestingApp {
    pub app: App,
    /// The login of the account that the app belongs to.
    pub owner: String,
}

/// The response to a device that asks for its token.
#[derive(Debug)]
pub enum TokenOutcome {
    Token { secret: Secret, scope: String },
    Rejected(OAuthError),
}

/// Why there is no token; clients compare the codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OAuthError {
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

impl OAuthError {
    pub fn code(self) -> &'static str {
        match self {
            OAuthError::AuthorizationPending => "authorization_pending",
            OAuthError::SlowDown { .. } => "slow_down",
            OAuthError::ExpiredToken => "expired_token",
            OAuthError::AccessDenied => "access_denied",
            OAuthError::IncorrectDeviceCode => "incorrect_device_code",
            OAuthError::IncorrectClientCredentials => "incorrect_client_credentials",
            OAuthError::UnsupportedGrantType => "unsupported_grant_type",
            OAuthError::BadVerificationCode => "bad_verification_code",
            OAuthError::InvalidScope => "invalid_scope",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            OAuthError::AuthorizationPending => "The authorization request is still pending.",
            OAuthError::SlowDown { .. } => "Too many requests have been made in the same timeframe.",
            OAuthError::ExpiredToken => "The device_code has expired.",
            OAuthError::AccessDenied => "The authorization request was denied.",
            OAuthError::IncorrectDeviceCode => "The device_code provided is not valid.",
            OAuthError::IncorrectClientCredentials => "The client_id and/or client_secret passed are incorrect.",
            OAuthError::UnsupportedGrantType => "The grant_type must be urn:ietf:params:oauth:grant-type:device_code.",
            OAuthError::BadVerificationCode => "The code passed is incorrect or expired.",
            OAuthError::InvalidScope => "The scopes requested are invalid.",
        }
    }
}
