//! Noticing commits without asking SQLite: by the head of the index that belongs to its write-ahead log.
//!
//! All processes share that file. Its head is part of the documented format, is written last in every commit and is
//! never the same twice: as long as its bytes stay, nobody has committed. So one small read tells whether what is in
//! memory still holds (docs/decisions/0073-what-has-changed.md).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use parking_lot::Mutex;

use crate::db::State;
use crate::db::state::Concern;

/// Two copies of 48 bytes each.
const HEAD_SIZE: usize = 96;
/// Where the first copy counts commits.
const COUNT_AT: usize = 8;

/// What is known about commits, of this process and of others.
///
/// When a file is closed, its process loses all locks on it, those that SQLite holds too. So this outlives every
/// connection to the same database.
pub struct Watch {
    index: File,
    seen: Mutex<Seen>,
}

struct Seen {
    head: Option<Head>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Head([u8; HEAD_SIZE]);

impl Head {
    fn count(&self) -> u32 {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.0[COUNT_AT..COUNT_AT + 4]);
        u32::from_ne_bytes(bytes)
    }
}

/// A group of transactions that is being written: what was there before it.
pub struct Group {
    head: Option<Head>,
    state: State,
}

impl Watch {
    /// Watches a database that a connection of this process has open.
    pub fn open(database: &Path) -> io::Result<Self> {
        let mut name = database.as_os_str().to_owned();
        name.push("-shm");
        Ok(Self { index: File::open(name)?, seen: Mutex::new(Seen { head: None, state: State::default() }) })
    }

    /// The state of now. Whoever commits beside the writer of this process may have changed anything.
    pub fn state(&self) -> io::Result<State> {
        let head = self.head()?;
        Ok(self.seen.lock().meet(Some(head)))
    }

    /// The state as a transaction of the writer sees it, with what that has changed itself.
    pub fn state_inside(&self) -> State {
        self.seen.lock().state
    }

    /// Begins a group. Call it when nobody else can commit any more.
    pub fn begin(&self) -> Group {
        let head = self.head().ok();
        let state = self.seen.lock().meet(head);
        Group { head, state }
    }

    /// Takes note of a statement in a group. Whoever asks for the state now may still read what was there before; for
    /// them it changes once more at the end.
    pub fn note(&self, concern: Concern) {
        if concern != Concern::Nothing {
            self.seen.lock().state.note(concern);
        }
    }

    /// Ends a group, before anyone hears of its commit.
    pub fn end(&self, group: &Group) {
        let head = self.head().ok();
        let mut seen = self.seen.lock();
        let (Some(before), Some(after)) = (group.head, head) else {
            seen.meet(None);
            return;
        };
        let is_own = after.count() == before.count().wrapping_add(1);
        if before != after && is_own && seen.state.rights == group.state.rights {
            seen.head = Some(after);
            seen.state.changes += 1;
            if seen.state.pulls != group.state.pulls {
                seen.state.note(Concern::Pulls);
            }
        } else if before != after {
            seen.head = None;
            seen.meet(head);
        }
    }

    fn head(&self) -> io::Result<Head> {
        let mut head = [0; HEAD_SIZE];
        self.index.read_exact_at(&mut head, 0)?;
        Ok(Head(head))
    }
}

impl Seen {
    /// Compares with what is there now; a head that is new or could not be read stands for a change of anything.
    fn meet(&mut self, head: Option<Head>) -> State {
        if head.is_none() || self.head != head {
            self.head = head;
            self.state.changes += 1;
            self.state.note(Concern::Rights);
        }
        self.state
    }
}
