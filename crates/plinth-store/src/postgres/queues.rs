//! Writes that change the same repository or account run one after another on this node, and those that wait share a
//! transaction.
//!
//! Side by side they would fail to serialize and run again, and under load a large part would fail for good. Those that wait
//! have no connection, so they delay only others of the same repository or account.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::work::Work;
use crate::{InvalidationScope, WriteLabel};
use plinth_base::error::{Error, Result};

/// Writes that may wait in one queue; more are rejected rather than left waiting past their timeout.
const QUEUE_CAPACITY: usize = 4_096;

/// A write, and whether it most likely revokes rights: then it has a transaction of its own.
pub(super) struct Write {
    pub label: WriteLabel,
    pub changes_rights: bool,
    pub work: Box<dyn Work>,
}

/// A write and the caller that waits for it. The outcome says whether the write signals its commit.
pub(super) struct QueuedWrite {
    pub write: Write,
    sender: oneshot::Sender<Result<bool>>,
}

impl QueuedWrite {
    /// Whether nobody waits for the outcome any more.
    pub fn is_abandoned(&self) -> bool {
        self.sender.is_closed()
    }

    /// Returns the outcome to the caller.
    pub fn complete(self, outcome: Result<bool>) {
        // Before the caller is notified: it may end the process, and dropping the context may clean something up.
        drop(self.write);
        // The caller may have gone away.
        let _ = self.sender.send(outcome);
    }
}

/// One queue for each repository and account of which a write runs.
#[derive(Default)]
pub(super) struct Queues(Mutex<HashMap<InvalidationScope, VecDeque<QueuedWrite>>>);

/// What becomes of a write.
pub(super) enum Entered {
    /// It runs now, by itself.
    Runs(Write),
    Waits(oneshot::Receiver<Result<bool>>),
}

impl Queues {
    /// Begins a turn with a write, or lets it wait.
    pub fn enter(&self, write: Write) -> Result<Entered> {
        let mut queues = self.0.lock();
        let Some(queue) = queues.get_mut(&write.label.scope) else {
            queues.insert(write.label.scope, VecDeque::new());
            return Ok(Entered::Runs(write));
        };
        if queue.len() >= QUEUE_CAPACITY {
            return Err(Error::Unavailable("too many changes are waiting".into()));
        }
        let (sender, receiver) = oneshot::channel();
        queue.push_back(QueuedWrite { write, sender });
        Ok(Entered::Waits(receiver))
    }

    /// Whether a write waits for the end of a turn. Without one the turn ends.
    pub fn is_awaited(&self, scope: InvalidationScope) -> bool {
        let mut queues = self.0.lock();
        let is_awaited = queues.get(&scope).is_some_and(|queue| !queue.is_empty());
        if !is_awaited {
            queues.remove(&scope);
        }
        is_awaited
    }

    /// The write that has waited longest and whose caller still waits. Without one the turn ends.
    pub fn next(&self, scope: InvalidationScope) -> Option<QueuedWrite> {
        let mut queues = self.0.lock();
        let found = queues.get_mut(&scope).and_then(|queue| take_next(queue, |_| true));
        if found.is_none() {
            queues.remove(&scope);
        }
        found
    }

    /// As [`Queues::next`], if the write can share a transaction. The turn goes on in any case.
    pub fn next_member(&self, scope: InvalidationScope) -> Option<QueuedWrite> {
        take_next(self.0.lock().get_mut(&scope)?, |write| !write.changes_rights)
    }
}

fn take_next(queue: &mut VecDeque<QueuedWrite>, is_wanted: impl Fn(&Write) -> bool) -> Option<QueuedWrite> {
    while queue.front().is_some_and(|queued| queued.is_abandoned()) {
        queue.pop_front();
    }
    match queue.front().is_some_and(|queued| is_wanted(&queued.write)) {
        true => queue.pop_front(),
        false => None,
    }
}

/// Ends a turn if its task ends, however it does: whoever waits gets an error, and the next write begins another turn.
pub(super) struct Cleared<'a>(pub &'a Queues, pub InvalidationScope);

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        let cleared = self.0.0.lock().remove(&self.1);
        drop(cleared);
    }
}
