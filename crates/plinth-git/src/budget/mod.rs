//! The budget of one computation over git objects: how much it may visit, load, compare and reserve, and for how long.
//!
//! Pushed objects decide how much work a request causes, and a few hundred bytes can name billions of files. So every
//! loop over objects counts against its budget and stops in the middle when the budget is used up. Counting is an
//! addition and a comparison; the clock and the cancellation are checked every few thousand steps.

mod cancellation;
mod memory;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};

pub use cancellation::{Cancellation, Interest};
pub(crate) use memory::AttachedReservation;
pub use memory::{Computation, Memory, Reserved, Sent};
use plinth_base::error::{Error, Result};

/// Steps between two checks of the clock and the cancellation; together they take well under a millisecond.
const STEPS_PER_CHECK: u64 = 16 * 1024;
/// Bytes that are loaded or compared in about the time of one step.
const BYTES_PER_STEP: u64 = 32;
/// CPU time after which a computation counts as long and waits for its turn.
const LONG_AFTER: Duration = Duration::from_millis(20);
/// Bytes of a result that are not counted in the shared memory: nearly every result is smaller.
const RETAINED_FREE: u64 = 256 * 1024;

/// How much one computation may use. One that needs more fails or returns a part.
#[derive(Debug, Clone, Copy)]
pub struct BudgetLimits {
    /// Entries of trees and commits of histories.
    pub entries: u64,
    /// Bytes of all objects that are loaded, one after another.
    pub loaded_bytes: u64,
    /// Bytes, lines and chunks that are compared with each other.
    pub compared: u64,
    /// Bytes of the result.
    pub retained_bytes: u64,
    /// CPU time of the thread that computes.
    pub cpu_time: Duration,
}

impl Default for BudgetLimits {
    fn default() -> Self {
        Self {
            entries: 4_000_000,
            loaded_bytes: 512 << 20,
            compared: 2_000_000_000,
            retained_bytes: 64 << 20,
            cpu_time: Duration::from_secs(5),
        }
    }
}

/// Decides when long computations go on, so that they leave room for short ones.
pub trait LongWork: Send + Sync {
    /// Blocks until a computation that has become long may go on.
    fn wait_for_turn(&self) -> Result<()>;
}

/// The limits and the use so far of one computation. It belongs to one thread; others only cancel it.
pub struct Budget {
    limits: Option<BudgetLimits>,
    used: Used,
    steps: AtomicU64,
    cancellation: Arc<Cancellation>,
    memory: Arc<Memory>,
    computation: Arc<Computation>,
    /// The part of the shared memory that the result uses.
    retained: Mutex<Option<Reserved>>,
    long_work: Option<Arc<dyn LongWork>>,
    is_long: AtomicBool,
}

/// Plain numbers for one thread; atomic only so that a budget can be shared.
#[derive(Default)]
struct Used {
    entries: AtomicU64,
    loaded_bytes: AtomicU64,
    compared: AtomicU64,
    retained_bytes: AtomicU64,
    /// The CPU time of the thread, in nanoseconds, when the computation began.
    started: AtomicU64,
}

impl Budget {
    /// A budget for the thread that calls this.
    pub fn new(
        limits: BudgetLimits,
        memory: Arc<Memory>,
        cancellation: Arc<Cancellation>,
        long_work: Option<Arc<dyn LongWork>>,
    ) -> Self {
        let used = Used { started: thread_nanos().into(), ..Used::default() };
        Self::with(Some(limits), used, (memory, cancellation), long_work)
    }

    /// For commands of the operator, which take as long as the operator waits.
    pub fn unlimited() -> &'static Self {
        static UNLIMITED: std::sync::LazyLock<Budget> =
            std::sync::LazyLock::new(|| Budget::with(None, Used::default(), (Arc::default(), Arc::default()), None));
        &UNLIMITED
    }

    fn with(
        limits: Option<BudgetLimits>,
        used: Used,
        (memory, cancellation): (Arc<Memory>, Arc<Cancellation>),
        long_work: Option<Arc<dyn LongWork>>,
    ) -> Self {
        Self {
            limits,
            used,
            steps: AtomicU64::new(0),
            computation: Arc::new(Computation::new(cancellation.owner())),
            cancellation,
            memory,
            retained: Mutex::default(),
            long_work,
            is_long: AtomicBool::new(false),
        }
    }

    /// Whether it has any limits.
    pub(super) fn is_limited(&self) -> bool {
        self.limits.is_some()
    }

    /// Call this for every entry of a tree and every commit that is visited.
    pub fn visit(&self, entries: u64) -> Result<()> {
        let Some(limits) = &self.limits else { return Ok(()) };
        if add(&self.used.entries, entries) > limits.entries {
            return Err(Error::OverBudget("It would take too many files or commits to compute this."));
        }
        self.step(entries)
    }

    /// Call this before an object of that size is loaded.
    pub fn load(&self, bytes: u64) -> Result<()> {
        let Some(limits) = &self.limits else { return Ok(()) };
        if add(&self.used.loaded_bytes, bytes) > limits.loaded_bytes {
            return Err(Error::OverBudget("It would take too many bytes of objects to compute this."));
        }
        self.step(bytes / BYTES_PER_STEP + 1)
    }

    /// Call this with the bytes, lines or chunks that are compared next.
    pub fn compare(&self, count: u64) -> Result<()> {
        let Some(limits) = &self.limits else { return Ok(()) };
        if add(&self.used.compared, count) > limits.compared {
            return Err(Error::OverBudget("It would take too many comparisons to compute this."));
        }
        self.step(count)
    }

    /// Call this for what is added to the result. Large results share one limit among all computations.
    pub fn retain(&self, bytes: u64) -> Result<()> {
        let Some(limits) = &self.limits else { return Ok(()) };
        let total = add(&self.used.retained_bytes, bytes);
        if total > limits.retained_bytes {
            return Err(Error::OverBudget("The result would be too large."));
        }
        if total <= RETAINED_FREE {
            return Ok(());
        }
        let mut retained = self.retained.lock();
        let reserved = retained.get_or_insert_with(|| self.memory.reservation(&self.computation));
        match total.checked_sub(reserved.bytes()).filter(|missing| *missing > 0) {
            None => Ok(()),
            // In large steps, so that the memory is seldom locked.
            Some(missing) => reserved.grow(missing.max(RETAINED_FREE), &self.cancellation),
        }
    }

    /// Memory for the next part of the computation, released when the guard is dropped.
    pub fn reserve(&self, bytes: u64) -> Result<Option<Reserved>> {
        if self.limits.is_none() || bytes <= RETAINED_FREE {
            return Ok(None);
        }
        let mut reserved = self.memory.reservation(&self.computation);
        reserved.grow(bytes, &self.cancellation)?;
        Ok(Some(reserved))
    }

    /// The reservation for the result, to be dropped together with the result.
    pub fn take_retained(&self) -> Option<Reserved> {
        self.retained.lock().take()
    }

    /// Runs a computation whose outcome is shared: it starts with fresh counters, whatever was used before it. So what is
    /// over budget here is over budget for every caller.
    pub(super) fn section<T>(&self, compute: impl FnOnce() -> Result<T>) -> Result<T> {
        let counters = [&self.used.entries, &self.used.loaded_bytes, &self.used.compared];
        let before = counters.map(|counter| counter.swap(0, Ordering::Relaxed));
        let started = self.used.started.swap(thread_nanos(), Ordering::Relaxed);
        let outcome = compute();
        self.used.started.store(started, Ordering::Relaxed);
        counters.iter().zip(before).for_each(|(counter, before)| _ = add(counter, before));
        outcome
    }

    /// Fails if the total use, in sections and between them, is over the limits.
    pub(super) fn check_total(&self) -> Result<()> {
        self.visit(0)?;
        self.load(0)?;
        self.compare(0)?;
        self.check()
    }

    pub(super) fn cancellation(&self) -> &Arc<Cancellation> {
        &self.cancellation
    }

    fn step(&self, steps: u64) -> Result<()> {
        if add(&self.steps, steps) < STEPS_PER_CHECK {
            return Ok(());
        }
        self.steps.store(0, Ordering::Relaxed);
        self.check()
    }

    /// Checks the cancellation and the clock.
    pub fn check(&self) -> Result<()> {
        let Some(limits) = &self.limits else { return Ok(()) };
        self.cancellation.check()?;
        let used = Duration::from_nanos(thread_nanos().saturating_sub(self.used.started.load(Ordering::Relaxed)));
        if used > limits.cpu_time {
            return Err(Error::OverBudget("It would take too long to compute this."));
        }
        if used > LONG_AFTER && !self.is_long.swap(true, Ordering::Relaxed) {
            self.long_work.as_ref().map_or(Ok(()), |long_work| long_work.wait_for_turn())?;
        }
        Ok(())
    }
}

/// Adds without the cost of an atomic addition: only one thread counts.
fn add(counter: &AtomicU64, count: u64) -> u64 {
    let sum = counter.load(Ordering::Relaxed).saturating_add(count);
    counter.store(sum, Ordering::Relaxed);
    sum
}

fn thread_nanos() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or_default() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or_default()
}

#[cfg(test)]
mod tests;
