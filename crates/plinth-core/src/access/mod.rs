//! Who may do what: one decision, and the types that prove that it was made.
//!
//! [`authorize`] finds the resource of a path inside its parent and decides about the caller. An operation that writes
//! takes a [`WriteAccess`], and its transaction makes the same decision once more.

mod authenticate;
mod authorize;
mod cache;
mod decide;
mod git_repo;
mod grant;
mod kinds;
pub mod policy;
mod recheck;
mod rule;
mod target;

pub use authenticate::{find_app, find_token};
pub use authorize::{Access, AccessRequest, WriteAccess, authorize};
pub use cache::{AuthorizationCache, RepositoryAccess};
pub use decide::{
    BAD_CREDENTIALS, NOT_A_JSON_WEB_TOKEN, bad_credential, check_issue_fields, check_kind, check_workflows, decide,
};
pub use git_repo::GitRepo;
pub use grant::Grant;
pub use kinds::{Kind, Kinds};
pub use recheck::Current;
pub use rule::{Action, Anonymous, Cost, Rule, TargetKind};
pub use target::{Facts, NoTarget, Org, OwnAccount, PathParams, RepoTarget, Target, User};
