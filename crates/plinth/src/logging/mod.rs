//! Logs on standard error: text for people, JSON for programs.

mod repeats;

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::Duration;

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::config::{LogFormat, Options, log_filter};
use plinth_base::error::{Error, Result};
use repeats::Repeats;

/// How often repeated warnings are summarized.
const SUMMARY_INTERVAL: Duration = Duration::from_secs(5);

static REPEATS: OnceLock<Repeats> = OnceLock::new();

/// Starts logging for the rest of the process.
pub fn start(options: &Options) -> Result<()> {
    let filter = log_filter(options.log())?;
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match options.log_format.unwrap_or_default() {
        LogFormat::Text => lines.with_target(false).with_ansi(use_colours()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let repeats = REPEATS.get_or_init(Repeats::default);
    let started = tracing_subscriber::registry().with(filter).with(repeats.clone()).with(lines).try_init();
    started.map_err(|error| Error::internal(error.to_string()))?;
    std::thread::Builder::new().name("plinth-log".into()).spawn(move || {
        loop {
            std::thread::sleep(SUMMARY_INTERVAL);
            repeats.summarize();
        }
    })?;
    Ok(())
}

/// Writes the summaries that are still due. Call it before the process ends.
pub fn finish() {
    if let Some(repeats) = REPEATS.get() {
        repeats.finish();
    }
}

/// Colours only on a terminal, and not if `NO_COLOR` is set (no-color.org).
fn use_colours() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
