//! App installations: what apps may do on accounts, and the tokens that come from it.

mod access_tokens;
mod input;
pub mod model;
pub mod operations;
pub mod rules;
pub mod store;
mod target;

pub use access_tokens::{CreatedToken, create as create_access_token};
pub use input::NewAccessToken;
pub use target::{InstallationRepo, OwnInstallation, UserInstallation};
