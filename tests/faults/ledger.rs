//! The ledger: what clients asked for and what they were told, in a file outside of the tested directory.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

/// A change that a client asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// A ref gets a value over REST; `None` deletes it.
    Ref {
        name: String,
        sha: Option<String>,
    },
    /// Several refs get one value in one atomic push.
    Push {
        names: Vec<String>,
        sha: String,
    },
    /// A review comment whose body nobody else writes.
    Comment {
        body: String,
    },
    DeleteComment {
        id: i64,
    },
}

/// One line of the ledger. The number of the line is the time: an operation is written down before it is sent, and its
/// end after the response has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Invoked {
        operation: u64,
        action: Action,
    },
    /// Acknowledged; with the id that a comment got.
    Ok {
        operation: u64,
        id: Option<i64>,
    },
    /// Refused, or never sent: it must have no effect.
    Fail {
        operation: u64,
    },
    /// Cut off: it may have its whole effect, or none.
    Unknown {
        operation: u64,
    },
    /// The checker found out what became of a comment that was unknown.
    Settled {
        operation: u64,
        id: Option<i64>,
    },
    /// The checker saw a ref that could have had several values; operations before this line are over.
    Seen {
        name: String,
        sha: Option<String>,
    },
}

/// Appends to the file; shared by all clients.
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

    /// New operations get numbers that none of these has.
    pub fn count_from(&self, events: &[Event]) {
        let numbers = events.iter().map(|event| match event {
            Event::Invoked { operation, .. } => *operation,
            _ => 0,
        });
        let mut inner = self.inner.lock().expect("no client panics while it writes");
        inner.operations = inner.operations.max(numbers.max().unwrap_or_default());
    }

    /// Writes an operation down and returns its number.
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

    /// Everything that was written down, read from the file.
    pub fn read(&self) -> Vec<Event> {
        let text = std::fs::read_to_string(&self.path).expect("the ledger can be read");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of the ledger")).collect()
    }
}

impl Inner {
    fn write(&mut self, event: &Event) {
        let mut line = serde_json::to_string(event).expect("an event is JSON");
        line.push('\n');
        self.file.write_all(line.as_bytes()).expect("the ledger takes a line");
    }
}
