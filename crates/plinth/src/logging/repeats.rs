//! Repeated warnings: the first few of a minute are logged, the others are counted and summarized in one line.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Equal warnings that are logged in one window.
const LOGGED_MAX: u64 = 5;
const WINDOW: Duration = Duration::from_secs(60);
/// Distinct warnings that are counted separately; further ones are counted together.
const MESSAGES_MAX: usize = 512;
const TEXT_MAX: usize = 300;
/// The target of summaries, which are never suppressed.
const TARGET: &str = "plinth::repeats";
/// Fields that may differ between warnings that count as equal.
const IGNORED_FIELDS: [&str; 2] = ["request_id", "peer"];

/// Counts warnings and errors. Clones share the counts.
#[derive(Clone, Default)]
pub struct Repeats(Arc<Mutex<HashMap<u64, Repeated>>>);

struct Repeated {
    text: String,
    level: Level,
    since: Instant,
    count: u64,
}

impl Repeats {
    /// Counts a warning and returns whether to log it.
    fn count(&self, message: Message, level: Level, now: Instant) -> bool {
        let mut counted = self.0.lock();
        let key = if counted.len() < MESSAGES_MAX || counted.contains_key(&message.key) { message.key } else { 0 };
        let text = if key == 0 { "other warnings".to_owned() } else { message.text };
        let repeated = counted.entry(key).or_insert(Repeated { text, level, since: now, count: 0 });
        repeated.count += 1;
        repeated.count <= LOGGED_MAX
    }

    /// Removes the windows that are over, and returns a summary of each that suppressed something.
    fn end_windows(&self, over: impl Fn(Instant) -> bool) -> Vec<(Level, String)> {
        let mut counted = self.0.lock();
        let ended = counted.extract_if(|_, repeated| over(repeated.since));
        let suppressed = ended.filter(|(_, repeated)| repeated.count > LOGGED_MAX);
        suppressed
            .map(|(_, repeated)| {
                let more = repeated.count - LOGGED_MAX;
                (repeated.level, format!("{}: repeated {more} more times", repeated.text))
            })
            .collect()
    }

    /// Logs the summaries of all windows that are over.
    pub fn summarize(&self) {
        write(self.end_windows(|since| since.elapsed() >= WINDOW));
    }

    /// Logs the summaries of all windows, over or not.
    pub fn finish(&self) {
        write(self.end_windows(|_| true));
    }
}

fn write(lines: Vec<(Level, String)>) {
    for (level, line) in lines {
        if level == Level::ERROR {
            tracing::error!(target: TARGET, "{line}");
        } else {
            tracing::warn!(target: TARGET, "{line}");
        }
    }
}

impl<S: Subscriber> Layer<S> for Repeats {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let metadata = event.metadata();
        if *metadata.level() > Level::WARN || metadata.target() == TARGET {
            return true;
        }
        self.count(Message::of(event), *metadata.level(), Instant::now())
    }
}

/// The text of a warning, and the hash by which two of them are equal.
struct Message {
    key: u64,
    text: String,
}

impl Message {
    fn of(event: &Event<'_>) -> Self {
        let mut text = Text::default();
        event.record(&mut text);
        let mut hasher = DefaultHasher::new();
        event.metadata().callsite().hash(&mut hasher);
        text.0.hash(&mut hasher);
        Self { key: hasher.finish().max(1), text: text.0 }
    }
}

#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if IGNORED_FIELDS.contains(&field.name()) || self.0.len() > TEXT_MAX {
            return;
        }
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
        if self.0.len() > TEXT_MAX {
            let end = (0..=TEXT_MAX).rev().find(|end| self.0.is_char_boundary(*end)).unwrap_or_default();
            self.0.truncate(end);
            self.0.push('…');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(repeats: &Repeats, key: u64, now: Instant) -> bool {
        repeats.count(Message { key, text: format!("message {key}") }, Level::WARN, now)
    }

    #[test]
    fn repeats_logs_the_first_warnings_and_counts_the_others() {
        let repeats = Repeats::default();
        let now = Instant::now();
        let logged = (0..1_000).filter(|_| count(&repeats, 1, now)).count();
        assert_eq!(logged as u64, LOGGED_MAX);
        assert!(count(&repeats, 2, now), "another message is not suppressed");
        assert!(repeats.end_windows(|_| false).is_empty());
        let lines = repeats.end_windows(|_| true);
        assert_eq!(lines, [(Level::WARN, "message 1: repeated 995 more times".to_owned())]);
        assert!(count(&repeats, 1, now), "a new window begins");
    }

    #[test]
    fn repeats_bounds_the_number_of_distinct_warnings() {
        let repeats = Repeats::default();
        for key in 1..=10_000 {
            count(&repeats, key, Instant::now());
        }
        assert!(repeats.0.lock().len() <= MESSAGES_MAX + 1);
        let lines = repeats.end_windows(|_| true);
        assert_eq!(lines.len(), 1, "{lines:?}");
    }
}
