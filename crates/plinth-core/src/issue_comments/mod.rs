//! Comments on issues and pull requests, outside of reviews.

pub mod events;
mod model;
pub mod operations;
pub mod rules;
pub mod store;

pub use crate::comment_lists::Order;
pub use model::{IssueComment, Listing, Scope};
