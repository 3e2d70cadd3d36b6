//! Logs: text for people, JSON for machines, on standard error.

use tracing_subscriber::EnvFilter;

use super::options::Options;
use crate::error::{Error, Result};

/// How a log line is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Text,
    Json,
}

impl Format {
    /// As it is written in a settings file.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
        }
    }
}

/// Libraries whose own traces could show what a request held.
const QUIET: &[&str] = &["hyper=info", "hyper_util=info", "h2=info", "tokio_postgres=info", "rustls=info"];

/// Whether the filter can be read.
pub fn check(options: &Options) -> Result<()> {
    filter(options).map(|_| ())
}

fn filter(options: &Options) -> Result<EnvFilter> {
    let wanted = options.log.as_deref().unwrap_or("info");
    let filter: EnvFilter =
        wanted.parse().map_err(|error| Error::BadRequest(format!("the log filter {wanted:?}: {error}")))?;
    let quiet = QUIET.iter().map(|directive| directive.parse().expect("the directives are constants"));
    Ok(quiet.fold(filter, EnvFilter::add_directive))
}

/// Starts logging for the rest of the process.
pub fn start(options: &Options) -> Result<()> {
    let filter = filter(options)?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match options.log_format.unwrap_or_default() {
        Format::Text => builder.with_target(false).try_init(),
        Format::Json => builder.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| Error::internal(error.to_string()))
}
