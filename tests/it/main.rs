//! Stories told over HTTP against the whole service, on SQLite and on PostgreSQL.

mod access;
mod architecture;
mod contract;
mod issue_fields;
mod profiles;
mod project_fields;
mod projects;
mod schemas;
mod state_file;
mod support;
mod tokens;
