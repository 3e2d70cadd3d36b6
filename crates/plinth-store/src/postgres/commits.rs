//! Whether commits are confirmed. A primary whose synchronous standby is away responds to everything but commits, which
//! wait for the standby, and so does the server process of each, even when its client has gone.
//!
//! After one commit was not confirmed in time, others are not begun, so that they do not use up the connections that the
//! server allows. Until then one probe waits for a commit of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::monitor::Monitor;
use super::target::Target;
use plinth_base::error::{Error, Result};

/// How long a commit may wait before it counts as stalled.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// A commit that writes to the log of the server and to no table. Others would not wait for the standby.
const PROBE: &str = "begin; select pg_logical_emit_message(true, 'plinth', 'probe'); commit";

#[derive(Default)]
pub(super) struct Commits(Mutex<State>);

#[derive(Default)]
struct State {
    /// When each commit began that is not confirmed yet, by number.
    waiting: BTreeMap<u64, Instant>,
    begun: u64,
    /// A commit was given up, and none was confirmed since.
    is_stalled: bool,
    is_probed: bool,
}

/// A commit that waits for its confirmation. Dropped without one, it was given up.
pub(super) struct Waiting {
    commits: Arc<Commits>,
    number: u64,
}

impl Commits {
    /// Fails while commits are not confirmed.
    pub fn check(&self) -> Result<()> {
        match self.0.lock().is_stalled() {
            true => Err(Error::Unavailable(
                "the database does not confirm commits; a synchronous standby may be missing".into(),
            )),
            false => Ok(()),
        }
    }

    pub fn begin(self: &Arc<Self>) -> Waiting {
        let mut state = self.0.lock();
        state.begun += 1;
        let number = state.begun;
        state.waiting.insert(number, Instant::now());
        Waiting { commits: self.clone(), number }
    }

    /// Starts a probe if commits are stalled and none is under way.
    pub fn probe_if_stalled(self: &Arc<Self>, target: &Target, monitor: &Arc<Monitor>) {
        let mut state = self.0.lock();
        if !state.is_stalled() || state.is_probed {
            return;
        }
        state.is_probed = true;
        tracing::warn!("the database does not confirm commits; a synchronous standby may be missing");
        let (commits, target, monitor) = (self.clone(), target.clone(), monitor.clone());
        tokio::spawn(async move {
            // As long as the server responds to other statements, it waits: giving up would leave a server process behind
            // each time.
            let is_confirmed = tokio::select! {
                is_confirmed = probe(&target) => is_confirmed,
                () = monitor.suspected_for_long() => false,
            };
            let mut state = commits.0.lock();
            state.is_probed = false;
            if is_confirmed {
                state.is_stalled = false;
                tracing::info!("the database confirms commits again");
            }
        });
    }
}

impl State {
    fn is_stalled(&self) -> bool {
        self.is_stalled || self.waiting.first_key_value().is_some_and(|(_, began)| began.elapsed() > WAIT_MAX)
    }
}

impl Waiting {
    /// The server has responded, whatever it said.
    pub fn finish(self) {
        let mut state = self.commits.0.lock();
        state.waiting.remove(&self.number);
        state.is_stalled = false;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.commits.0.lock();
        if state.waiting.remove(&self.number).is_some_and(|began| began.elapsed() > WAIT_MAX) {
            state.is_stalled = true;
        }
    }
}

async fn probe(target: &Target) -> bool {
    let Ok(connected) = target.connect().await else { return false };
    connected.client.batch_execute(PROBE).await.is_ok()
}
