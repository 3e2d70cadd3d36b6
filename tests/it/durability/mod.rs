//! Acknowledged writes survive power cuts.
//!
//! `strace` records what the server does with its files. From that a disk is built that has lost everything unsynced when a
//! response was sent, and a server that starts on it must show what the first one showed.
//! These tests need `strace`; `cargo xtask test --only durability` installs it.

mod disk;
mod failed_sync;
mod importing;
mod recording;
mod trace;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use self::disk::{Disk, Loss};
pub use self::recording::git;
use self::recording::{Acknowledged, Recording, show};
use self::trace::Call;
use crate::process::Server;
use crate::support::TestDatabase;

const LOSSES: [Loss; 2] = [Loss::NamesAndContent, Loss::Content];

/// A sync that is ignored, as if the program had omitted it.
type LeftOut = fn(&Path) -> bool;

#[tokio::test]
#[ignore = "needs strace: cargo xtask test --only durability"]
async fn acknowledged_writes_survive_power_cut() {
    let database = TestDatabase::create().await;
    let url = database.url();
    let flags: Vec<&str> = url.iter().flat_map(|url| ["--database", url]).collect();
    let recording = Recording::make(&flags);
    // A PostgreSQL database is not rolled back with the model disk, so only the last state can be checked.
    let first = if url.is_some() { recording.acknowledged.len() - 1 } else { 0 };
    let lost = recording.lose(first.., |_| false, &flags);
    assert!(lost.is_empty(), "{lost:#?}");

    let in_packs: LeftOut = |path| path.ends_with("objects/pack");
    let packs: LeftOut = |path| path.extension().is_some_and(|extension| extension == "pack" || extension == "idx");
    let log: LeftOut = |path| path.to_string_lossy().ends_with("-wal");
    let controls = [("directories of packs", in_packs), ("packs", packs), ("the log", log)];
    for (what, left_out) in controls.into_iter().take(if url.is_some() { 2 } else { 3 }) {
        let lost = recording.lose(recording.acknowledged.len() - 1.., left_out, &flags);
        assert!(!lost.is_empty(), "nobody would notice if {what} were not synced");
    }
}

#[test]
#[ignore = "needs strace: cargo xtask test --only durability"]
fn unsynced_log_is_detected() {
    let recording = Recording::make(&["--dev-synchronous", "normal"]);
    let lost = recording.lose(..3, |_| false, &[]);
    assert_eq!(lost.len(), 3 * LOSSES.len(), "{lost:#?}");
}

impl Recording {
    /// What is missing or damaged after a power cut at each of these lines.
    fn lose(
        &self,
        moments: impl std::slice::SliceIndex<[Acknowledged], Output = [Acknowledged]>,
        left_out: LeftOut,
        flags: &[&str],
    ) -> Vec<String> {
        let mut lost = Vec::new();
        for acknowledged in &self.acknowledged[moments] {
            let disk = replay(&self.before, &self.calls, acknowledged.line, left_out);
            for loss in LOSSES {
                let checked = catch_unwind(AssertUnwindSafe(|| check(&disk, loss, acknowledged, flags)));
                lost.extend(match checked {
                    Ok(Ok(())) => None,
                    Ok(Err(difference)) => Some(format!("{}, without {loss:?}: {difference}", acknowledged.what)),
                    Err(_) => Some(format!("{}, without {loss:?}: it does not come back whole", acknowledged.what)),
                });
            }
        }
        lost
    }
}

/// The disk when line `until` of the trace begins.
fn replay(before: &Disk, calls: &[Call], until: usize, left_out: LeftOut) -> Disk {
    let mut disk = before.clone();
    let begins = calls.iter().map(|call| (call.begun_at, false, call));
    let ends = calls.iter().map(|call| (call.ended_at, true, call));
    let mut moments: Vec<(usize, bool, &Call)> = begins.chain(ends).filter(|(line, ..)| *line < until).collect();
    moments.sort_by_key(|(line, is_end, _)| (*line, *is_end));
    for (_, is_end, call) in moments {
        match is_end {
            true => disk.end(call),
            false if is_sync(call) && call.path(0).is_some_and(|path| left_out(&path)) => {}
            false => disk.begin(call),
        }
    }
    disk
}

fn is_sync(call: &Call) -> bool {
    matches!(call.name.as_str(), "fsync" | "fdatasync")
}

/// Starts a server on the remaining data and compares.
fn check(disk: &Disk, loss: Loss, acknowledged: &Acknowledged, flags: &[&str]) -> Result<(), String> {
    let directory = tempfile::tempdir().expect("a directory");
    disk.write_after_cut(loss, directory.path());
    let server = Server::start(directory.path(), flags);
    let shown = show(&server);
    if shown != acknowledged.shown {
        return Err(format!("{shown:?} instead of {:?}", acknowledged.shown));
    }
    if server.get("/repos/mona/rocket/git/matching-refs/").status() == 200 {
        check_clone(&server, directory.path());
    }
    Ok(())
}

/// Git finds everything that the refs need.
fn check_clone(server: &Server, directory: &Path) {
    let url = format!("http://x:ghp_monamona@{}/mona/rocket.git", server.address);
    git(directory, &["clone", "--quiet", "--mirror", &url, "mirror"]);
    git(&directory.join("mirror"), &["fsck", "--strict", "--full"]);
}
