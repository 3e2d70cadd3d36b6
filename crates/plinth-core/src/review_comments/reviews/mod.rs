//! Reviews: comments that are submitted together, with an event such as an approval.

pub mod events;
mod input;
pub mod model;
pub mod operations;
mod rules;
pub mod store;

pub use input::{NewReview, Submission};
