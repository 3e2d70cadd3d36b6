//! What issues and pull requests have in common: one sequence of numbers in each repository, comments, labels and assignees.

mod model;
pub mod store;

pub use model::{Conversation, check_permission};
