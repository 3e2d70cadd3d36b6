//! The `plinth` program: the command line, the configuration, the state file and start-up.
//!
//! `cli` parses the arguments and runs one of `commands`, `serve`, `backup` or `verify`. All of them get their settings
//! from `config` and open the store through `data_directory`.

mod backup;
pub mod cli;
pub mod commands;
mod config;
mod control;
mod data_directory;
mod instance;
mod logging;
mod maintenance;
mod operator;
pub mod permissions;
mod progress;
mod serve;
pub mod state_file;
mod verify;

pub use serve::Embedded;
