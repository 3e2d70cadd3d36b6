//! Noticing commits without asking SQLite: by the head of the index that belongs to its write-ahead log.
//!
//! All processes share that file. Its head is part of the documented format, is written last in every commit and is
//! never the same twice: as long as its bytes stay, nobody has committed. So one small read tells whether what is in
//! memory still holds (docs/decisions/0073-cache-invalidation.md).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use parking_lot::Mutex;

use crate::Generations;
use crate::state::InvalidationScope;

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
    /// The state that readers see: what is not committed does not move it.
    state: Generations,
    /// The state that the running group of transactions sees, with what it has changed itself. A request that looks
    /// around while the group runs reads what was there before, under the number of before, so that a transaction of the
    /// same group can tell that its decision is of before.
    inside: Generations,
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
    state: Generations,
}

impl Watch {
    /// Watches a database that a connection of this process has open.
    pub fn open(database: &Path) -> io::Result<Self> {
        let mut name = database.as_os_str().to_owned();
        name.push("-shm");
        Ok(Self {
            index: File::open(name)?,
            seen: Mutex::new(Seen { head: None, state: Generations::default(), inside: Generations::default() }),
        })
    }

    /// The state of now. Whoever commits beside the writer of this process may have changed anything.
    pub fn state(&self) -> io::Result<Generations> {
        let head = self.head()?;
        Ok(self.seen.lock().meet(Some(head)))
    }

    /// The state as a transaction of the writer sees it, with what that has changed itself.
    pub fn generations_inside(&self) -> Generations {
        self.seen.lock().inside
    }

    /// Begins a group. Call it when nobody else can commit any more.
    pub fn begin(&self) -> Group {
        let head = self.head().ok();
        let mut seen = self.seen.lock();
        let state = seen.meet(head);
        seen.inside = state;
        Group { head, state }
    }

    /// Takes note of a statement in a group.
    pub fn note(&self, concern: InvalidationScope) {
        if concern != InvalidationScope::Nothing {
            self.seen.lock().inside.note(concern);
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
        let are_rights_same =
            [seen.state.rights, seen.inside.rights].iter().all(|number| *number == group.state.rights);
        if before != after && is_own && are_rights_same {
            seen.head = Some(after);
            seen.state.changes += 1;
            if seen.inside.pulls != group.state.pulls {
                seen.state.note(InvalidationScope::Pulls);
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
    fn meet(&mut self, head: Option<Head>) -> Generations {
        if head.is_none() || self.head != head {
            self.head = head;
            self.state.changes += 1;
            self.state.note(InvalidationScope::Rights);
        }
        self.state
    }
}
