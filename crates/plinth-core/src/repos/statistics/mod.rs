//! What the content of a repository's default branch says about it: its licence and its languages; and its size.
//!
//! Computed in the background after the branch moves, and never by a request.

mod languages;
pub mod licenses;
mod operations;
pub mod store;

pub use operations::{catch_up, refresh, refresh_later};
