//! Principals: who a request acts as, with all limits.

use super::{ExpiredTokens, Permissions, Scopes, SelectionMode};
use crate::accounts::AccountKind;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, InstallationId, TokenId};

/// Who a request acts as.
#[derive(Debug, Clone)]
pub enum Principal {
    Anonymous,
    /// A user, through one of four kinds of tokens.
    User(UserToken),
    /// An installation of an app.
    Installation(InstallationToken),
    /// An app that signs with its own key.
    App(AppSignature),
}

/// An app and the key that it signed with.
#[derive(Debug, Clone)]
pub struct AppSignature {
    pub app: AppId,
    /// The public key, as it is stored.
    pub key: Vec<u8>,
}

/// A token that acts as a user.
#[derive(Debug, Clone)]
pub struct UserToken {
    pub token: TokenId,
    pub user: AccountId,
    pub login: String,
    pub kind: AccountKind,
    pub site_admin: bool,
    pub limits: UserLimits,
    pub expires_at: Option<Timestamp>,
}

/// How a token limits the rights of its user.
#[derive(Debug, Clone)]
pub enum UserLimits {
    Classic(Scopes),
    OAuth { scopes: Scopes, app: Option<AppId> },
    FineGrained { owner: AccountId, mode: SelectionMode, permissions: Permissions },
    AppUser { app: AppId },
}

/// A token that acts as an installation.
#[derive(Debug, Clone)]
pub struct InstallationToken {
    pub token: TokenId,
    pub app: AppId,
    pub installation: InstallationId,
    /// The account on which the app is installed.
    pub account: AccountId,
    /// The app's own account, which is the author of what it writes.
    pub bot: AccountId,
    /// The selection of the token itself.
    pub token_mode: SelectionMode,
    pub installation_mode: SelectionMode,
    /// What both the token and the installation grant now.
    pub permissions: Permissions,
    pub suspended: bool,
    pub expires_at: Option<Timestamp>,
}

impl Principal {
    /// The account that writes are attributed to.
    pub fn actor(&self) -> Option<AccountId> {
        match self {
            Principal::User(token) => Some(token.user),
            Principal::Installation(token) => Some(token.bot),
            Principal::Anonymous | Principal::App(_) => None,
        }
    }

    /// The token, if there is one.
    pub fn token_id(&self) -> Option<TokenId> {
        match self {
            Principal::User(token) => Some(token.token),
            Principal::Installation(token) => Some(token.token),
            Principal::Anonymous | Principal::App(_) => None,
        }
    }

    /// Whether the token has expired, or was found expired before.
    pub fn is_expired(&self, now: Timestamp, expired: &ExpiredTokens) -> bool {
        let expires_at = match self {
            Principal::User(token) => token.expires_at,
            Principal::Installation(token) => token.expires_at,
            Principal::Anonymous | Principal::App(_) => None,
        };
        expires_at.is_some_and(|moment| moment <= now) || self.token_id().is_some_and(|token| expired.contains(token))
    }

    /// The user behind the token, if there is one.
    pub fn user(&self) -> Option<&UserToken> {
        match self {
            Principal::User(token) => Some(token),
            Principal::Anonymous | Principal::Installation(_) | Principal::App(_) => None,
        }
    }

    pub fn user_id(&self) -> Option<AccountId> {
        self.user().map(|token| token.user)
    }
}
