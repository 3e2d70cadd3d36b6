//! Resolved threads: the discussion of a line is finished.

mod events;
pub mod model;
mod operations;
mod rules;
pub mod store;

pub use events::ResolutionData;
pub use operations::{resolve, resolve_as, unresolve};
