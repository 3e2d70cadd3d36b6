//! Plinth: a GitHub-compatible REST service over real Git repositories.

pub mod accounts;
pub mod api;
pub mod app;
pub mod apps;
pub mod cli;
pub mod clock;
pub mod config;
pub mod db;
pub mod error;
pub mod git;
mod git_refs;
pub mod ids;
mod installations;
pub mod markdown;
mod meta;
mod notifications;
pub mod objects;
mod profiles;
pub mod pulls;
pub mod refs;
pub mod repos;
mod repositories;
mod review_comments;
pub mod router;
pub mod server;
pub mod tokens;
pub mod urls;
