//! Turns of writers that move one ref.

use std::hash::{BuildHasher, RandomState};

use plinth_base::ids::{RefName, RepoId};
use tokio::sync::{Mutex, MutexGuard};

/// Refs that share a turn wait for each other, which costs time and nothing else.
const TURNS: usize = 64;

/// Who validates a move before its transaction can lose against another one. Of many that have read the ref at the same time, one
/// wins; if the others then tried again at the same time, each of them would need luck as often as there are others. So they try
/// again one after the other.
pub struct RefTurns {
    hasher: RandomState,
    turns: [Mutex<()>; TURNS],
}

impl Default for RefTurns {
    fn default() -> Self {
        Self { hasher: RandomState::new(), turns: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl RefTurns {
    /// Waits for the turn of a ref. Turns are given in the order in which they were asked for.
    pub async fn wait(&self, repo: RepoId, name: &RefName) -> MutexGuard<'_, ()> {
        let index = self.hasher.hash_one((repo, name)) % TURNS as u64;
        self.turns[usize::try_from(index).unwrap_or_default()].lock().await
    }
}
