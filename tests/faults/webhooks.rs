//! F16: `kill -9` of the server and power cuts under load, with a hook. Every acknowledged change is delivered.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::Cluster;
use crate::history::{History, Outcome};
use crate::ledger::Action;
use crate::load::{Load, Plan, Rejections};
use crate::power_cut::{self, Setup};
use crate::random::Random;
use crate::receiver::{Behaviour, Receiver};
use crate::settings::{self, figure, progress, sized, skip};
use crate::subject::{REPO, Subject, TOKEN};

const FLAGS: &[&str] = &["--webhook-private-targets", "loopback"];
const MOMENT_MAX_MILLIS: u64 = 500;
/// A claim of a killed node on PostgreSQL ends after 30 s.
const DELIVERY_MAX: Duration = Duration::from_secs(90);
/// How long the control waits for what does not come.
const CONTROL_WAIT: Duration = Duration::from_secs(5);

#[test]
#[ignore = "a fault case: cargo xtask faults --only F16"]
fn f16_kill_leaves_no_acknowledged_change_undelivered_on_sqlite() {
    kill_cycles("F16 on SQLite", sized(5, 300), None);
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F16"]
fn f16_kill_leaves_no_acknowledged_change_undelivered_on_postgres() {
    let Some(cluster) = settings::cluster("F16") else { return };
    kill_cycles("F16 on PostgreSQL", sized(2, 50), Some(cluster));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F16"]
fn f16_power_cut_leaves_no_acknowledged_change_undelivered() {
    power_cuts(Setup { flags: FLAGS, ..power_cut::SQLITE }, sized(3, 100));
    power_cuts(Setup { flags: FLAGS, ..power_cut::POSTGRES }, sized(1, 30));
}

/// The control: a store that loses events while the server is down must be noticed.
#[test]
#[ignore = "a fault case: cargo xtask faults --only F16"]
fn f16_lost_events_are_noticed() {
    let (mut subject, receiver) = (Subject::start(None, FLAGS), Receiver::start(Behaviour::Silent));
    add_hook(&subject, &receiver);
    let mut random = Random::new(settings::seed("F16, control"), 0);
    work_until_killed(&subject, 0, &mut random);
    subject.kill();
    let store = rusqlite::Connection::open(subject.data().join("plinth.db")).expect("the store can be opened");
    let lose = "delete from event; delete from webhook_delivery; delete from webhook_message";
    store.execute_batch(lose).expect("the store can be written");
    drop(store);
    receiver.set(Behaviour::Status(200));
    subject.launch();
    let lost = wait_for_all(&subject, &receiver, CONTROL_WAIT).expect_err("nobody would notice lost events");
    figure(&format!("F16, control: {} lost events are noticed", lost.len()));
}

fn kill_cycles(case: &str, cycles: usize, cluster: Option<Cluster>) {
    let mut random = Random::new(settings::seed(case), 0);
    let (mut subject, receiver) = (Subject::start(cluster, FLAGS), Receiver::ok());
    add_hook(&subject, &receiver);
    for cycle in 0..cycles {
        // Without a response, deliveries are in flight when the server is killed.
        let is_silent = random.below(2) == 0;
        receiver.set(if is_silent { Behaviour::Silent } else { Behaviour::Status(200) });
        work_until_killed(&subject, cycle, &mut random);
        receiver.set(Behaviour::Status(200));
        subject.restart();
        let delivered = wait_for_all(&subject, &receiver, DELIVERY_MAX);
        let count = delivered.unwrap_or_else(|lost| {
            let ledger = subject.keep_ledger();
            panic!("{case}, after kill {cycle}: not delivered, ledger in {}:\n{lost:#?}", ledger.display())
        });
        progress(&format!("{case}: {} kills, {count} acknowledged changes, all delivered", cycle + 1));
    }
    let (required, received) = (required(&subject), receiver.count());
    figure(&format!(
        "{case}: {cycles} kills, {} acknowledged changes, 0 undelivered, {received} deliveries",
        required.len()
    ));
}

fn power_cuts(setup: Setup, cuts: usize) {
    let case = format!("F16, power cuts on {}", setup.database());
    if let Err(reason) = power_cut::may_run(&case) {
        return skip(&reason);
    }
    let mut random = Random::new(settings::seed(&case), 0);
    let Some((disk, mut subject)) = setup.start(&case) else { return };
    let receiver = Receiver::ok();
    add_hook(&subject, &receiver);
    for cut in 0..cuts {
        power_cut::cut_under_load(&disk, &mut subject, setup, cut, &mut random);
        let delivered = wait_for_all(&subject, &receiver, DELIVERY_MAX);
        let count = delivered.unwrap_or_else(|lost| {
            let ledger = subject.keep_ledger();
            panic!("{case}, after cut {cut}: not delivered, ledger in {}:\n{lost:#?}", ledger.display())
        });
        progress(&format!("{case}: {} cuts, {count} acknowledged changes, all delivered", cut + 1));
    }
    let acknowledged = required(&subject).len();
    figure(&format!("{case}: {cuts} power cuts, {acknowledged} acknowledged changes, 0 undelivered"));
    subject.end(disk);
}

fn add_hook(subject: &Subject, receiver: &Receiver) {
    let config = json!({ "url": receiver.url(), "content_type": "json" });
    let body = json!({ "config": config, "events": ["*"] }).to_string();
    let response = Client::new(subject.server().address, TOKEN).send("POST", &format!("{REPO}/hooks"), &body);
    assert_eq!(response.expect("the server responds").status, 201);
}

fn work_until_killed(subject: &Subject, round: usize, random: &mut Random) {
    let plan =
        Plan { writers: 3, pushers: 1, readers: 0, rejections: Rejections::Ambiguous, seed: random.next(), round };
    std::thread::scope(|scope| {
        let load = Load::start(scope, subject, plan);
        load.seen.expect_more(5);
        std::thread::sleep(Duration::from_millis(random.below(MOMENT_MAX_MILLIS)));
        subject.server().signal(Signal::KILL);
        load.stop();
    });
}

/// Waits until everything that was acknowledged is delivered, and returns how much; or what is missing.
fn wait_for_all(subject: &Subject, receiver: &Receiver, limit: Duration) -> Result<usize, BTreeSet<String>> {
    let (started, required) = (Instant::now(), required(subject));
    loop {
        let received = delivered(receiver);
        let missing: BTreeSet<String> = required.difference(&received).cloned().collect();
        if missing.is_empty() {
            return Ok(required.len());
        }
        if started.elapsed() > limit {
            return Err(missing);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What each acknowledged operation must have been delivered as. A ref that is moved may have got the value that it had,
/// so only its first value counts, and its deletion.
fn required(subject: &Subject) -> BTreeSet<String> {
    let history = History::new(&subject.ledger().read());
    let acknowledged = history.operations.values().filter(|operation| matches!(operation.outcome, Outcome::Ok(_)));
    let names = acknowledged.flat_map(|operation| match &operation.action {
        Action::Comment { body } => vec![format!("comment {body}")],
        Action::DeleteComment { id } => vec![format!("deleted comment {id}")],
        Action::Ref { name, sha: None } => vec![format!("delete {name}")],
        Action::Ref { name, sha: Some(_) } => vec![format!("push {name}")],
        Action::Push { names, .. } => names.iter().map(|name| format!("push {name}")).collect(),
    });
    names.collect()
}

fn delivered(receiver: &Receiver) -> BTreeSet<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names = receiver.received().into_iter().filter_map(|request| {
        let payload = request.json();
        let comment = &payload["comment"];
        match (request.event(), payload["action"].as_str()) {
            ("push", _) => Some(format!("push {}", text(&payload["ref"]))),
            ("delete", _) => Some(format!("delete refs/heads/{}", text(&payload["ref"]))),
            ("pull_request_review_comment", Some("created")) => Some(format!("comment {}", text(&comment["body"]))),
            ("pull_request_review_comment", Some("deleted")) => Some(format!("deleted comment {}", comment["id"])),
            _ => None,
        }
    });
    names.collect()
}
