//! Sessions of browsers: each stands for a token that its user has presented once, and ends with that token.

pub mod operations;
pub mod store;
