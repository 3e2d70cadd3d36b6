//! F5: twice the load that the server can serve. Goodput stays, the rest is rejected at once, memory is bounded.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::checker::observe;
use crate::client::Client;
use crate::settings::{best_of_three, figure, percentile, progress, sized};
use crate::subject::{REPO, Subject, TOKEN};

const PREFIX: &str = "refs/heads/overload/";
/// Requests that the server serves in parallel: half of the overload's clients.
const AT_ONCE: usize = 8;
const WINDOW: Duration = Duration::from_secs(1);
const MEMORY_MAX: u64 = 512 << 20;
/// On a shared machine, the short form only checks that goodput does not collapse.
const GOODPUT_SHORT: f64 = 0.6;
const GOODPUT_LONG: f64 = 0.9;
/// A rejected client retries after this time: sooner than it is asked to, so that the overload lasts.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, Default)]
struct Measured {
    warm_up: usize,
    peak: usize,
    goodput: usize,
    shed_times: Vec<Duration>,
    wrong: Vec<String>,
}

impl Measured {
    fn share(&self) -> f64 {
        self.goodput as f64 / self.peak.max(1) as f64
    }

    fn violations(&self, memory: u64) -> Vec<String> {
        let mut found = self.wrong.clone();
        if self.share() < sized(GOODPUT_SHORT, GOODPUT_LONG) {
            found.push(format!("goodput is {:.0} % of the peak", self.share() * 100.0));
        }
        if self.shed_times.is_empty() {
            found.push("nothing was rejected, so it was no overload".into());
        }
        if memory > MEMORY_MAX {
            found.push(format!("{} MiB of memory", memory >> 20));
        }
        found
    }
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F5"]
fn f5_overload_is_shed() {
    let subject = Subject::start(None, &["--requests-max", "8", "--response-cache-bytes", "0"]);
    let acknowledged = Cell::new(0);
    let measured = best_of_three(|| {
        let measured = measure(&subject, sized(3, 300), || {});
        acknowledged.set(acknowledged.get() + measured.warm_up + measured.peak + measured.goodput);
        match measured.violations(subject.memory()) {
            violations if violations.is_empty() => Ok(measured),
            violations => Err(violations.join("; ")),
        }
    });
    let mut measured = measured.expect("overload is shed");
    let observed = observe(subject.server()).expect("the server responds");
    let present = observed.refs.keys().filter(|name| name.starts_with(PREFIX)).count();
    assert_eq!(present, acknowledged.get(), "acknowledged writes exist, rejected ones do not");
    let shed = percentile(&mut measured.shed_times, 0.5);
    figure(&format!(
        "F5: goodput {:.0} % of the peak ({} of {} requests) under twice the clients, {} rejected in {shed:.2?} (p50), {} MiB",
        measured.share() * 100.0,
        measured.goodput,
        measured.peak,
        measured.shed_times.len(),
        subject.memory() >> 20
    ));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F5"]
fn f5_control_stalled_server_is_detected() {
    let subject = Subject::start(None, &["--requests-max", "8", "--response-cache-bytes", "0"]);
    let stall = || {
        subject.server().signal(Signal::STOP);
        std::thread::sleep(WINDOW.mul_f64(0.8));
        subject.server().signal(Signal::CONT);
    };
    let measured = measure(&subject, 2, stall);
    assert!(!measured.violations(subject.memory()).is_empty(), "nobody would notice");
    figure(&format!("F5 control, a server that stands still: goodput {:.0} %, noticed", measured.share() * 100.0));
}

/// Alternates windows of peak load and of overload, so that a busy machine slows both.
fn measure(subject: &Subject, windows: usize, during_overload: impl Fn()) -> Measured {
    let warm_up = window(subject, AT_ONCE, &mut Measured::default(), || {});
    let mut measured = Measured { warm_up, ..Measured::default() };
    for number in 1..=windows {
        measured.peak += window(subject, AT_ONCE, &mut Measured::default(), || {});
        measured.goodput += window(subject, AT_ONCE * 2, &mut measured, &during_overload);
        if number % 10 == 0 {
            progress(&format!("F5: {number} of {windows} windows, goodput {:.0} %", measured.share() * 100.0));
        }
    }
    measured
}

/// The number of successful requests in one window.
fn window(subject: &Subject, clients: usize, measured: &mut Measured, meanwhile: impl FnOnce()) -> usize {
    let (stop, results) = (AtomicBool::new(false), Mutex::new((0, Vec::new(), Vec::new())));
    std::thread::scope(|scope| {
        for _ in 0..clients {
            let (stop, results) = (&stop, &results);
            scope.spawn(move || {
                let (good, mut shed, mut wrong) = send_until(subject, stop);
                let mut results = results.lock().expect("no client panics");
                results.0 += good;
                results.1.append(&mut shed);
                results.2.append(&mut wrong);
            });
        }
        let started = Instant::now();
        meanwhile();
        std::thread::sleep(WINDOW.saturating_sub(started.elapsed()));
        stop.store(true, Ordering::SeqCst);
    });
    let (good, mut shed, mut wrong) = results.into_inner().expect("no client panics");
    measured.shed_times.append(&mut shed);
    measured.wrong.append(&mut wrong);
    good
}

/// Creates refs with unique names.
fn send_until(subject: &Subject, stop: &AtomicBool) -> (usize, Vec<Duration>, Vec<String>) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let mut client = Client::new(subject.server().address, TOKEN);
    let (mut good, mut shed, mut wrong) = (0, Vec::new(), Vec::new());
    while !stop.load(Ordering::SeqCst) {
        let name = format!("{PREFIX}{}", NUMBER.fetch_add(1, Ordering::SeqCst));
        let body = json!({ "ref": name, "sha": subject.commits()[0] }).to_string();
        let started = Instant::now();
        match client.send("POST", &format!("{REPO}/git/refs"), &body) {
            Ok(response) if response.status == 201 => good += 1,
            Ok(response) if matches!(response.status, 429 | 503) => {
                shed.push(started.elapsed());
                if response.header("retry-after").is_none() {
                    wrong.push("an error response without Retry-After".into());
                }
                std::thread::sleep(PAUSE);
            }
            other => wrong.push(format!("{other:?}")),
        }
    }
    (good, shed, wrong)
}
