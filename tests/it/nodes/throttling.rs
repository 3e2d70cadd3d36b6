//! Object storage that throttles: requests are repeated after random pauses, and not for ever.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::http_proxy::{Action, HttpProxy, Interceptor};
use super::storage::Storage;
use super::{Nodes, clone, commit, git, push, remote, tip, try_git};
use crate::support::wait::wait_until;

/// The first attempt and four more.
const ATTEMPTS_MAX: usize = 5;
const SLOW_DOWN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>SlowDown</Code>\
                         <Message>Please reduce your request rate.</Message></Error>";

/// Rejects a share of all requests, as S3 does.
#[derive(Default)]
struct Throttle {
    /// Of a hundred requests.
    rejected_share: AtomicU64,
    random: AtomicU64,
    attempts: Mutex<BTreeMap<String, Vec<(Instant, bool)>>>,
}

impl Interceptor for Throttle {
    fn decide(&self, request: &str) -> Action {
        let mut number =
            self.random.fetch_add(1, Ordering::Relaxed).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        number = (number ^ (number >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let is_rejected = (number >> 32) % 100 < self.rejected_share.load(Ordering::Relaxed);
        self.attempts.lock().entry(request.to_owned()).or_default().push((Instant::now(), is_rejected));
        if !is_rejected {
            return Action::Forward;
        }
        let length = SLOW_DOWN.len();
        let head = format!(
            "HTTP/1.1 503 Slow Down\r\ncontent-type: application/xml\r\ncontent-length: {length}\r\nconnection: close"
        );
        Action::Respond(format!("{head}\r\n\r\n{SLOW_DOWN}").into_bytes())
    }
}

impl Throttle {
    /// The attempts of every request that was made since the last call.
    fn take(&self) -> Vec<Vec<(Instant, bool)>> {
        std::mem::take(&mut *self.attempts.lock()).into_values().collect()
    }
}

fn start() -> Option<(Arc<Throttle>, HttpProxy, Nodes)> {
    let storage = Storage::start_s3()?;
    let throttle = Arc::new(Throttle::default());
    let proxy = HttpProxy::start(storage.address(), throttle.clone());
    let mut nodes = Nodes::with_storage(storage)?;
    nodes.storage.set_endpoint(proxy.address);
    Some((throttle, proxy, nodes))
}

#[test]
fn pushes_succeed_although_a_share_of_requests_is_throttled() {
    let Some((throttle, _proxy, nodes)) = start() else { return };
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    let work = clone(&a, &nodes.of("work"));
    throttle.take();
    throttle.rejected_share.store(30, Ordering::Relaxed);
    let mut last = String::new();
    for number in 0..20 {
        last = commit(&work, "file", &format!("content {number}"));
        push(&work, &a);
    }
    assert_eq!(tip(&b, "main"), last);
    git(&clone(&b, &nodes.of("copy")), &["fsck", "--strict"]);
    let attempts = throttle.take();
    assert!(attempts.iter().all(|attempts| attempts.len() <= ATTEMPTS_MAX), "{attempts:?}");
    let repeated: Vec<_> = attempts.iter().filter(|attempts| attempts.len() > 1).collect();
    assert!(repeated.len() > 5, "{} of {} requests were repeated", repeated.len(), attempts.len());
    // The pauses differ, so that servers that were rejected together do not come back together.
    let pauses = repeated.iter().flat_map(|attempts| attempts.windows(2)).map(|pair| pair[1].0 - pair[0].0);
    let mut pauses: Vec<Duration> = pauses.collect();
    pauses.sort_unstable();
    let (shortest, longest) = (pauses[0], pauses[pauses.len() - 1]);
    assert!(longest - shortest > Duration::from_millis(20), "{pauses:?}");
}

#[test]
fn push_is_rejected_after_a_bounded_number_of_attempts() {
    let Some((throttle, _proxy, nodes)) = start() else { return };
    let a = nodes.start("a");
    let work = clone(&a, &nodes.of("work"));
    let before = tip(&a, "main");
    commit(&work, "file", "not stored");
    throttle.take();
    throttle.rejected_share.store(100, Ordering::Relaxed);
    let started = Instant::now();
    let failed = try_git(&work, &["push", "--quiet", &remote(&a), "HEAD:main"]);
    assert!(!failed.status.success() && String::from_utf8_lossy(&failed.stderr).contains("503"), "{failed:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(tip(&a, "main"), before, "nothing has changed");
    let attempts = throttle.take();
    assert!(!attempts.is_empty() && attempts.iter().all(|attempts| attempts.len() <= ATTEMPTS_MAX), "{attempts:?}");
    throttle.rejected_share.store(0, Ordering::Relaxed);
    wait_until("the storage is used again", || {
        try_git(&work, &["push", "--quiet", &remote(&a), "HEAD:main"]).status.success()
    });
}
