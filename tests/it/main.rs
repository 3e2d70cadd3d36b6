//! Stories told over HTTP against the whole service, on SQLite and on PostgreSQL.

mod access;
mod architecture;
mod cli;
mod contract;
mod process;
mod profiles;
mod state_file;
mod store;
mod support;
mod tokens;
