//! The `plinth` program: the command line, the configuration, the state file and start-up.

pub mod cli;
