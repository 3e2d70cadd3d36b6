//! Users, organizations and bots: accounts that own resources or act.

mod login;
mod model;
pub mod store;

pub use login::{Login, LoginError, login_key};
pub use model::{Account, AccountKind, AccountSummary, OrgRole, commit_identity};
