//! Warnings that repeat: the first few of a minute are logged, the rest are counted and summed up in one line.

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
/// Different warnings that are told apart; further ones are counted together.
const MESSAGES_MAX: usize = 512;
const TEXT_MAX: usize = 300;
/// Lines of our own, which are never held back.
const TARGET: &str = "plinth::repeats";
/// What differs between equal warnings.
const IGNORED_FIELDS: [&str; 2] = ["request_id", "peer"];

/// Counts warnings and errors; cheap to clone.
#[derive(Clone, Default)]
pub struct Repeats(Arc<Mutex<HashMap<u64, Repeated>>>);

struct Repeated {
    text: String,
    level: Level,
    since: Instant,
    count: u64,
}

impl Repeats {
    /// Whether this one is logged.
    fn note(&self, message: Message, level: Level, now: Instant) -> bool {
        let mut known = self.0.lock();
        let key = if known.len() < MESSAGES_MAX || known.contains_key(&message.key) { message.key } else { 0 };
        let text = if key == 0 { "other warnings".to_owned() } else { message.text };
        let repeated = known.entry(key).or_insert(Repeated { text, level, since: now, count: 0 });
        repeated.count += 1;
        repeated.count <= LOGGED_MAX
    }

    /// Forgets the windows that are over, and returns a line for each that held something back.
    fn end_windows(&self, over: impl Fn(Instant) -> bool) -> Vec<(Level, String)> {
        let mut known = self.0.lock();
        let ended = known.extract_if(|_, repeated| over(repeated.since));
        let held_back = ended.filter(|(_, repeated)| repeated.count > LOGGED_MAX);
        held_back
            .map(|(_, repeated)| {
                let more = repeated.count - LOGGED_MAX;
                (repeated.level, format!("{}: repeated {more} more times", repeated.text))
            })
            .collect()
    }

    /// Writes the lines of all windows that are over.
    pub fn sum_up(&self) {
        write(self.end_windows(|since| since.elapsed() >= WINDOW));
    }

    /// Writes the lines of all windows, over or not.
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
        self.note(Message::of(event), *metadata.level(), Instant::now())
    }
}

/// What makes two warnings equal.
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

    fn note(repeats: &Repeats, key: u64, now: Instant) -> bool {
        repeats.note(Message { key, text: format!("message {key}") }, Level::WARN, now)
    }

    #[test]
    fn the_first_are_logged_and_the_rest_counted() {
        let repeats = Repeats::default();
        let now = Instant::now();
        let logged = (0..1_000).filter(|_| note(&repeats, 1, now)).count();
        assert_eq!(logged as u64, LOGGED_MAX);
        assert!(note(&repeats, 2, now), "another message is not held back");
        assert!(repeats.end_windows(|_| false).is_empty());
        let lines = repeats.end_windows(|_| true);
        assert_eq!(lines, [(Level::WARN, "message 1: repeated 995 more times".to_owned())]);
        assert!(note(&repeats, 1, now), "a new window begins");
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_messages() {
        let repeats = Repeats::default();
        for key in 1..=10_000 {
            note(&repeats, key, Instant::now());
        }
        assert!(repeats.0.lock().len() <= MESSAGES_MAX + 1);
        let lines = repeats.end_windows(|_| true);
        assert_eq!(lines.len(), 1, "{lines:?}");
    }
}
