//! Users, organizations and bots: accounts that own resources or act.

pub mod events;
mod login;
mod model;
pub mod operations;
pub mod store;

pub use login::{Login, LoginError, login_key};
pub use model::{Account, AccountKind, AccountSummary, OrgRole, commit_identity};
