//! Logs: text for people, JSON for machines, on standard error.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::Duration;

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use super::options::Options;
use super::repeats::Repeats;
use plinth_base::error::{Error, Result};

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

/// How often it is looked for warnings to sum up.
const SUMMARY_INTERVAL: Duration = Duration::from_secs(5);

static REPEATS: OnceLock<Repeats> = OnceLock::new();

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
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match options.log_format.unwrap_or_default() {
        Format::Text => lines.with_target(false).with_ansi(has_colours()).boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    };
    let repeats = REPEATS.get_or_init(Repeats::default);
    let started = tracing_subscriber::registry().with(filter).with(repeats.clone()).with(lines).try_init();
    started.map_err(|error| Error::internal(error.to_string()))?;
    std::thread::Builder::new().name("plinth-log".into()).spawn(move || {
        loop {
            std::thread::sleep(SUMMARY_INTERVAL);
            repeats.sum_up();
        }
    })?;
    Ok(())
}

/// Writes what is still held back. Call it at the end.
pub fn finish() {
    if let Some(repeats) = REPEATS.get() {
        repeats.finish();
    }
}

/// Colours are for people: not for files and pipes, and not where `NO_COLOR` says so (no-color.org).
fn has_colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
