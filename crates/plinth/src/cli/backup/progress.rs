//! How far long work has come, for whoever watches.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(1);

/// Reports on standard error: on a terminal in one line that changes, otherwise in lines where that is asked for.
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

    /// Adds to what there is to do.
    pub fn expect(&mut self, bytes: u64) {
        self.total += bytes;
    }

    pub fn add(&mut self, bytes: u64) {
        self.done += bytes;
        self.report();
    }

    /// For work that knows how far it is and not how far it has to go.
    pub fn at(&mut self, bytes: u64) {
        let more = bytes.saturating_sub(self.done);
        self.total += more;
        self.add(more);
    }

    /// The last report.
    pub fn end(&mut self) {
        self.reported = None;
        self.report();
        if self.style == Style::Terminal {
            self.say("\n");
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
            Style::Terminal => self.say(&format!("\r{text} ")),
            Style::Lines | Style::Silent => self.say(&format!("{text}\n")),
        }
    }

    fn say(&self, text: &str) {
        // Whoever does not listen any more still gets the work done.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
