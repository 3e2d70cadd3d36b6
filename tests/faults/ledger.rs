//! The ledger: what clients requested and which responses they got, in a file outside the tested directory.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

/// A change that a client requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// Sets a ref over REST; `None` deletes it.
    Ref {
        name: String,
        sha: Option<String>,
    },
    /// Sets several refs to one value in one atomic push.
    Push {
        names: Vec<String>,
        sha: String,
    },
    /// A review comment with a unique body.
    Comment {
        body: String,
    },
    DeleteComment {
        id: i64,
    },
}

/// One line of the ledger. The number of the line is the time: an operation is recorded before it is sent, and its end
/// after the response has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Invoked {
        operation: u64,
        action: Action,
    },
    /// Acknowledged; with the id of a comment.
    Ok {
        operation: u64,
        id: Option<i64>,
    },
    /// Rejected, or never sent: it must have no effect.
    Fail {
        operation: u64,
    },
    /// Interrupted: it may have its whole effect, or none.
    Unknown {
        operation: u64,
    },
    /// The checker determined the outcome of a comment.
    Settled {
        operation: u64,
        id: Option<i64>,
    },
    /// The checker read a ref that could have several values; operations before this line have ended.
    Seen {
        name: String,
        sha: Option<String>,
    },
}

/// Appends to the file; all clients share it.
pub struct Ledger {
    path: PathBuf,
    inner: Mutex<Inner>,
}

struct Inner {
    file: File,
    operations: u64,
}

impl Ledger {
    pub fn create(path: &Path) -> Self {
        let file = OpenOptions::new().create_new(true).append(true).open(path).expect("a ledger can be made");
        Self { path: path.to_owned(), inner: Mutex::new(Inner { file, operations: 0 }) }
    }

    /// New operations get numbers after these.
    pub fn count_from(&self, events: &[Event]) {
        let numbers = events.iter().map(|event| match event {
            Event::Invoked { operation, .. } => *operation,
            _ => 0,
        });
        let mut inner = self.inner.lock().expect("no client panics while it writes");
        inner.operations = inner.operations.max(numbers.max().unwrap_or_default());
    }

    /// Records an operation and returns its number.
    pub fn invoke(&self, action: Action) -> u64 {
        let mut inner = self.inner.lock().expect("no client panics while it writes");
        inner.operations += 1;
        let operation = inner.operations;
        inner.write(&Event::Invoked { operation, action });
        operation
    }

    pub fn write(&self, event: &Event) {
        self.inner.lock().expect("no client panics while it writes").write(event);
    }

    /// All events, read from the file.
    pub fn read(&self) -> Vec<Event> {
        let text = std::fs::read_to_string(&self.path).expect("the ledger can be read");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of the ledger")).collect()
    }
}

impl Inner {
    fn write(&mut self, event: &Event) {
        let mut line = serde_json::to_string(event).expect("an event is JSON");
        line.push('\n');
        self.file.write_all(line.as_bytes()).expect("the ledger can be written");
    }
}
