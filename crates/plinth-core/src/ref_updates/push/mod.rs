//! A push: every update is validated by itself, then all refs move in one transaction.

mod apply;
mod command;
pub mod rules;
mod validation;

pub use apply::apply;
pub use command::Command;
pub use rules::Refusal;
pub use validation::{Known, Update, judge};

use crate::access::{GitRepo, WriteAccess};

/// The right to push.
pub type Pusher = WriteAccess<GitRepo>;

/// What became of one update.
pub type Verdict = Result<(), Refusal>;
