//! Statuses of commits: what other tools, such as continuous integration, say about them.

pub mod events;
mod input;
mod model;
mod operations;
mod rules;
pub mod store;

pub use input::NewStatus;
pub use model::{CommitStatus, Counts, StatusState};
pub use operations::create;
