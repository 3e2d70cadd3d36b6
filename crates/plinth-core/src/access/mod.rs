//! Authentication and authorization: one decision, and the types that prove that it was made.
//!
//! [`authorize`](authorize()) finds the resource of a path inside its parent and decides about the caller. An operation that writes
//! takes a [`WriteAccess`], whose transaction makes the same decision again.

mod authenticate;
mod authorize;
mod grant;
mod model;
pub mod policy;
mod rules;
mod target;
mod write_access;

pub(crate) use authenticate::permissions_bytes;
pub use authenticate::{CallerCache, find_app, find_token, new_caller_cache, principal_bytes};
pub use authorize::{Access, authorize};
pub use grant::Grant;
pub use model::{Action, Anonymous, Cost, Facts, Kind, Kinds, Role, Rule, TargetKind};
pub use rules::{
    BAD_CREDENTIALS, NOT_A_JSON_WEB_TOKEN, bad_credential, check_issue_fields, check_kind, check_workflows, decide,
};
pub use target::{AccessRequest, CachedAccess, NoTarget, Org, OwnAccount, PathParams, Target, User};
pub use write_access::{Current, WriteAccess};
