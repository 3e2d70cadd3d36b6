//! Requests to review a pull request.

mod events;
mod input;
mod operations;
mod rules;
pub mod store;

pub use input::Reviewers;
pub use operations::{fulfill, remove, request, request_as};
