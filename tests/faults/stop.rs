//! F4: SIGTERM under load. The server becomes unready first, and no request is interrupted.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::checker::{expect_forgeries_noticed, expect_whole};
use crate::client::Client;
use crate::load::{Load, Plan, Rejections, Seen};
use crate::settings::{self, figure, progress, sized};
use crate::subject::{Subject, TOKEN};
use crate::wait::DEADLINE;

/// The lame-duck period: a load balancer has this long to notice that the server is unready.
const LAME_DUCK: &[&str] = &["--lame-duck-seconds", "2"];
/// The lame-duck period, and the time that clients need to finish their requests.
const STOP_MAX: Duration = Duration::from_secs(32);
const PROBE_INTERVAL: Duration = Duration::from_millis(200);

#[test]
#[ignore = "a fault case: cargo xtask faults --only F4"]
fn f4_stop_finishes_requests_in_flight() {
    let stops = sized(4, 200);
    let seed = settings::seed("F4");
    let mut subject = Subject::start(None, LAME_DUCK);
    let (mut slowest, mut acknowledged) = (Duration::ZERO, 0);
    for round in 0..stops {
        let (seen, took) = signal_under_load(&mut subject, Signal::TERM, seed, round);
        assert_eq!(interrupted(&seen), Vec::<String>::new(), "stop {round}");
        assert!(took < STOP_MAX, "stop {round} took {took:?}");
        slowest = slowest.max(took);
        subject.launch();
        acknowledged = expect_whole(&subject, &format!("F4, after stop {round}")).acknowledged;
        progress(&format!("F4: {} stops, no request interrupted", round + 1));
    }
    expect_forgeries_noticed(subject.server(), subject.ledger());
    figure(&format!(
        "F4: {stops} stops, {acknowledged} acknowledged writes, 0 interrupted, slowest stop {slowest:.2?}"
    ));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F4"]
fn f4_control_kill_interrupts_clients() {
    let mut subject = Subject::start(None, &[]);
    let (seen, _) = signal_under_load(&mut subject, Signal::KILL, settings::seed("F4 control"), 0);
    let interrupted = interrupted(&seen);
    assert!(!interrupted.is_empty(), "nobody would notice a server that cuts its clients off");
    figure(&format!("F4 control, a kill: {} clients noticed, as it must be", interrupted.len()));
}

/// What clients noticed of the stop.
fn interrupted(seen: &Seen) -> Vec<String> {
    use std::sync::atomic::Ordering::SeqCst;
    let mut noticed: Vec<String> = seen.failed_pushes.lock().expect("no client panics").clone();
    let (interrupted, rejected) = (seen.interrupted.load(SeqCst), seen.not_connected.load(SeqCst));
    if interrupted + rejected > 0 {
        noticed.push(format!("{interrupted} requests without a response, {rejected} without a connection"));
    }
    let failed = Seen::statuses(&seen.writes).into_iter().chain(Seen::statuses(&seen.reads));
    noticed.extend(
        failed.filter(|(status, _)| *status == 0 || *status >= 500).map(|(status, n)| format!("{n} x {status}")),
    );
    noticed
}

/// Sends the signal, and stops the load once the server is unready, as a load balancer does. Returns after the end of the
/// process.
fn signal_under_load(
    subject: &mut Subject,
    signal: Signal,
    seed: u64,
    round: usize,
) -> (std::sync::Arc<Seen>, Duration) {
    let plan = Plan { writers: 4, pushers: 2, readers: 1, rejections: Rejections::Definite, seed, round };
    let (seen, started) = std::thread::scope(|scope| {
        let load = Load::start(scope, subject, plan);
        load.seen.expect_more(20);
        let mut probe = Client::new(subject.server().address, TOKEN);
        assert_eq!(probe.get("/readyz").map(|response| response.status), Ok(200));
        subject.server().signal(signal);
        let started = Instant::now();
        // A load balancer notices at one of its next probes, and sends requests until then.
        let mut unready = Ok(200);
        while unready == Ok(200) {
            assert!(started.elapsed() < DEADLINE, "the server stays ready");
            std::thread::sleep(PROBE_INTERVAL);
            unready = probe.get("/readyz").map(|response| response.status);
        }
        if signal == Signal::TERM {
            assert_eq!(unready, Ok(503), "unready, and still serving");
        }
        (load.stop(), started)
    });
    let code = subject.server_mut().wait();
    if signal == Signal::TERM {
        assert_eq!(code, Some(0), "the exit code");
    }
    (seen, started.elapsed())
}
