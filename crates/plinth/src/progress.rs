//! Progress of long work, on standard error.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(1);

/// Reports progress: on a terminal in one line that is updated, otherwise in lines, if requested.
pub struct Progress {
    what: &'static str,
    style: Style,
    total: u64,
    done: u64,
    reported: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Silent,
    Lines,
    Terminal,
}

impl Progress {
    pub fn new(what: &'static str, lines: bool) -> Self {
        let style = match (std::io::stderr().is_terminal(), lines) {
            (true, _) => Style::Terminal,
            (false, true) => Style::Lines,
            (false, false) => Style::Silent,
        };
        Self { what, style, total: 0, done: 0, reported: None }
    }

    pub fn silent() -> Self {
        Self { what: "", style: Style::Silent, total: 0, done: 0, reported: None }
    }

    /// Adds to the total.
    pub fn expect(&mut self, bytes: u64) {
        self.total += bytes;
    }

    pub fn add(&mut self, bytes: u64) {
        self.done += bytes;
        self.report();
    }

    /// Sets how much is done, for work of unknown size.
    pub fn at(&mut self, bytes: u64) {
        let more = bytes.saturating_sub(self.done);
        self.total += more;
        self.add(more);
    }

    /// Reports for the last time.
    pub fn end(&mut self) {
        self.reported = None;
        self.report();
        if self.style == Style::Terminal {
            self.print("\n");
        }
    }

    fn report(&mut self) {
        if self.style == Style::Silent || self.reported.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.reported = Some(Instant::now());
        let (done, total) = (self.done >> 20, self.total.max(self.done) >> 20);
        let text = format!("{} {done} of {total} MiB", self.what);
        match self.style {
            Style::Terminal => self.print(&format!("\r{text} ")),
            Style::Lines | Style::Silent => self.print(&format!("{text}\n")),
        }
    }

    fn print(&self, text: &str) {
        // The work continues even if standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
