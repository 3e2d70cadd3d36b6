//! How long write transactions take: a histogram for operators, and a warning for each slow one.
//!
//! On SQLite transactions run one after another, so a slow one delays all other writes.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a transaction may take without a warning in the log.
pub const TRANSACTION_TIME_MAX: Duration = Duration::from_millis(100);
/// At most one warning per interval, so that many slow transactions do not fill the log.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// Upper bounds of the histogram's buckets, in seconds.
pub const BUCKETS: [f64; 12] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.0];

/// The times of all write transactions of one store.
#[derive(Debug)]
pub struct TransactionTimes {
    /// One more than there are bounds: the last bucket has no upper bound.
    buckets: [AtomicU64; BUCKETS.len() + 1],
    nanoseconds: AtomicU64,
    longest_nanoseconds: AtomicU64,
    waiting: AtomicI64,
    started: Instant,
    /// When the last warning was logged, in nanoseconds after `started`; zero before the first.
    warned: AtomicU64,
}

impl Default for TransactionTimes {
    fn default() -> Self {
        Self {
            buckets: Default::default(),
            nanoseconds: AtomicU64::new(0),
            longest_nanoseconds: AtomicU64::new(0),
            waiting: AtomicI64::new(0),
            started: Instant::now(),
            warned: AtomicU64::new(0),
        }
    }
}

/// The times so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Transactions per bucket: longer than the bound before, and at most as long as its own.
    pub counts: Vec<u64>,
    pub sum: Duration,
    pub longest: Duration,
}

impl TransactionTimes {
    /// Counts a transaction that waits or runs, until the guard is dropped.
    pub fn wait(self: &std::sync::Arc<Self>) -> Waiting {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Waiting(self.clone())
    }

    /// How many transactions wait or run now.
    pub fn waiting(&self) -> i64 {
        self.waiting.load(Ordering::SeqCst)
    }

    pub fn observe(&self, operation: &'static str, took: Duration) {
        let bucket = BUCKETS.iter().position(|bound| took.as_secs_f64() <= *bound).unwrap_or(BUCKETS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = nanoseconds(took);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        self.longest_nanoseconds.fetch_max(nanoseconds, Ordering::Relaxed);
        if took > TRANSACTION_TIME_MAX && self.may_warn() {
            let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            tracing::warn!(operation, milliseconds, "a write transaction took longer than its limit");
        }
    }

    fn may_warn(&self) -> bool {
        let now = nanoseconds(self.started.elapsed()).max(1);
        let last = self.warned.load(Ordering::Relaxed);
        let is_due = last == 0 || now.saturating_sub(last) >= nanoseconds(WARNING_INTERVAL);
        is_due && self.warned.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    pub fn histogram(&self) -> Histogram {
        let duration = |nanoseconds: &AtomicU64| Duration::from_nanos(nanoseconds.load(Ordering::Relaxed));
        Histogram {
            counts: self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect(),
            sum: duration(&self.nanoseconds),
            longest: duration(&self.longest_nanoseconds),
        }
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A transaction that waits or runs.
pub struct Waiting(std::sync::Arc<TransactionTimes>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_their_bucket() {
        let times = TransactionTimes::default();
        for microseconds in [100, 101, 3_000_000] {
            times.observe("test", Duration::from_micros(microseconds));
        }
        let histogram = times.histogram();
        assert_eq!((histogram.counts[0], histogram.counts[1], histogram.counts[BUCKETS.len()]), (1, 1, 1));
        assert_eq!(histogram.counts.iter().sum::<u64>(), 3);
        assert_eq!(histogram.sum, Duration::from_micros(3_000_201));
        assert_eq!(histogram.longest, Duration::from_secs(3));
    }

    #[test]
    fn warnings_are_rate_limited() {
        let times = TransactionTimes::default();
        assert_eq!([times.may_warn(), times.may_warn(), times.may_warn()], [true, false, false]);
    }
}
