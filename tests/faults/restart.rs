//! F3: the time until a killed server is ready again, on a store of some size.

use std::time::Duration;

use crate::checker::expect_whole;
use crate::client::Client;
use crate::load::{Load, Plan, Rejections};
use crate::settings::{self, figure, percentile, progress, sized};
use crate::subject::{Subject, TOKEN};

const READY_MAX: Duration = Duration::from_secs(5);
const ROW_BYTES: usize = 1 << 20;

/// The defect in a series of start times, if any.
fn late(starts: &mut [Duration]) -> Option<String> {
    let p99 = percentile(starts, 0.99);
    (p99 > READY_MAX).then(|| format!("ready after {p99:?} (p99), more than {READY_MAX:?}"))
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F3"]
fn f3_server_is_ready_after_kill() {
    let (repositories, megabytes, kills) = (sized(200, 1000), sized(64, 1024), sized(3, 50));
    let mut subject = Subject::prepare(&[]);
    let base = subject.with_repositories(repositories);
    subject.launch();
    subject.kill();
    fill(&subject, megabytes);
    std::fs::write(subject.home().join("state.yaml"), base).expect("the file can be written");
    subject.launch();
    let seed = settings::seed("F3");
    let mut starts = Vec::new();
    for round in 0..kills {
        let plan = Plan { writers: 3, pushers: 1, readers: 0, rejections: Rejections::Ambiguous, seed, round };
        std::thread::scope(|scope| {
            let load = Load::start(scope, &subject, plan);
            load.seen.expect_more(30);
            subject.server().signal(rustix::process::Signal::KILL);
            load.stop();
        });
        starts.push(subject.restart());
        let ready = Client::new(subject.server().address, TOKEN).get("/readyz").expect("the server says it is ready");
        assert_eq!(ready.status, 200, "ready means ready");
        progress(&format!("F3: start {} took {:.2?}", round + 1, starts[round]));
    }
    expect_whole(&subject, "F3, at the end");
    assert_eq!(late(&mut starts), None);
    let (p50, p99) = (percentile(&mut starts, 0.5), percentile(&mut starts, 0.99));
    figure(&format!(
        "F3: {repositories} repositories, {megabytes} MiB: ready {p50:.2?} after a kill (p50), {p99:.2?} (p99), {kills} kills"
    ));
    // The control: one late start must be detected.
    starts.push(READY_MAX + Duration::from_millis(1));
    assert!(late(&mut starts).is_some(), "nobody would notice a late start");
}

/// Makes the database large.
fn fill(subject: &Subject, megabytes: usize) {
    let mut connection = rusqlite::Connection::open(subject.data().join("plinth.db")).expect("the store can be opened");
    let transaction = connection.transaction().expect("a transaction begins");
    for row in 0..megabytes {
        let values = rusqlite::params![format!("ballast-{row}"), vec![7u8; ROW_BYTES]];
        transaction.execute("insert into setting (name, value) values (?1, ?2)", values).expect("a row fits");
    }
    transaction.commit().expect("it is written");
}
