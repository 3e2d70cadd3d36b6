//! Users, organizations and bots: whoever can own resources or act.

mod login;
mod model;
pub mod store;

pub use login::{Login, LoginError, login_key};
pub use model::{Account, AccountKind, OrgRole, commit_identity};
