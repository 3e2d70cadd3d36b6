//! Stories told over HTTP against the whole service, on SQLite and on PostgreSQL.

mod access;
mod app_commands;
mod architecture;
mod contract;
mod device_flow;
mod installations;
mod profiles;
mod state_file;
mod support;
mod tokens;
