//! Transactions that change the same repository or account run one after another on this node.
//!
//! Side by side they would fail to serialize and run again, and under load a large part would fail for good. Those that wait
//! have no connection, so they delay only others of the same repository or account.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

use crate::InvalidationScope;

/// From this size on, the queues that nobody waits in are removed.
const QUEUES_MAX: usize = 1_024;

#[derive(Default)]
pub(super) struct Queues(Mutex<HashMap<InvalidationScope, Weak<tokio::sync::Mutex<()>>>>);

impl Queues {
    /// Waits for the turn of a transaction, which lasts until the guard is dropped. Whatever does not say what it changes
    /// has no queue.
    pub async fn turn(&self, scope: InvalidationScope) -> Option<OwnedMutexGuard<()>> {
        match scope {
            InvalidationScope::Everything => None,
            InvalidationScope::Repo(_) | InvalidationScope::Account(_) => Some(self.queue(scope).lock_owned().await),
        }
    }

    fn queue(&self, scope: InvalidationScope) -> Arc<tokio::sync::Mutex<()>> {
        let mut queues = self.0.lock();
        if let Some(queue) = queues.get(&scope).and_then(Weak::upgrade) {
            return queue;
        }
        if queues.len() >= QUEUES_MAX {
            queues.retain(|_, queue| queue.strong_count() > 0);
        }
        let queue = Arc::default();
        queues.insert(scope, Arc::downgrade(&queue));
        queue
    }
}
