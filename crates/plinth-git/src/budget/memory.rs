//! A limit on the memory that all computations over objects use together.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Cancellation;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;

/// Bytes of large objects, texts and results that all computations reserve together.
const BYTES_MAX: u64 = 160 << 20;
/// The share of one repository, in tenths, so that the others can go on.
const SHARE_TENTHS: u64 = 6;
/// The limit for large responses that are being sent, in tenths of the same number. It is separate, or slow clients
/// could stop all computations.
const SENT_TENTHS: u64 = 6;
/// The share of the responses about one repository, in tenths.
const SENT_SHARE_TENTHS: u64 = 3;
/// Smaller responses are not counted.
const SENT_FREE: u64 = 1 << 20;
/// How long a computation waits for memory. Bounded, so that two that wait for each other both end.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How often a waiting computation checks whether it is cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A counter of bytes with an upper limit.
#[derive(Debug)]
pub struct Memory {
    reserved: Mutex<Usage>,
    released: Condvar,
    sent: Mutex<Usage>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(BYTES_MAX)
    }
}

#[derive(Debug)]
struct Usage {
    bytes_max: u64,
    share_max: u64,
    total: u64,
    by_owner: HashMap<AccountId, u64>,
}

impl Usage {
    fn new(bytes_max: u64, share_max: u64) -> Self {
        Self { bytes_max, share_max, total: 0, by_owner: HashMap::new() }
    }

    fn take(&mut self, owner: AccountId, bytes: u64) -> bool {
        let share = self.by_owner.get(&owner).copied().unwrap_or_default();
        if self.total + bytes > self.bytes_max || share + bytes > self.share_max {
            return false;
        }
        self.total += bytes;
        self.by_owner.insert(owner, share + bytes);
        true
    }

    fn release(&mut self, owner: AccountId, bytes: u64) {
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
        let reserved = Usage::new(bytes_max, bytes_max / 10 * SHARE_TENTHS);
        let sent = Usage::new(bytes_max / 10 * SENT_TENTHS, bytes_max / 10 * SENT_SHARE_TENTHS);
        Self { reserved: Mutex::new(reserved), released: Condvar::new(), sent: Mutex::new(sent) }
    }

    /// An empty reservation that can grow.
    pub fn reservation(self: &Arc<Self>, computation: &Arc<Computation>) -> Reserved {
        Reserved { memory: self.clone(), computation: computation.clone(), bytes: 0 }
    }

    /// How many bytes are reserved.
    pub fn reserved_bytes(&self) -> u64 {
        self.reserved.lock().total
    }
}

/// One computation over the objects of a repository, with the bytes that it has reserved.
#[derive(Debug)]
pub struct Computation {
    owner: AccountId,
    bytes: AtomicU64,
}

impl Computation {
    pub fn new(owner: AccountId) -> Self {
        Self { owner, bytes: AtomicU64::new(0) }
    }
}

/// Bytes that are released when this is dropped.
#[derive(Debug)]
pub struct Reserved {
    memory: Arc<Memory>,
    computation: Arc<Computation>,
    bytes: u64,
}

impl Reserved {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reserves more; blocks while too much is reserved.
    pub(super) fn grow(&mut self, bytes: u64, cancellation: &Cancellation) -> Result<()> {
        let started = Instant::now();
        let mut usage = self.memory.reserved.lock();
        // It would wait for itself.
        if self.computation.bytes.load(Ordering::Relaxed).saturating_add(bytes) > usage.share_max {
            return Err(Error::OverBudget("It would take too much memory to compute this."));
        }
        while !usage.take(self.computation.owner, bytes) {
            cancellation.check()?;
            if started.elapsed() > WAIT_MAX {
                return Err(Error::Unavailable("too many large objects are read at once".into()));
            }
            self.memory.released.wait_for(&mut usage, CHECK_INTERVAL);
        }
        self.bytes += bytes;
        self.computation.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn release(&mut self, bytes: u64) {
        if bytes > 0 {
            self.memory.reserved.lock().release(self.computation.owner, bytes);
            self.memory.released.notify_all();
            self.computation.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.bytes -= bytes;
        }
    }
}

/// Bytes of a response, counted until it is sent.
#[derive(Debug)]
pub struct Sent {
    memory: Arc<Memory>,
    owner: AccountId,
    bytes: u64,
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.memory.sent.lock().release(self.owner, self.bytes);
    }
}

impl Reserved {
    /// Replaces the reservation of a computation by that of its response, which has this length. Fails if too many
    /// large responses are being sent.
    pub fn send(self, bytes: u64) -> Result<Option<Sent>> {
        if bytes <= SENT_FREE {
            return Ok(None);
        }
        if !self.memory.sent.lock().take(self.computation.owner, bytes) {
            return Err(Error::Unavailable("too many large responses are being sent".into()));
        }
        Ok(Some(Sent { memory: self.memory.clone(), owner: self.computation.owner, bytes }))
    }

    /// Releases all but this many bytes.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.release(self.bytes.saturating_sub(bytes));
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}

/// A reservation that lives as long as a value, without being part of the value's equality.
#[derive(Debug, Clone, Default)]
pub(crate) struct AttachedReservation(
    #[expect(dead_code, reason = "dropping it releases the memory")] Option<Arc<Reserved>>,
);

impl From<Option<Reserved>> for AttachedReservation {
    fn from(reserved: Option<Reserved>) -> Self {
        Self(reserved.map(Arc::new))
    }
}

impl PartialEq for AttachedReservation {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for AttachedReservation {}
