//! A push: every update is validated by itself, then all refs move in one transaction.

mod model;
mod operations;
pub mod rules;
mod validation;

pub use model::{Command, Pusher, UpdateOutcome, UpdateRejection, ValidatedUpdate};
pub use operations::apply;
pub use validation::{KnownTips, check_connected, validate};
