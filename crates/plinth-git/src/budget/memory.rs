//! Memory that all computations over objects share.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Cancellation;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;

/// Bytes of large objects, texts and results that are held at once, over all computations.
const BYTES_MAX: u64 = 160 << 20;
/// Of these, in tenths, what the computations over one repository may hold: the others go on beside them.
const SHARE_TENTHS: u64 = 6;
/// Large responses that are being sent, in tenths of the same number. They are counted apart, or slow readers could stop
/// all computations.
const SENT_TENTHS: u64 = 6;
/// Of these, what the responses about one repository may hold.
const SENT_SHARE_TENTHS: u64 = 3;
/// Smaller responses are not counted.
const SENT_FREE: u64 = 1 << 20;
/// How long a computation waits for memory. Two that wait for each other both end.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How often one who waits looks whether it is still wanted.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A counter of bytes with an upper limit.
#[derive(Debug)]
pub struct Memory {
    held: Mutex<Held>,
    given_back: Condvar,
    sent: Mutex<Held>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(BYTES_MAX)
    }
}

#[derive(Debug)]
struct Held {
    bytes_max: u64,
    share_max: u64,
    total: u64,
    by_owner: HashMap<RepoId, u64>,
}

impl Held {
    fn new(bytes_max: u64, share_max: u64) -> Self {
        Self { bytes_max, share_max, total: 0, by_owner: HashMap::new() }
    }

    fn take(&mut self, owner: RepoId, bytes: u64) -> bool {
        let share = self.by_owner.get(&owner).copied().unwrap_or_default();
        if self.total + bytes > self.bytes_max || share + bytes > self.share_max {
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
    /// The default that operators see.
    pub const BYTES_MAX: u64 = BYTES_MAX;

    pub fn new(bytes_max: u64) -> Self {
        let held = Held::new(bytes_max, bytes_max / 10 * SHARE_TENTHS);
        let sent = Held::new(bytes_max / 10 * SENT_TENTHS, bytes_max / 10 * SENT_SHARE_TENTHS);
        Self { held: Mutex::new(held), given_back: Condvar::new(), sent: Mutex::new(sent) }
    }

    /// A reservation that can grow.
    pub fn nothing(self: &Arc<Self>, holder: &Arc<GcRoots>) -> Reserved {
        Reserved { memory: self.clone(), holder: holder.clone(), bytes: 0 }
    }

    /// How many bytes are held.
    pub fn held_bytes(&self) -> u64 {
        self.held.lock().total
    }
}

/// One computation over the objects of a repository, with all that it holds.
#[derive(Debug)]
pub struct GcRoots {
    owner: RepoId,
    bytes: AtomicU64,
}

impl GcRoots {
    pub fn new(owner: RepoId) -> Self {
        Self { owner, bytes: AtomicU64::new(0) }
    }
}

/// Bytes that are held until this is dropped.
#[derive(Debug)]
pub struct Reserved {
    memory: Arc<Memory>,
    holder: Arc<GcRoots>,
    bytes: u64,
}

impl Reserved {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Holds more; waits where too much is held already. Blocks.
    pub(super) fn grow(&mut self, bytes: u64, cancellation: &Cancellation) -> Result<()> {
        let started = Instant::now();
        let mut held = self.memory.held.lock();
        // It would wait for itself.
        if self.holder.bytes.load(Ordering::Relaxed) + bytes > held.share_max {
            return Err(Error::OverBudget("It would take too much memory to compute this."));
        }
        while !held.take(self.holder.owner, bytes) {
            cancellation.check()?;
            if started.elapsed() > WAIT_MAX {
                return Err(Error::Unavailable("too many large objects are read at once".into()));
            }
            self.memory.given_back.wait_for(&mut held, LOOK_INTERVAL);
        }
        self.bytes += bytes;
        self.holder.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn give_back(&mut self, bytes: u64) {
        if bytes > 0 {
            self.memory.held.lock().give_back(self.holder.owner, bytes);
            self.memory.given_back.notify_all();
            self.holder.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.bytes -= bytes;
        }
    }
}

/// Bytes of a response that are held until it is sent.
#[derive(Debug)]
pub struct Sent {
    memory: Arc<Memory>,
    owner: RepoId,
    bytes: u64,
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.memory.sent.lock().give_back(self.owner, self.bytes);
    }
}

impl Reserved {
    /// Gives the memory of a computation back for that of its response, which has this length. Refused where too
    /// many large responses are being sent.
    pub fn send(self, bytes: u64) -> Result<Option<Sent>> {
        if bytes <= SENT_FREE {
            return Ok(None);
        }
        if !self.memory.sent.lock().take(self.holder.owner, bytes) {
            return Err(Error::Unavailable("too many large responses are being sent".into()));
        }
        Ok(Some(Sent { memory: self.memory.clone(), owner: self.holder.owner, bytes }))
    }

    /// Gives back what is more than this.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.give_back(self.bytes.saturating_sub(bytes));
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.give_back(self.bytes);
    }
}
