//! The settings of the log.

use tracing_subscriber::EnvFilter;

use plinth_base::error::{Error, Result};

/// How a log line is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

impl LogFormat {
    /// The name in a settings file.
    pub fn as_str(self) -> &'static str {
        match self {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        }
    }
}

/// Libraries whose debug logs could contain parts of requests.
const QUIET: &[&str] = &["hyper=info", "hyper_util=info", "h2=info", "tokio_postgres=info", "rustls=info"];

/// Parses a log filter such as `info,plinth::request=debug`.
pub fn log_filter(text: &str) -> Result<EnvFilter> {
    let filter: EnvFilter =
        text.parse().map_err(|error| Error::BadRequest(format!("the log filter {text:?}: {error}")))?;
    let quiet = QUIET.iter().map(|directive| directive.parse().expect("the directives are constants"));
    Ok(quiet.fold(filter, EnvFilter::add_directive))
}
