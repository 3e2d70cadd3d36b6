//! The settings of the log.

use std::fmt::Display;

use tracing_subscriber::filter::{LevelFilter, Targets};

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
const QUIET: &[&str] = &["hyper", "hyper_util", "h2", "tokio_postgres", "rustls"];

/// Parses a log filter such as `info,plinth::request=debug`: levels, and targets with an optional level.
pub fn log_filter(text: &str) -> Result<Targets> {
    let invalid = |reason: &dyn Display| Error::BadRequest(format!("the log filter {text:?}: {reason}"));
    let directives: Vec<&str> = text.split(',').map(str::trim).filter(|directive| !directive.is_empty()).collect();
    // Everything that is no level would be taken for a target, which then matches nothing.
    if let Some(wrong) = directives.iter().find(|directive| !directive.chars().all(is_allowed)) {
        return Err(invalid(&format_args!("{wrong:?} is neither a level nor a target with a level")));
    }
    let filter: Targets = directives.join(",").parse().map_err(|error| invalid(&error))?;
    Ok(filter.with_targets(QUIET.iter().map(|target| (*target, LevelFilter::INFO))))
}

fn is_allowed(character: char) -> bool {
    character.is_alphanumeric() || "_-:=".contains(character)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn log_filter_selects_by_longest_target() {
        for (text, enabled, disabled) in [
            ("info", ("plinth::request", Level::INFO), ("plinth::request", Level::DEBUG)),
            ("INFO,plinth::request=debug", ("plinth::request", Level::DEBUG), ("plinth", Level::DEBUG)),
            ("info, plinth=off,", ("tower", Level::INFO), ("plinth::request", Level::ERROR)),
            ("plinth_git", ("plinth_git::reader", Level::TRACE), ("plinth", Level::ERROR)),
            ("", ("plinth", Level::ERROR), ("plinth", Level::WARN)),
            ("trace", ("hyper", Level::INFO), ("hyper::proto", Level::DEBUG)),
            ("hyper=trace", ("hyper", Level::INFO), ("hyper", Level::DEBUG)),
        ] {
            let filter = log_filter(text).expect("a valid filter");
            assert!(filter.would_enable(enabled.0, &enabled.1), "{text:?} enables {enabled:?}");
            assert!(!filter.would_enable(disabled.0, &disabled.1), "{text:?} disables {disabled:?}");
        }
    }

    #[test]
    fn log_filter_rejects_what_selects_nothing() {
        for text in ["plinth=loud", "plinth=info=debug", "info,[request]=debug", "plinth[{id=1}]=debug", "info;debug"] {
            let error = log_filter(text).expect_err("an invalid filter").to_string();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }
}
