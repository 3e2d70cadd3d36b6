//! Configuration: flags over environment over a TOML file, validated as a whole.

mod log;
mod options;
mod settings;
mod validation;

pub use log::{LogFormat, log_filter};
pub use options::{ConfigFile, Options, Synchronous};
