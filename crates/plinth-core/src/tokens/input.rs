//! Input to create a token.

use super::{Permissions, Scopes, Secret, Selection};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, AppId, InstallationId};

/// A token to insert.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub secret: Secret,
    pub grant: TokenSpec,
    pub note: Option<String>,
    pub expires_at: Option<Timestamp>,
}

/// The rights of a new token, by kind.
#[derive(Debug, Clone)]
pub enum TokenSpec {
    Classic { user: AccountId, scopes: Scopes },
    OAuth { user: AccountId, scopes: Scopes, app: Option<AppId> },
    FineGrained { user: AccountId, owner: AccountId, selection: Selection, permissions: Permissions },
    AppUser { user: AccountId, app: AppId },
    Installation { app: AppId, installation: InstallationId, selection: Selection, permissions: Permissions },
}
