//! Who may do what: one table, one decision, and types that prove it was made.
//!
//! A handler that takes an [`Allowed`] cannot run before the decision, and a route can only be registered with the
//! endpoint that its handler names, so a route without a row in the table does not compile.

mod allowed;
mod decide;
mod kinds;
mod known;
mod reach;
mod recheck;
mod rule;
pub mod table;
mod target;

pub use allowed::Allowed;
pub use decide::{bad_credential, check_issue_fields, check_kind, check_workflows, decide};
pub use kinds::{Kind, Kinds};
pub use known::{Known, Standing};
pub use reach::Reach;
pub use recheck::{Current, Recheck};
pub use rule::{Action, Anonymous, Cost, Endpoint, Memory, Row, Rule, TargetKind, Wire};
pub use target::{Facts, NoTarget, Org, OwnAccount, PathParams, RepoTarget, Target, User};
