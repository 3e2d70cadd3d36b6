//! Stories told over HTTP against the whole service, on SQLite and on PostgreSQL.

mod access;
mod architecture;
mod contract;
mod git_http;
mod git_refs;
mod profiles;
mod pulls;
mod review_comments;
mod state_file;
mod support;
mod tokens;
