//! Users, organizations and bots: whoever can own things or act.

pub mod json;
mod login;
mod model;
pub mod store;
mod user_json;

pub use login::{Login, LoginError, login_key};
pub use model::{Account, AccountKind, OrgRole, commit_identity};
