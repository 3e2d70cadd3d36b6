//! Statuses of commits: what other tools, such as continuous integration, say about them.

pub mod events;
mod input;
mod model;
mod operations;
pub mod rules;
pub mod store;

pub use input::{DEFAULT_CONTEXT, NewStatus};
pub use model::{CommitStatus, Counts, StatusState};
pub use operations::{create, ensure};
