//! Tokens of the five kinds, and who a request acts as.

mod expired;
mod grant;
mod jwt;
mod model;
mod permissions;
mod principal;
mod scopes;
mod secret;
pub mod store;

pub use expired::ExpiredTokens;
pub use grant::{NewToken, Selection, SelectionMode, TokenSpec};
pub use jwt::{Issuer, JwtError, claimed_issuer, verify as verify_jwt};
pub use model::{INSTALLATION_TOKEN_SECONDS, StoredToken, TokenKind};
pub use permissions::{Level, Permissions};
pub use principal::{AppSignature, InstallationToken, Principal, UserLimits, UserToken};
pub use scopes::{Scope, Scopes};
pub use secret::{Secret, hash, random_letters, random_text};
