//! Test merges that a reader misses.
//!
//! A version is refreshed once, after the change that created it. If the process ends in the middle of that, nobody would
//! compute whether it can be merged. So whoever reads such a pull request starts another attempt, as on GitHub, and does
//! not wait for it.

use std::collections::HashSet;

use parking_lot::Mutex;
use plinth_base::ids::PullId;

use super::model::{Pull, PullState};
use super::versions::refresh_pull;
use crate::Core;

/// Versions that are known to have been attempted. With more, all are forgotten.
const ATTEMPTED_MAX: usize = 10_000;

/// Refreshes of this process.
#[derive(Default)]
pub struct Refreshes {
    running: Mutex<HashSet<PullId>>,
    /// Versions that a reader has started a refresh for. What fails once fails again.
    attempted: Mutex<HashSet<(PullId, i64)>>,
}

/// A refresh that is running.
pub struct Running<'a> {
    refreshes: &'a Refreshes,
    pull: PullId,
}

impl Refreshes {
    pub fn begin(&self, pull: PullId) -> Running<'_> {
        self.running.lock().insert(pull);
        Running { refreshes: self, pull }
    }

    /// Whether nobody refreshes this version, and no reader has started it before.
    fn may_start(&self, pull: &Pull) -> bool {
        if self.running.lock().contains(&pull.id) {
            return false;
        }
        let mut attempted = self.attempted.lock();
        if attempted.len() >= ATTEMPTED_MAX {
            attempted.clear();
        }
        attempted.insert((pull.id, pull.version.number))
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.refreshes.running.lock().remove(&self.pull);
    }
}

/// Starts the test merge of an open pull request that has none, in the background.
pub fn test_merge_later(core: &Core, pull: &Pull) {
    let is_missing = pull.state == PullState::Open && pull.test_merge.mergeability.is_none();
    if !is_missing || !core.refreshes.may_start(pull) {
        return;
    }
    let (core, repo, pull) = (core.clone(), pull.repo_id, pull.id);
    tokio::spawn(async move {
        if let Err(error) = refresh_pull(&core, repo, pull).await {
            tracing::warn!(%repo, %error, "could not refresh a pull request that was read");
        }
    });
}
