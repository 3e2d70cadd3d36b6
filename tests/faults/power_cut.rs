//! F2: a power cut, simulated by shutting down the file system under load. No acknowledged write is lost.
//!
//! A file system that is shut down loses everything unsynced, as a power failure does. Where that is not possible, the
//! model disk of `tests/it/durability` replaces it.

use std::time::Duration;

use crate::checker::{check, expect_forgeries_noticed, expect_whole};
use crate::cluster::Cluster;
use crate::disk::{Disk, Kind};
use crate::load::{Load, Plan, Rejections};
use crate::random::Random;
use crate::settings::{self, figure, has, is_root, progress, sized, skip};
use crate::subject::Subject;

/// Writes acknowledged before a power cut, so that there is something to lose.
const WRITES_MIN: usize = 20;
/// A control may be lucky once: the kernel may write at any time.
const CONTROL_CUTS: usize = 5;

/// What runs on the disk.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    pub kind: Kind,
    pub postgres: Option<&'static [&'static str]>,
    pub flags: &'static [&'static str],
    pub pushers: usize,
}

pub const SQLITE: Setup = Setup { kind: Kind::Ext4, postgres: None, flags: &[], pushers: 1 };
pub const POSTGRES: Setup = Setup { postgres: Some(&["fsync=on", "synchronous_commit=on"]), ..SQLITE };

#[test]
#[ignore = "a fault case: cargo xtask faults --only F2"]
fn f2_power_cut_loses_no_acknowledged_write_on_sqlite_ext4() {
    survive(SQLITE, sized(3, 200));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F2"]
fn f2_power_cut_loses_no_acknowledged_write_on_sqlite_xfs() {
    survive(Setup { kind: Kind::Xfs, ..SQLITE }, sized(3, 200));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F2"]
fn f2_power_cut_loses_no_acknowledged_write_on_postgres() {
    for kind in sized(&[Kind::Ext4][..], &[Kind::Ext4, Kind::Xfs]) {
        survive(Setup { kind: *kind, ..POSTGRES }, sized(2, 200));
    }
}

/// Pushes would sync the journal, and the log with it, so the controls have none.
#[test]
#[ignore = "a fault case: cargo xtask faults --only F2"]
fn f2_control_unsynced_log_loses_writes() {
    lose(Setup { flags: &["--dev-synchronous", "normal"], pushers: 0, ..SQLITE });
    lose(Setup {
        postgres: Some(&["fsync=on", "synchronous_commit=off", "wal_writer_delay=10s"]),
        pushers: 0,
        ..SQLITE
    });
}

fn survive(setup: Setup, cuts: usize) {
    let case = format!("F2 on {}, {}", setup.database(), setup.kind.name());
    if let Err(reason) = may_run(&case) {
        return skip(&reason);
    }
    let mut random = Random::new(settings::seed(&case), 0);
    let (mut acknowledged, mut done) = (0, 0);
    while done < cuts {
        let Some((disk, mut subject)) = setup.start(&case) else { return };
        let mut checked = Default::default();
        for _ in 0..20.min(cuts - done) {
            cut_under_load(&disk, &mut subject, setup, done, &mut random);
            checked = expect_whole(&subject, &format!("{case}, after cut {done}"));
            done += 1;
            progress(&format!("{case}: {done} cuts, {} acknowledged, none lost", acknowledged + checked.acknowledged));
        }
        acknowledged += checked.acknowledged;
        expect_forgeries_noticed(subject.server(), subject.ledger());
        subject.end(disk);
    }
    figure(&format!("{case}: {cuts} power cuts, {acknowledged} acknowledged writes, 0 lost"));
}

/// The control: with a store that does not sync, the same power cut must lose writes.
fn lose(setup: Setup) {
    let case = format!("F2 control on {} without a sync", setup.database());
    if let Err(reason) = may_run(&case) {
        return skip(&reason);
    }
    let mut random = Random::new(settings::seed(&case), 0);
    for interrupted in 1..=CONTROL_CUTS {
        let Some((disk, mut subject)) = setup.start(&case) else { return };
        cut_under_load(&disk, &mut subject, setup, interrupted, &mut random);
        let found = check(&subject);
        subject.end(disk);
        if let Err(lost) = found {
            return figure(&format!(
                "{case}: {} differences detected after power cut {interrupted}, as it must be",
                lost.len()
            ));
        }
    }
    panic!("{case}: {CONTROL_CUTS} cuts, and nobody noticed a loss");
}

pub fn may_run(case: &str) -> Result<(), String> {
    if !is_root() {
        return Err(format!("{case}: mounting requires root; `cargo xtask test --only durability` uses a model disk"));
    }
    if !has("xfs_io", "-V") {
        return Err(format!("{case}: there is no xfs_io (package xfsprogs)"));
    }
    Ok(())
}

impl Setup {
    pub fn database(self) -> &'static str {
        if self.postgres.is_some() { "PostgreSQL" } else { "SQLite" }
    }

    /// Everything on one disk: repositories, and the database whichever it is.
    pub fn start(self, case: &str) -> Option<(Disk, Subject)> {
        let mut subject = Subject::prepare(self.flags);
        let mounted = subject.home().join("disk");
        std::fs::create_dir(&mounted).expect("a directory can be created");
        let disk = match Disk::in_file(self.kind, &subject.home().join("image"), &mounted) {
            Ok(disk) => disk,
            Err(reason) => {
                skip(&format!("{case}: {reason}"));
                return None;
            }
        };
        // The server makes its directory private, so the database is outside of it.
        std::fs::create_dir(mounted.join("data")).expect("a directory can be created on the disk");
        std::fs::remove_dir(subject.data()).expect("it is empty");
        std::os::unix::fs::symlink(mounted.join("data"), subject.data()).expect("a link can be created");
        if let Some(settings) = self.postgres {
            let directory = mounted.join("postgres");
            std::fs::create_dir(&directory).expect("a directory can be created on the disk");
            let Some(cluster) = Cluster::start_in(&directory, |_| settings.iter().map(ToString::to_string).collect())
            else {
                skip(&format!("{case}: PLINTH_TEST_POSTGRES_BIN names no programs"));
                return None;
            };
            subject.cluster = Some(cluster);
            // `initdb` does not sync here.
            disk.sync().expect("a new disk can be synced");
        }
        subject.launch();
        Some((disk, subject))
    }
}

pub fn cut_under_load(disk: &Disk, subject: &mut Subject, setup: Setup, round: usize, random: &mut Random) {
    let plan = Plan {
        writers: 3,
        pushers: setup.pushers,
        readers: 0,
        rejections: Rejections::Ambiguous,
        seed: random.next(),
        round,
    };
    std::thread::scope(|scope| {
        let load = Load::start(scope, subject, plan);
        load.seen.expect_more(WRITES_MIN);
        std::thread::sleep(Duration::from_millis(random.below(200)));
        load.lose_power();
        disk.cut_power().expect("the power of a mounted disk can be cut");
        subject.server().signal(rustix::process::Signal::KILL);
        load.stop();
    });
    subject.power_off();
    disk.power_on().expect("the disk comes back");
    if let Some(cluster) = &mut subject.cluster {
        cluster.bring_up();
    }
    subject.launch();
}
