//! Installations of apps on accounts, and installation tokens.

pub mod events;
mod input;
pub mod model;
pub mod operations;
pub mod rules;
pub mod store;
mod target;

pub use input::NewAccessToken;
pub use model::CreatedToken;
pub use target::{InstallationRepo, OwnInstallation, UserInstallation};
