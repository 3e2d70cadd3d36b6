//! The load: REST writers, pushers and readers that record everything in the ledger.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::client::{Client, Response};
use crate::ledger::Ledger;
use crate::pusher::Pusher;
use crate::subject::{REPO, Subject, TOKEN};
use crate::writer::Writer;

/// The pause between attempts of a rejected client, and between two reads.
pub const PAUSE: Duration = Duration::from_millis(10);
const WAIT_MAX: Duration = Duration::from_secs(60);

/// What a 503 means for the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejections {
    /// The store rejected the write before it began: the operation has no effect.
    Definite,
    /// The connection may have failed during the commit.
    Ambiguous,
}

#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub writers: usize,
    pub pushers: usize,
    pub readers: usize,
    pub rejections: Rejections,
    pub seed: u64,
    /// A part of every name, so that names are unique across rounds.
    pub round: usize,
}

/// What all clients observed.
#[derive(Debug, Default)]
pub struct Seen {
    pub writes: Mutex<BTreeMap<u16, usize>>,
    pub reads: Mutex<BTreeMap<u16, usize>>,
    pub acknowledged: AtomicUsize,
    /// Of these, creations; a ref that is set to its current value takes no space.
    pub created: AtomicUsize,
    /// Of these, pushes.
    pub pushes: AtomicUsize,
    /// Requests that were sent and got no complete response.
    pub interrupted: AtomicUsize,
    /// Writes without a connection.
    pub not_connected: AtomicUsize,
    /// 429 and 503 responses without `Retry-After`.
    pub without_retry_after: AtomicUsize,
    /// The output of git for failed pushes.
    pub failed_pushes: Mutex<Vec<String>>,
}

impl Seen {
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    /// Writes that created something.
    pub fn created(&self) -> usize {
        self.created.load(Ordering::SeqCst)
    }

    pub fn statuses(map: &Mutex<BTreeMap<u16, usize>>) -> BTreeMap<u16, usize> {
        map.lock().expect("no client panics").clone()
    }

    /// Waits until that many more writes are acknowledged; returns how long it took, or nothing after the deadline.
    pub fn wait_for_more(&self, more: usize, limit: Duration) -> Option<Duration> {
        wait_for(&self.acknowledged, more, limit)
    }

    /// The same for creations.
    pub fn wait_for_created(&self, more: usize, limit: Duration) -> Option<Duration> {
        wait_for(&self.created, more, limit)
    }

    /// The same for pushes.
    pub fn wait_for_pushes(&self, more: usize, limit: Duration) -> Option<Duration> {
        wait_for(&self.pushes, more, limit)
    }

    pub fn acknowledged_pushes(&self) -> usize {
        self.pushes.load(Ordering::SeqCst)
    }

    #[track_caller]
    pub fn expect_more(&self, more: usize) {
        assert!(self.wait_for_more(more, WAIT_MAX).is_some(), "the load stands still: {:?}", self.writes);
    }

    pub fn count(&self, map: &Mutex<BTreeMap<u16, usize>>, response: &Response) {
        *map.lock().expect("no client panics").entry(response.status).or_default() += 1;
        if matches!(response.status, 429 | 503) && response.header("retry-after").is_none() {
            self.without_retry_after.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn wait_for(count: &AtomicUsize, more: usize, limit: Duration) -> Option<Duration> {
    let (started, goal) = (Instant::now(), count.load(Ordering::SeqCst) + more);
    while count.load(Ordering::SeqCst) < goal {
        if started.elapsed() > limit {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Some(started.elapsed())
}

/// A load that runs until it is stopped.
pub struct Load<'scope> {
    stop: Arc<AtomicBool>,
    power_is_off: Arc<AtomicBool>,
    pub seen: Arc<Seen>,
    threads: Vec<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope> Load<'scope> {
    /// Starts on a running server.
    pub fn start<'env>(scope: &'scope Scope<'scope, 'env>, subject: &'env Subject, plan: Plan) -> Self {
        let (stop, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Seen::default()));
        let power_is_off = Arc::new(AtomicBool::new(false));
        let address = subject.server().address;
        let tip = topic_tip(address);
        let common = Common {
            address,
            tip,
            plan,
            ledger: subject.ledger(),
            commits: subject.commits(),
            stop: stop.clone(),
            seen: seen.clone(),
            power_is_off: power_is_off.clone(),
        };
        let mut threads = Vec::new();
        for index in 0..plan.writers {
            let mut writer = Writer::new(common.clone(), index);
            threads.push(scope.spawn(move || writer.run()));
        }
        for index in 0..plan.pushers {
            let pusher = Pusher { common: common.clone(), index, work: subject.work() };
            threads.push(scope.spawn(move || pusher.run()));
        }
        for _ in 0..plan.readers {
            let common = common.clone();
            threads.push(scope.spawn(move || read_until_stopped(&common)));
        }
        Self { stop, power_is_off, seen, threads }
    }

    /// From now on, responses are ignored: without power there is no network either.
    ///
    /// Called before a file system is shut down, because a sync that runs meanwhile may report success wrongly: in 240
    /// shutdowns of ext4 and xfs during a loop of `pwrite` and `fsync`, 16 lost what the last `fsync` had covered.
    pub fn lose_power(&self) {
        self.power_is_off.store(true, Ordering::SeqCst);
    }

    /// Stops after the operations in progress.
    pub fn stop(mut self) -> Arc<Seen> {
        self.stop.store(true, Ordering::SeqCst);
        for thread in self.threads.drain(..) {
            thread.join().expect("a client does not panic");
        }
        self.seen.clone()
    }
}

/// A case that panics must stop its load too.
impl Drop for Load<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

fn topic_tip(address: SocketAddr) -> String {
    let response = Client::new(address, TOKEN).get(&format!("{REPO}/git/ref/heads/topic")).expect("the server is up");
    response.json()["object"]["sha"].as_str().expect("the branch is there").to_owned()
}

/// What all clients share.
#[derive(Clone)]
pub struct Common<'a> {
    pub address: SocketAddr,
    /// The commit that comments are made on.
    pub tip: String,
    pub plan: Plan,
    pub ledger: &'a Ledger,
    pub commits: &'a [String],
    pub seen: Arc<Seen>,
    /// Set when the power is cut: a later response would never have arrived.
    pub power_is_off: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

impl Common<'_> {
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    pub fn name(&self, kind: &str, index: usize, number: usize) -> String {
        format!("{kind}-{}-{index}-{number}", self.plan.round)
    }

    /// Whether an error response means that nothing was written.
    pub fn is_definite(&self, status: u16) -> bool {
        match status {
            400..500 => true,
            503 | 507 => self.plan.rejections == Rejections::Definite,
            _ => false,
        }
    }
}

/// Reads until the load stops; a missing response counts as status 0.
fn read_until_stopped(common: &Common<'_>) {
    let mut client = Client::new(common.address, TOKEN);
    let paths = [format!("{REPO}/git/ref/heads/topic"), format!("{REPO}/pulls/1/comments?per_page=5"), REPO.to_owned()];
    let mut number = 0;
    while !common.is_stopped() {
        number += 1;
        match client.get(&paths[number % paths.len()]) {
            Ok(response) => common.seen.count(&common.seen.reads, &response),
            Err(_) => *common.seen.reads.lock().expect("no client panics").entry(0).or_default() += 1,
        }
        std::thread::sleep(PAUSE);
    }
}
