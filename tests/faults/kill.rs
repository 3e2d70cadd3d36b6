//! F1: `kill -9` of the server, and of its git children, under load. No acknowledged write is lost.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::checker::{expect_forgeries_noticed, expect_whole};
use crate::cluster::Cluster;
use crate::load::{Load, Plan, Rejections};
use crate::random::Random;
use crate::settings::{self, figure, percentile, progress, sized};
use crate::subject::Subject;

/// The checker reads everything after each cycle, so a directory is used for this many cycles only.
const CYCLES_PER_DIRECTORY: usize = 50;
/// The server is killed at a random time up to this long after the first acknowledged writes.
const MOMENT_MAX_MILLIS: u64 = 500;

#[test]
#[ignore = "a fault case: cargo xtask faults --only F1"]
fn f1_kill_loses_no_acknowledged_write_on_sqlite() {
    kill_cycles("F1 on SQLite", sized(8, 1000), || Some(None));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F1"]
fn f1_kill_loses_no_acknowledged_write_on_postgres() {
    kill_cycles("F1 on PostgreSQL", sized(4, 200), || settings::cluster("F1").map(Some));
}

/// `database` returns a new cluster, or none for SQLite, or `None` if the case cannot run.
fn kill_cycles(case: &str, cycles: usize, database: impl Fn() -> Option<Option<Cluster>>) {
    let mut random = Random::new(settings::seed(case), 0);
    let (mut acknowledged, mut children, mut done, mut ready_after) = (0, 0, 0, Vec::new());
    while done < cycles {
        let Some(cluster) = database() else { return };
        let mut subject = Subject::start(cluster, &[]);
        let mut checked = Default::default();
        for _ in 0..CYCLES_PER_DIRECTORY.min(cycles - done) {
            children += usize::from(work_until_killed(&subject, done, &mut random));
            ready_after.push(subject.restart());
            checked = expect_whole(&subject, &format!("{case}, after kill {done}"));
            done += 1;
            progress(&format!("{case}: {done} kills, {} acknowledged, none lost", acknowledged + checked.acknowledged));
        }
        acknowledged += checked.acknowledged;
        expect_forgeries_noticed(subject.server(), subject.ledger());
    }
    let p99 = percentile(&mut ready_after, 0.99);
    figure(&format!(
        "{case}: {cycles} kills and {children} killed git children, {acknowledged} acknowledged writes, 0 lost; \
         ready again after at most {p99:.2?} (p99)"
    ));
}

/// Kills the server under load; returns whether one of its git children was killed just before.
fn work_until_killed(subject: &Subject, round: usize, random: &mut Random) -> bool {
    let plan =
        Plan { writers: 3, pushers: 1, readers: 0, rejections: Rejections::Ambiguous, seed: random.next(), round };
    std::thread::scope(|scope| {
        let load = Load::start(scope, subject, plan);
        load.seen.expect_more(5);
        std::thread::sleep(Duration::from_millis(random.below(MOMENT_MAX_MILLIS)));
        let child = random.below(3) == 0 && kill_git_child(subject.server().id());
        subject.server().signal(Signal::KILL);
        load.stop();
        child
    })
}

/// Kills the first git child that the server starts within a short time.
fn kill_git_child(server: u32) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(MOMENT_MAX_MILLIS) {
        for child in children(server) {
            let is_git =
                std::fs::read_to_string(format!("/proc/{child}/comm")).is_ok_and(|name| name.starts_with("git"));
            let pid = Pid::from_raw(child).filter(|_| is_git);
            if pid.is_some_and(|pid| rustix::process::kill_process(pid, Signal::KILL).is_ok()) {
                return true;
            }
        }
    }
    false
}

fn children(server: u32) -> Vec<i32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{server}/task")) else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}
