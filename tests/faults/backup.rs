//! Backup and restore under load: the backup completes, and what is restored from it has every write that was acknowledged
//! before it began, serves git, and accepts writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use crate::checker::{check, expect_forgeries_noticed, expect_whole, printed};
use crate::cluster::Cluster;
use crate::ledger::{Action, Event};
use crate::load::{Load, Plan, Rejections};
use crate::settings::{self, figure, progress, sized};
use crate::subject::Subject;

/// Much more than such a small store needs; a backup that never ends is killed then.
const BACKUP_MAX: Duration = Duration::from_secs(30);

#[test]
#[ignore = "a fault case: cargo xtask faults --only backup"]
fn backup_under_load_is_restored_on_sqlite() {
    for round in 0..sized(1, 20) {
        back_up_and_restore("backup on SQLite", round, || Some(None));
    }
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only backup"]
fn backup_under_load_is_restored_on_postgres() {
    for round in 0..sized(1, 20) {
        back_up_and_restore("backup on PostgreSQL", round, || settings::cluster("backup").map(Some));
    }
}

/// The control: a backup without one of its packs is rejected by the restore, or its loss is detected afterwards.
#[test]
#[ignore = "a fault case: cargo xtask faults --only backup"]
fn backup_control_missing_pack_is_detected() {
    let subject = Subject::start(None, &[]);
    let backup = Backup::take(&subject, 0);
    let mut packs = Vec::new();
    find(&backup.directory, "pack", &mut packs);
    std::fs::remove_file(packs.first().expect("a backup has packs")).expect("it can be removed");
    let noticed = match backup.restore(&subject, None) {
        Err(reason) => reason,
        Ok(mut restored) => {
            restored.launch();
            check(&restored).expect_err("nobody would notice a missing pack").join("\n")
        }
    };
    figure(&format!("backup control, a missing pack: noticed ({:.60})", noticed.lines().next().unwrap_or_default()));
}

fn back_up_and_restore(case: &str, round: usize, database: impl Fn() -> Option<Option<Cluster>>) {
    let (Some(cluster), Some(target)) = (database(), database()) else { return };
    let subject = Subject::start(cluster, &[]);
    let backup = Backup::take(&subject, round);
    progress(&format!("{case}: backed up in {:.2?} during {} writes", backup.took, backup.writes));
    let mut restored = backup.restore(&subject, target).unwrap_or_else(|reason| panic!("{case}: {reason}"));
    drop(subject);
    restored.launch();
    let checked = expect_whole(&restored, &format!("{case}, restored"));
    // The restored server accepts and keeps writes and pushes.
    std::thread::scope(|scope| {
        let load = Load::start(scope, &restored, plan(round + 1000));
        load.seen.expect_more(20);
        assert!(load.seen.wait_for_pushes(2, Duration::from_secs(20)).is_some(), "pushes work after a restore");
        load.stop();
    });
    restored.restart();
    expect_whole(&restored, &format!("{case}, restored and used"));
    expect_forgeries_noticed(restored.server(), restored.ledger());
    figure(&format!(
        "{case}: took {:.2?} during {} writes, {} acknowledged writes restored, 0 lost; clones and pushes work",
        backup.took, backup.writes, checked.acknowledged
    ));
}

fn plan(round: usize) -> Plan {
    let seed = settings::seed("backup");
    Plan { writers: 3, pushers: 1, readers: 0, rejections: Rejections::Ambiguous, seed, round }
}

struct Backup {
    directory: PathBuf,
    /// What a server that is restored from it must and may have.
    events: Vec<Event>,
    took: Duration,
    /// Writes acknowledged during the backup.
    writes: usize,
}

impl Backup {
    fn take(subject: &Subject, round: usize) -> Self {
        let directory = subject.home().join("backup");
        std::thread::scope(|scope| {
            let load = Load::start(scope, subject, plan(round));
            load.seen.expect_more(50);
            load.seen.wait_for_pushes(3, Duration::from_secs(20));
            let before = subject.ledger().read().len();
            let (started, acknowledged) = (Instant::now(), load.seen.acknowledged());
            let output = run(subject, "backup", &directory, &subject.data(), subject.cluster.as_ref());
            let (took, writes) = (started.elapsed(), load.seen.acknowledged() - acknowledged);
            let after = subject.ledger().read().len();
            load.seen.expect_more(10);
            load.stop();
            assert!(output.status.success(), "backup: {}", printed(&output));
            let events = as_of(&subject.ledger().read(), before, after);
            Self { directory, events, took, writes }
        })
    }

    /// Restores to another directory and another database, without starting the server.
    fn restore(&self, source: &Subject, target: Option<Cluster>) -> Result<Subject, String> {
        let mut restored = Subject::prepare(&[]);
        restored.continue_from(source, &self.events);
        restored.cluster = target;
        std::fs::remove_dir(restored.data()).expect("it is empty");
        let output = run(&restored, "restore", &self.directory, &restored.data(), restored.cluster.as_ref());
        if output.status.success() { Ok(restored) } else { Err(printed(&output)) }
    }
}

/// The ledger as seen by a backup that began at line `before` and ended at line `after`.
fn as_of(events: &[Event], before: usize, after: usize) -> Vec<Event> {
    let began_in_time = |operation: &u64| {
        events[..after]
            .iter()
            .any(|event| matches!(event, Event::Invoked { operation: known, .. } if known == operation))
    };
    let mut seen = events[..before].to_vec();
    let is_known = |comment: &i64| {
        events[..before].iter().any(|event| matches!(event, Event::Ok { id, .. } if *id == Some(*comment)))
    };
    let mut left_out = BTreeSet::new();
    for event in &events[before..] {
        match event {
            // The backup may lack this comment; then its id is used again.
            Event::Invoked { operation, action: Action::DeleteComment { id } } if !is_known(id) => {
                left_out.insert(*operation);
            }
            Event::Ok { operation, .. } | Event::Unknown { operation } | Event::Fail { operation }
                if left_out.contains(operation) => {}
            Event::Invoked { operation, .. } if began_in_time(operation) => seen.push(event.clone()),
            // Whether the backup has it is unknown.
            Event::Ok { operation, .. } | Event::Unknown { operation } if began_in_time(operation) => {
                seen.push(Event::Unknown { operation: *operation });
            }
            Event::Fail { operation } if began_in_time(operation) => seen.push(event.clone()),
            _ => {}
        }
    }
    seen
}

/// Runs `plinth backup` or `plinth restore` to its end, with a deadline.
fn run(subject: &Subject, command: &str, backup: &Path, data: &Path, cluster: Option<&Cluster>) -> Output {
    let mut program = settings::program();
    program.arg(command).arg(backup).arg("--data").arg(data);
    if let Some(cluster) = cluster {
        crate::subject::wait_for_statements(cluster);
        program.args(["--database", &cluster.url()]);
    }
    let log = std::fs::File::create(subject.home().join(format!("{command}.log"))).expect("the file can be written");
    let copy = log.try_clone().expect("a file can be shared");
    let child = program.stdin(Stdio::null()).stdout(log).stderr(copy).spawn().expect("the program starts");
    let status = wait(child, command);
    let stdout = std::fs::read(subject.home().join(format!("{command}.log"))).unwrap_or_default();
    Output { status, stdout, stderr: Vec::new() }
}

fn wait(mut child: Child, command: &str) -> std::process::ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if started.elapsed() > BACKUP_MAX {
            let _ = child.kill();
            let _ = child.wait();
            panic!("plinth {command} does not end in {BACKUP_MAX:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn find(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            find(&path, extension, found);
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push(path);
        }
    }
}

#[test]
fn backup_has_earlier_acknowledged_writes_and_no_later_ones() {
    use crate::comparison::{Observed, compare};
    use crate::history::History;
    let invoked =
        |operation: u64| Event::Invoked { operation, action: Action::Comment { body: operation.to_string() } };
    let ok = |operation: u64, id| Event::Ok { operation, id: Some(id) };
    let events = [invoked(1), ok(1, 1), invoked(2), ok(2, 2), invoked(3), ok(3, 3)];
    // The backup began after the first was acknowledged, and ended before the third was sent.
    let seen = as_of(&events, 2, 4);
    for (there, wrong) in [(&[1, 2][..], 0), (&[1], 0), (&[2], 1), (&[1, 2, 3], 1)] {
        let comments = there.iter().map(|id| (*id, id.to_string())).collect();
        let observed = Observed { comments, ..Observed::default() };
        assert_eq!(compare(&History::new(&seen), &observed).len(), wrong, "{there:?}");
    }
}
