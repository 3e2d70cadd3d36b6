//! The targets, by subject.

pub mod bodies;
pub mod controls;
pub mod diffs;
pub mod git_objects;
pub mod git_protocol;
pub mod http1;
pub mod json_web_tokens;
pub mod markdown;
pub mod names;
pub mod packs;
pub mod requests;
mod service;
pub mod state_file;
