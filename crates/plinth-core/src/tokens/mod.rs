//! Tokens of five kinds, and the principals that requests act as.

mod expired;
mod input;
mod jwt;
mod model;
mod permissions;
mod principal;
mod scopes;
mod secret;
pub mod store;

pub use expired::ExpiredTokens;
pub use input::{NewToken, TokenSpec};
pub use jwt::{Issuer, JwtError, claimed_issuer, verify as verify_jwt};
pub use model::{INSTALLATION_TOKEN_SECONDS, Selection, SelectionMode, StoredToken, TokenKind};
pub use permissions::{Level, Permissions};
pub use principal::{AppSignature, InstallationToken, Principal, UserLimits, UserToken};
pub use scopes::{Scope, Scopes};
pub use secret::{Secret, hash, random_letters, random_text};
