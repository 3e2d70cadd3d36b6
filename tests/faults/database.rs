//! F10: PostgreSQL is restarted, killed, loses its connections or hangs. Callers get 503, no acknowledged write is lost,
//! and the server needs no restart.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::checker::{expect_forgeries_noticed, expect_whole};
use crate::client::Client;
use crate::cluster::Cluster;
use crate::load::{Load, Plan, Rejections, Seen};
use crate::settings::{self, figure, progress, sized, skip};
use crate::subject::{Subject, TOKEN, statement, wait_for_statements};

pub const RECOVERY_MAX: Duration = Duration::from_secs(5);
/// How long the database is unavailable.
pub const AWAY: Duration = Duration::from_secs(1);
/// A hung database is detected by a timeout.
const NOTICE_MAX: Duration = Duration::from_secs(8);
/// The limit of `/readyz` is one second; the rest is for a busy machine.
const PROBE_MAX: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Restart,
    Kill,
    TerminateBackends,
    Hang,
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_service_recovers_from_postgres_restart() {
    survive(Fault::Restart);
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_service_recovers_from_postgres_kill() {
    survive(Fault::Kill);
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_service_recovers_from_closed_postgres_connections() {
    survive(Fault::TerminateBackends);
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_service_recovers_from_postgres_hang() {
    survive(Fault::Hang);
}

fn survive(fault: Fault) {
    let case = format!("F10, {fault:?}");
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let Some(cluster) = Cluster::start_in(directory.path(), |_| Vec::new()) else {
        return skip(&format!("{case}: PLINTH_TEST_POSTGRES_BIN names no programs"));
    };
    let mut subject = Subject::start(Some(cluster), &[]);
    // The load borrows the subject, and the fault changes the cluster.
    let mut cluster = subject.cluster.take().expect("it was just given");
    let (seed, rounds) = (settings::seed(&case), sized(1, 25));
    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        let plan = Plan { writers: 3, pushers: 1, readers: 1, rejections: Rejections::Ambiguous, seed, round };
        let (seen, recovery) = std::thread::scope(|scope| {
            let load = Load::start(scope, &subject, plan);
            load.seen.expect_more(20);
            let hung = fault.begin(&mut cluster, directory.path());
            if fault != Fault::TerminateBackends {
                check_away(&subject, &load.seen);
                drop(hung);
                fault.end(&mut cluster);
            }
            let recovery = load.seen.wait_for_more(20, RECOVERY_MAX);
            (load.stop(), recovery)
        });
        slowest = slowest.max(recovery.unwrap_or_else(|| panic!("{case}: no recovery in {RECOVERY_MAX:?}")));
        assert_eq!(unexpected(&seen), Vec::<String>::new(), "{case}");
        progress(&format!("{case}: {} rounds", round + 1));
    }
    subject.cluster = Some(cluster);
    subject.restart();
    let acknowledged = expect_whole(&subject, &case).acknowledged;
    expect_forgeries_noticed(subject.server(), subject.ledger());
    figure(&format!(
        "{case}: {rounds} times, {acknowledged} acknowledged writes, 0 lost, only 503 meanwhile, work goes on {slowest:.2?} \
         after the database is back"
    ));
}

/// What clients get without a database. This is the control too: no request may succeed.
pub fn check_away(subject: &Subject, seen: &Seen) {
    check_unready(subject);
    let before = seen.acknowledged();
    std::thread::sleep(AWAY);
    assert_eq!(seen.acknowledged(), before, "something was acknowledged without a database");
}

/// Waits until the service says that it is not ready.
pub fn check_unready(subject: &Subject) {
    let probe = |path: &str| {
        let response = Client::new(subject.server().address, TOKEN).with_timeout(PROBE_MAX).get(path);
        response
            .map(|response| response.status)
            .unwrap_or_else(|failure| panic!("{path} without a database: {failure:?}"))
    };
    let started = Instant::now();
    while probe("/readyz") != 503 {
        assert!(started.elapsed() < NOTICE_MAX, "/readyz does not notice that the database is away");
        std::thread::sleep(Duration::from_millis(50));
    }
    progress(&format!("F10: /readyz says so after {:.2?}", started.elapsed()));
    assert_eq!(probe("/healthz"), 200, "/healthz without a database");
}

/// Statuses that a client should not get while the database is unavailable.
pub fn unexpected(seen: &Seen) -> Vec<String> {
    let statuses = Seen::statuses(&seen.writes).into_iter().chain(Seen::statuses(&seen.reads));
    let mut wrong: Vec<String> = statuses
        .filter(|(status, _)| !matches!(status, 200..500 | 503))
        .map(|(status, count)| format!("{count} responses with {status}"))
        .collect();
    let (interrupted, bare) = (seen.interrupted.load(SeqCst), seen.without_retry_after.load(SeqCst));
    if interrupted + bare > 0 {
        wrong.push(format!("{interrupted} requests without a response, {bare} error responses without Retry-After"));
    }
    wrong
}

impl Fault {
    fn begin(self, cluster: &mut Cluster, directory: &Path) -> Option<Hung> {
        match self {
            Fault::Restart => {
                signal(postmaster(directory), Signal::INT);
                // The file is removed with the last process, after which the child can be waited for.
                let file = process_file(directory);
                let started = Instant::now();
                while file.exists() && started.elapsed() < Duration::from_secs(20) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                cluster.kill();
            }
            Fault::Kill => cluster.kill(),
            Fault::TerminateBackends => {
                let sql = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()";
                statement(cluster, sql).expect("the database executes a statement");
            }
            Fault::Hang => return Some(Hung::stop(directory)),
        }
        None
    }

    /// Returns when the database is back.
    fn end(self, cluster: &mut Cluster) {
        match self {
            Fault::Restart | Fault::Kill => cluster.bring_up(),
            Fault::TerminateBackends | Fault::Hang => {}
        }
        wait_for_statements(cluster);
    }
}

/// Stopped processes; dropping this continues them.
pub struct Hung(Vec<i32>);

impl Hung {
    /// Stops the server of the cluster in this directory.
    pub fn stop(directory: &Path) -> Self {
        let processes = all(directory);
        processes.iter().for_each(|process| signal(*process, Signal::STOP));
        Self(processes)
    }
}

impl Drop for Hung {
    fn drop(&mut self) {
        self.0.iter().for_each(|process| signal(*process, Signal::CONT));
    }
}

fn process_file(directory: &Path) -> PathBuf {
    directory.join("data/postmaster.pid")
}

fn postmaster(directory: &Path) -> i32 {
    let text = std::fs::read_to_string(process_file(directory)).expect("the database runs");
    text.lines().next().and_then(|line| line.trim().parse().ok()).expect("its first line is the process")
}

/// The server and its children, the server first so that it starts no more of them.
fn all(directory: &Path) -> Vec<i32> {
    let first = postmaster(directory);
    let children = std::fs::read_to_string(format!("/proc/{first}/task/{first}/children")).unwrap_or_default();
    std::iter::once(first).chain(children.split_whitespace().filter_map(|id| id.parse().ok())).collect()
}

fn signal(process: i32, signal: Signal) {
    let process = Pid::from_raw(process).expect("a process has a number");
    let _ = rustix::process::kill_process(process, signal);
}
