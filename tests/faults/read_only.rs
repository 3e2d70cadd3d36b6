//! F7: a read-only file system. As on a full disk, writes are rejected and reads continue.
//!
//! The server has files open for writing, so a mount cannot be made read-only from outside: the kernel does it when it
//! finds an error. What an operator then does is a restart on a good mount.

use std::sync::Arc;
use std::time::Duration;

use crate::checker::{expect_forgeries_noticed, expect_whole};
use crate::cluster::Cluster;
use crate::disk::{Disk, Kind};
use crate::disk_full::unexpected;
use crate::load::{Load, Plan, Rejections, Seen};
use crate::settings::{self, figure, sized, skip};
use crate::subject::Subject;

const READ_ONLY: Duration = Duration::from_secs(2);

#[test]
#[ignore = "a fault case: cargo xtask faults --only F7"]
fn f7_read_only_disk_rejects_writes_on_sqlite() {
    for round in 0..sized(1, 10) {
        reject_and_recover("F7 on SQLite", round, None);
    }
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F7"]
fn f7_read_only_disk_rejects_pushes_on_postgres() {
    for round in 0..sized(1, 10) {
        let Some(cluster) = settings::cluster("F7") else { return };
        reject_and_recover("F7 on PostgreSQL", round, Some(cluster));
    }
}

fn reject_and_recover(case: &str, round: usize, cluster: Option<Cluster>) {
    let mut subject = Subject::prepare(&[]);
    let disk = match Disk::in_file(Kind::Ext4, &subject.home().join("image"), &subject.data()) {
        Ok(disk) => disk,
        Err(reason) => return skip(&format!("{case}: mounting requires root: {reason}")),
    };
    subject.cluster = cluster;
    subject.launch();
    let seen = make_read_only_under_load(&subject, &disk, round);
    assert_eq!(unexpected(&seen), Vec::<String>::new(), "{case}");
    let writes = Seen::statuses(&seen.writes).get(&503).copied().unwrap_or_default();
    let pushes = seen.failed_pushes.lock().expect("no client panics").len();
    assert!(
        pushes > 0 && (writes > 0 || subject.cluster.is_some()),
        "{case}: {writes} writes and {pushes} pushes rejected"
    );
    subject.kill();
    disk.power_on().expect("the disk comes back");
    subject.launch();
    let acknowledged = expect_whole(&subject, &format!("{case}, after a restart")).acknowledged;
    expect_forgeries_noticed(subject.server(), subject.ledger());
    figure(&format!(
        "{case}: {acknowledged} acknowledged writes, 0 lost, {writes} writes and {pushes} pushes rejected, all reads 200"
    ));
    subject.end(disk);
}

fn make_read_only_under_load(subject: &Subject, disk: &Disk, round: usize) -> Arc<Seen> {
    let seed = settings::seed("F7");
    // The write in progress when the disk fails may be in the log, and reappears when the log is recovered.
    let plan = Plan { writers: 2, pushers: 1, readers: 1, rejections: Rejections::Ambiguous, seed, round };
    std::thread::scope(|scope| {
        let load = Load::start(scope, subject, plan);
        load.seen.expect_more(20);
        disk.fail_read_only().expect("the kernel can be made to find an error");
        std::thread::sleep(READ_ONLY / 2);
        // The control: while the disk is read-only, no push may succeed.
        let before = load.seen.acknowledged_pushes();
        std::thread::sleep(READ_ONLY);
        assert_eq!(load.seen.acknowledged_pushes(), before, "a push was acknowledged though nothing can be written");
        load.stop()
    })
}
