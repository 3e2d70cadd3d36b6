//! Users, organizations and bots: whoever can own things or act.

pub mod json;
mod login;
mod model;
pub mod store;

pub use login::{Login, LoginError};
pub use model::{Account, AccountKind, OrgRole, commit_identity};
