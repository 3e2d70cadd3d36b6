//! Memory that all computations over objects share.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Cancellation;
use crate::error::{Error, Result};
use crate::ids::RepoId;

/// Bytes of large objects, texts and results that are held at once, over all computations.
const BYTES_MAX: u64 = 192 << 20;
/// Of these, what the computations over one repository may hold: the others go on beside them.
const SHARE_MAX: u64 = BYTES_MAX / 2 + (16 << 20);
/// How long a computation waits for memory. Two that wait for each other both end.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How often one who waits looks whether it is still wanted.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A counter of bytes with an upper limit.
#[derive(Debug, Default)]
pub struct Memory {
    held: Mutex<Held>,
    given_back: Condvar,
}

#[derive(Debug, Default)]
struct Held {
    total: u64,
    by_owner: HashMap<RepoId, u64>,
}

impl Held {
    fn take(&mut self, owner: RepoId, bytes: u64) -> bool {
        let share = self.by_owner.get(&owner).copied().unwrap_or_default();
        if self.total + bytes > BYTES_MAX || share + bytes > SHARE_MAX {
            return false;
        }
        self.total += bytes;
        self.by_owner.insert(owner, share + bytes);
        true
    }

    fn give_back(&mut self, owner: RepoId, bytes: u64) {
        self.total -= bytes;
        if let Some(share) = self.by_owner.get_mut(&owner) {
            *share -= bytes;
            if *share == 0 {
                self.by_owner.remove(&owner);
            }
        }
    }
}

impl Memory {
    /// A reservation that can grow.
    pub fn nothing(self: &Arc<Self>, owner: RepoId) -> Reserved {
        Reserved { memory: self.clone(), owner, bytes: 0 }
    }

    /// How many bytes are held.
    pub fn held_bytes(&self) -> u64 {
        self.held.lock().total
    }
}

/// Bytes that are held until this is dropped.
#[derive(Debug)]
pub struct Reserved {
    memory: Arc<Memory>,
    owner: RepoId,
    bytes: u64,
}

impl Reserved {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Holds more; waits where too much is held already. Blocks.
    pub(super) fn grow(&mut self, bytes: u64, cancellation: &Cancellation) -> Result<()> {
        if self.bytes + bytes > SHARE_MAX {
            return Err(Error::OverBudget("It would take too much memory to compute this."));
        }
        let started = Instant::now();
        let mut held = self.memory.held.lock();
        while !held.take(self.owner, bytes) {
            cancellation.check()?;
            if started.elapsed() > WAIT_MAX {
                return Err(Error::Unavailable("too many large objects are read at once".into()));
            }
            self.memory.given_back.wait_for(&mut held, LOOK_INTERVAL);
        }
        self.bytes += bytes;
        Ok(())
    }
}

impl Reserved {
    /// Gives back what is more than this.
    pub fn shrink(&mut self, bytes: u64) {
        if let Some(surplus) = self.bytes.checked_sub(bytes).filter(|surplus| *surplus > 0) {
            self.memory.held.lock().give_back(self.owner, surplus);
            self.bytes = bytes;
            self.memory.given_back.notify_all();
        }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.memory.held.lock().give_back(self.owner, self.bytes);
            self.memory.given_back.notify_all();
        }
    }
}
