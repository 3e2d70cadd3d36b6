//! Readiness: the service is not stopping, the database responds, the writer makes progress, the disk is writable.
//!
//! Checks that may hang run on threads of their own, at most one of each kind, however many requests there are. A request
//! waits for a moment, and otherwise reports that the check did not finish.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::watch;

use plinth_base::error::Result;
use plinth_core::Core;
use plinth_git as git;

/// How long a response waits for checks; well below the second that probes usually allow.
const DEADLINE: Duration = Duration::from_millis(500);
/// Younger results are reused.
const DATABASE_AGE_MAX: Duration = Duration::from_millis(100);
/// A sync is more expensive, so its result is reused for longer.
const DISK_AGE_MAX: Duration = Duration::from_secs(1);

/// The checks of one service, with their last results.
#[derive(Default)]
pub struct Checks {
    database: Check,
    disk: Check,
    was_unready: AtomicBool,
}

/// The results of all checks, for operators.
#[derive(Debug, Serialize)]
pub struct Report {
    pub ready: bool,
    pub checks: Vec<Finding>,
}

/// The result of one check.
#[derive(Debug, Serialize)]
pub struct Finding {
    pub name: &'static str,
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

type Outcome = Result<(), String>;

impl Checks {
    /// Runs all checks, within the deadline.
    pub async fn report(&self, core: &Core, is_draining: bool) -> Report {
        let (database, runtime) = (core.clone(), Handle::current());
        let database = self.database.outcome(DATABASE_AGE_MAX, move || runtime.block_on(database.check_database()));
        let repositories = core.repositories.clone();
        let disk = self.disk.outcome(DISK_AGE_MAX, move || repositories.check_disk());
        let (database, disk) = tokio::join!(database, disk);
        let writer = core.check_writer().map_err(|error| error.to_string());
        let serving = if is_draining { Err("the service is stopping".to_owned()) } else { Ok(()) };
        let outcomes = [("serving", serving), ("database", database), ("writer", writer), ("disk", disk)];
        let checks: Vec<Finding> = outcomes.into_iter().map(Finding::new).collect();
        let mut report = Report { ready: checks.iter().all(|finding| finding.ok), checks };
        self.log_change(&report);
        // Damage does not make the service unready: everything else can be served, and a restart would not repair it.
        report.checks.push(Finding::new(("repositories", check_damage())));
        report
    }

    /// Logs only changes: probes come every few seconds.
    fn log_change(&self, report: &Report) {
        let was_unready = self.was_unready.swap(!report.ready, Ordering::SeqCst);
        if report.ready && was_unready {
            tracing::info!("ready again");
        } else if !report.ready && !was_unready {
            for finding in report.checks.iter().filter(|finding| !finding.ok) {
                tracing::warn!(check = finding.name, why = finding.message, "not ready");
            }
        }
    }
}

impl Finding {
    fn new((name, outcome): (&'static str, Outcome)) -> Self {
        Self { name, ok: outcome.is_ok(), message: outcome.err() }
    }
}

/// Whether this process has met a damaged object. The log names the files.
fn check_damage() -> Outcome {
    match git::damaged_objects() {
        0 => Ok(()),
        count => Err(format!("{count} reads of damaged objects since the start; see the log and run plinth verify")),
    }
}

/// A check that runs at most once at a time.
struct Check(Arc<Parts>);

struct Parts {
    deadline: Duration,
    is_running: AtomicBool,
    last: watch::Sender<Option<(Instant, Outcome)>>,
}

impl Default for Check {
    fn default() -> Self {
        Self::with_deadline(DEADLINE)
    }
}

impl Check {
    fn with_deadline(deadline: Duration) -> Self {
        Self(Arc::new(Parts { deadline, is_running: AtomicBool::new(false), last: watch::channel(None).0 }))
    }

    /// Returns a recent result, or the next one if it arrives before the deadline.
    async fn outcome(&self, age_max: Duration, work: impl FnOnce() -> Result<()> + Send + 'static) -> Outcome {
        let mut results = self.0.last.subscribe();
        if let Some((at, outcome)) = &*results.borrow()
            && at.elapsed() < age_max
        {
            return outcome.clone();
        }
        if !self.0.is_running.swap(true, Ordering::SeqCst) {
            let parts = self.0.clone();
            tokio::task::spawn_blocking(move || {
                let outcome = catch_unwind(AssertUnwindSafe(work));
                let outcome = match outcome {
                    Ok(outcome) => outcome.map_err(|error| error.to_string()),
                    Err(_) => Err("the check panicked".into()),
                };
                // In this order: a request in between starts another check instead of waiting for a result that never comes.
                parts.is_running.store(false, Ordering::SeqCst);
                parts.last.send_replace(Some((Instant::now(), outcome)));
            });
        }
        match tokio::time::timeout(self.0.deadline, results.changed()).await {
            Ok(Ok(())) => results.borrow().as_ref().map_or(Ok(()), |(_, outcome)| outcome.clone()),
            _ => Err(format!("no result within {} ms", self.0.deadline.as_millis())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc;

    use super::*;
    use plinth_base::error::Error;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn hanging_check_times_out_and_is_not_started_twice() {
        let check = Check::default();
        let (release, hanging) = mpsc::channel::<()>();
        let started = Arc::new(AtomicUsize::new(0));
        let count = started.clone();
        let first = check.outcome(Duration::ZERO, move || {
            count.fetch_add(1, Ordering::SeqCst);
            let _ = hanging.recv();
            Ok(())
        });
        assert!(first.await.expect_err("it hangs").contains("no result"));
        let count = started.clone();
        let second = check.outcome(Duration::ZERO, move || {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        assert!(second.await.is_err());
        assert_eq!(started.load(Ordering::SeqCst), 1);
        release.send(()).expect("it waits");
        while check.outcome(Duration::from_secs(60), || Ok(())).await.is_err() {}
    }

    #[tokio::test]
    async fn recent_result_is_reused() {
        let check = Check::with_deadline(Duration::MAX);
        let failed = check.outcome(Duration::ZERO, || Err(Error::Unavailable("full".into()))).await;
        assert_eq!(failed, Err("full".into()));
        assert_eq!(check.outcome(Duration::from_secs(60), || Ok(())).await, failed);
        assert_eq!(check.outcome(Duration::ZERO, || Ok(())).await, Ok(()));
        assert!(check.outcome(Duration::ZERO, || panic!("the check of this test panics")).await.is_err());
        assert_eq!(check.outcome(Duration::ZERO, || Ok(())).await, Ok(()), "the next check runs");
    }
}
