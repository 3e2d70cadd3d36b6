//! Reviews: comments that are submitted together, with a verdict.

mod input;
pub mod model;
pub mod operations;
mod rules;
pub mod store;

pub use input::{NewReview, Submission};
