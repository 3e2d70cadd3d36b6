//! Waiting for a condition. A test never assumes that something has happened after some time.

use std::time::{Duration, Instant};

/// Enough for a busy machine; ends a test that would otherwise hang.
pub const DEADLINE: Duration = Duration::from_secs(60);
const INTERVAL: Duration = Duration::from_millis(2);

/// Returns once the condition holds, and panics with `what` after [`DEADLINE`].
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < DEADLINE, "this did not happen: {what}");
        std::thread::sleep(INTERVAL);
    }
}

/// [`wait_until`] for asynchronous tests, which must not block their thread.
pub async fn wait_until_async(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !condition().await {
        assert!(started.elapsed() < DEADLINE, "this did not happen: {what}");
        tokio::time::sleep(INTERVAL).await;
    }
}
