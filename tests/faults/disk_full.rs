//! F6: a full disk. Writes get 503 or 507, reads continue, nothing acknowledged is lost, and no restart is needed.

use std::path::Path;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use crate::checker::{expect_forgeries_noticed, expect_whole, git, printed, url};
use crate::disk::Disk;
use crate::load::{Load, Plan, Rejections, Seen};
use crate::pusher;
use crate::settings::{self, figure, progress, sized, skip};
use crate::subject::Subject;

const DISK_BYTES: u64 = 48 << 20;
const RECOVERY_MAX: Duration = Duration::from_secs(5);
/// How long the disk stays full.
const FULL: Duration = Duration::from_millis(1500);

/// Results of one fill.
struct Fill {
    wrong: Vec<String>,
    rejected: usize,
    /// `None` if it did not recover in time.
    recovery: Option<Duration>,
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F6"]
fn f6_full_disk_rejects_writes_and_recovers() {
    let Some((disk, mut subject)) = start("F6") else { return };
    let (fills, seed) = (sized(3, 50), settings::seed("F6"));
    let (mut rejected, mut slowest) = (0, Duration::ZERO);
    for round in 0..fills {
        let fill =
            fill_under_load(&subject, seed, round, |ballast| std::fs::remove_file(ballast).expect("it is there"));
        assert_eq!(fill.wrong, Vec::<String>::new(), "fill {round}");
        assert!(fill.rejected > 0, "the disk was never full");
        slowest = slowest.max(fill.recovery.expect("it recovers without a restart"));
        rejected += fill.rejected;
        expect_whole(&subject, &format!("F6, after fill {round}"));
        progress(&format!("F6: {} fills, {rejected} writes rejected", round + 1));
    }
    subject.restart();
    let acknowledged = expect_whole(&subject, "F6, after a restart").acknowledged;
    expect_forgeries_noticed(subject.server(), subject.ledger());
    figure(&format!(
        "F6: {fills} fills, {acknowledged} acknowledged writes, 0 lost, {rejected} rejected with 503 or 507, all reads 200, \
         writes again {slowest:.2?} after there was room"
    ));
    subject.end(disk);
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F6"]
fn f6_control_disk_that_stays_full_is_detected() {
    let Some((disk, subject)) = start("F6 control") else { return };
    let fill = fill_under_load(&subject, settings::seed("F6 control"), 0, |_| {});
    assert_eq!(fill.recovery, None, "nobody would notice that it does not recover");
    figure("F6 control, a disk that stays full: no recovery, noticed");
    subject.end(disk);
}

fn start(case: &str) -> Option<(Disk, Subject)> {
    let mut subject = Subject::prepare(&[]);
    match Disk::small(&subject.data(), DISK_BYTES) {
        Ok(disk) => {
            subject.launch();
            Some((disk, subject))
        }
        Err(reason) => {
            skip(&format!("{case}: a small file system requires root: {reason}"));
            None
        }
    }
}

/// Fills the disk under load, checks the responses, and frees the space.
fn fill_under_load(subject: &Subject, seed: u64, round: usize, free: impl Fn(&Path)) -> Fill {
    let ballast = subject.data().join("ballast");
    let plan = Plan { writers: 3, pushers: 1, readers: 1, rejections: Rejections::Definite, seed, round };
    std::thread::scope(|scope| {
        let load = Load::start(scope, subject, plan);
        load.seen.expect_more(20);
        fill(&ballast);
        std::thread::sleep(FULL);
        let mut wrong = check_git(subject);
        // The load uses up the rest meanwhile.
        fill(&ballast);
        free(&ballast);
        let recovery = load.seen.wait_for_created(20, RECOVERY_MAX);
        let seen = load.stop();
        wrong.extend(unexpected(&seen));
        let writes = Seen::statuses(&seen.writes);
        let rejected = writes.get(&503).unwrap_or(&0) + writes.get(&507).unwrap_or(&0);
        Fill { wrong, rejected, recovery }
    })
}

/// Allocates all free space.
fn fill(ballast: &Path) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(ballast).expect("a name still fits");
    for size in [1 << 20, 1 << 12, 1] {
        while file.write_all(&vec![7; size]).is_ok() {}
    }
}

/// A clone may succeed or fail with 503 or 507.
fn check_git(subject: &Subject) -> Vec<String> {
    let directory = tempfile::tempdir_in(subject.home()).expect("a temporary directory can be created");
    let cloned = git(directory.path(), &["clone", "--quiet", "--mirror", &url(subject.server()), "mirror"]);
    let status = pusher::status(&printed(&cloned));
    let is_fine = cloned.status.success() || matches!(status, Some(503 | 507));
    if is_fine { Vec::new() } else { vec![format!("clone: {}", printed(&cloned))] }
}

/// Statuses and failures that a client should not get while a disk is full.
pub fn unexpected(seen: &Seen) -> Vec<String> {
    let mut wrong = Vec::new();
    let is_expected = |status: u16| matches!(status, 200..500 | 503 | 507);
    let writes = Seen::statuses(&seen.writes).into_iter().filter(|(status, _)| !is_expected(*status));
    wrong.extend(writes.map(|(status, count)| format!("{count} writes got {status}")));
    let reads = Seen::statuses(&seen.reads).into_iter().filter(|(status, _)| *status != 200);
    wrong.extend(reads.map(|(status, count)| format!("{count} reads got {status}")));
    let pushes = seen.failed_pushes.lock().expect("no client panics");
    let pushes: Vec<&String> = pushes.iter().filter(|text| !matches!(pusher::status(text), Some(503 | 507))).collect();
    if let Some(first) = pushes.first() {
        wrong.push(format!("{} pushes failed with other than 503 and 507, such as {first:?}", pushes.len()));
    }
    let (interrupted, bare) = (seen.interrupted.load(SeqCst), seen.without_retry_after.load(SeqCst));
    if interrupted + bare > 0 {
        wrong.push(format!("{interrupted} requests without a response, {bare} error responses without Retry-After"));
    }
    wrong
}
