//! F7: a file system that takes no more writes. As a full disk: writes are refused, reads go on.

use std::time::Duration;

use crate::checker::{expect_forgeries_noticed, expect_whole};
use crate::disk::{Disk, Kind};
use crate::disk_full::unexpected;
use crate::load::{Load, Plan, Refusals, Seen};
use crate::settings::{self, figure, sized, skip};
use crate::subject::Subject;

const DISK_BYTES: u64 = 48 << 20;
const RECOVERY_MAX: Duration = Duration::from_secs(5);
const READ_ONLY: Duration = Duration::from_secs(2);

/// SQLite keeps its files open for writing, so a mount cannot be made read-only from outside: the kernel does it when it
/// finds an error, and then a restart on a good mount is what an operator does.
#[test]
#[ignore = "a fault case: cargo xtask faults --only F7"]
fn f7_a_read_only_disk_refuses_writes_on_sqlite() {
    for round in 0..sized(1, 10) {
        let mut subject = Subject::prepare(&[]);
        let disk = match Disk::in_file(Kind::Ext4, &subject.home().join("image"), &subject.data()) {
            Ok(disk) => disk,
            Err(reason) => return skip(&format!("F7: mounting takes root: {reason}")),
        };
        subject.launch();
        let seen = with_load(&subject, round, |_| {
            disk.fail_read_only().expect("the kernel can be made to find an error");
            std::thread::sleep(READ_ONLY);
        });
        assert_eq!(unexpected(&seen), Vec::<String>::new());
        let refused = Seen::statuses(&seen.writes).get(&503).copied().unwrap_or_default();
        assert!(refused > 0, "no write was refused");
        subject.kill();
        disk.power_on().expect("the disk comes back");
        subject.launch();
        let acknowledged = expect_whole(&subject, "F7, after a restart").acknowledged;
        expect_forgeries_noticed(subject.server(), subject.ledger());
        figure(&format!("F7 on SQLite: {acknowledged} acknowledged writes, 0 lost, {refused} refused, all reads 200"));
        subject.end(disk);
    }
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F7"]
fn f7_a_read_only_disk_recovers_on_postgres() {
    let mut subject = Subject::prepare(&[]);
    let disk = match Disk::small(&subject.data(), DISK_BYTES) {
        Ok(disk) => disk,
        Err(reason) => return skip(&format!("F7: mounting takes root: {reason}")),
    };
    let Some(cluster) = settings::cluster("F7") else { return };
    subject.cluster = Some(cluster);
    subject.launch();
    let mut recoveries = Vec::new();
    for round in 0..sized(1, 10) {
        let seen = with_load(&subject, round, |load| {
            if let Err(reason) = wait_to_remount(&disk, "ro") {
                return recoveries.push(Err(reason));
            }
            std::thread::sleep(READ_ONLY);
            // The control: it does not recover by itself.
            let pushed = load.seen.acknowledged_pushes();
            std::thread::sleep(Duration::from_millis(500));
            assert_eq!(load.seen.acknowledged_pushes(), pushed, "nobody would notice that pushes go on");
            disk.remount("rw").expect("the disk takes writes again");
            recoveries.push(Ok(load.seen.wait_for_pushes(2, RECOVERY_MAX)));
        });
        assert_eq!(unexpected(&seen), Vec::<String>::new());
        match recoveries.pop().expect("each round has one") {
            Ok(recovery) => {
                let recovery = recovery.expect("pushes work again without a restart");
                let acknowledged = expect_whole(&subject, "F7, after it is writable").acknowledged;
                figure(&format!(
                    "F7 on PostgreSQL: {acknowledged} acknowledged writes, 0 lost, pushes again after {recovery:.2?}"
                ));
            }
            Err(reason) => skip(&format!("F7 on PostgreSQL: a file is open for writing all the time: {reason}")),
        }
    }
    subject.end(disk);
}

/// A push under way holds the file system; between two of them it can be had.
fn wait_to_remount(disk: &Disk, options: &str) -> Result<(), String> {
    let mut last = Ok(());
    for _ in 0..500 {
        last = disk.remount(options);
        if last.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(4));
    }
    last
}

fn with_load(subject: &Subject, round: usize, fault: impl FnOnce(&Load<'_>)) -> std::sync::Arc<Seen> {
    let seed = settings::seed("F7");
    // The write under way when the disk fails may be in the log, and comes back when the log is read again.
    let plan = Plan { writers: 2, pushers: 1, readers: 1, refusals: Refusals::Ambiguous, seed, round };
    std::thread::scope(|scope| {
        let load = Load::start(scope, subject, plan);
        load.seen.expect_more(20);
        fault(&load);
        load.stop()
    })
}
