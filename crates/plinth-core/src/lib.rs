//! The domain: accounts, repositories, refs, pull requests, review comments, projects, fields, apps, installations,
//! tokens, notifications and webhooks, with their rules, their SQL and their operations. Nothing here knows HTTP.
//!
//! The areas have the same files: `model.rs` (types), `input.rs` (input of operations), `rules.rs` (pure validation),
//! `store.rs` (SQL), `operations.rs` (one function for each operation, with its transaction) and `target.rs` (resources
//! that paths identify).

pub mod access;
pub mod accounts;
pub mod apps;
mod caches;
pub mod comment_lists;
pub mod contents;
pub mod conversations;
mod core;
pub mod events;
pub mod expiry;
pub mod git_objects;
pub mod installations;
pub mod issue_comments;
pub mod issue_field_values;
pub mod issue_fields;
pub mod issues;
pub mod labels;
pub mod merges;
pub mod notifications;
pub mod oauth;
pub mod objects;
pub mod paging;
pub mod project_fields;
pub mod project_items;
pub mod projects;
pub mod pulls;
pub mod rate_limit;
pub mod ref_updates;
pub mod refs;
pub mod releases;
pub mod repo_creation;
pub mod repos;
pub mod review_comments;
pub mod review_requests;
mod settings;
pub mod statuses;
pub mod tokens;
pub mod web_sessions;
pub mod webhooks;

pub use crate::caches::{CacheName, DisabledCaches};
pub use crate::core::{Core, CoreSettings};
