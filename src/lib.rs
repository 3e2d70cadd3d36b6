//! Plinth: a GitHub-compatible REST service over real Git repositories.

pub mod error;
pub mod git;
pub mod ids;
pub mod markdown;
