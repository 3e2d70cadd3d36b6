//! Stories told over HTTP against the whole service, on SQLite and on PostgreSQL.

mod access;
mod app_commands;
mod architecture;
mod cli;
mod contract;
mod device_flow;
mod durability;
mod git_http;
mod git_refs;
mod importing;
mod installations;
mod issue_fields;
mod process;
mod profiles;
mod project_fields;
mod projects;
mod pulls;
mod review_comments;
mod schemas;
mod state_file;
mod store;
mod support;
mod tokens;
mod web;
