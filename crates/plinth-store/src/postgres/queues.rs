//! Writes that change the same repository or account run one after another on this node, and those that wait share a
//! transaction, with each other and with writes of other repositories and accounts.
//!
//! Side by side they would fail to serialize and run again, and under load a large part would fail for good. Those that wait
//! have no connection.

use std::collections::hash_map::Entry;
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

/// Lanes at a time.
const LANES_MAX: usize = 4;
/// For one lane: reads, and writes that run by themselves, use the others.
const CONNECTIONS_PER_LANE: usize = 4;
/// How many repositories and accounts wait before another lane begins. Large batches cost less than many.
const WAITING_FOR_LANE: usize = 24;

/// A turn is the exclusive right to write to a repository or an account. A lane runs writes of several of them, batch after
/// batch.
pub(super) struct Queues {
    state: Mutex<State>,
    lanes_max: usize,
}

#[derive(Default)]
struct State {
    /// The writes that wait, of each repository and account that has a turn or waits for one.
    waiting: HashMap<InvalidationScope, VecDeque<QueuedWrite>>,
    /// Those that wait for a turn.
    ready: VecDeque<InvalidationScope>,
    /// How many run at once, by themselves.
    solos: usize,
    lanes: usize,
}

impl State {
    /// Whether another write can run by itself.
    fn has_room(&self, solos_max: usize) -> bool {
        self.solos < solos_max && self.lanes == 0
    }
}

/// What becomes of a write.
pub(super) enum Entered {
    /// It runs now, by itself, and has a turn.
    Runs(Write),
    Waits(oneshot::Receiver<Result<bool>>),
}

impl Queues {
    pub fn new(connections_max: usize) -> Self {
        let lanes_max = (connections_max / CONNECTIONS_PER_LANE).clamp(1, LANES_MAX);
        Self { state: Mutex::default(), lanes_max }
    }

    /// Begins a turn with a write, if few run, or lets it wait.
    pub fn enter(&self, write: Write, solos_max: usize) -> Result<Entered> {
        let mut state = self.state.lock();
        let scope = write.label.scope;
        if let Entry::Vacant(vacant) = state.waiting.entry(scope) {
            vacant.insert(VecDeque::new());
            if state.has_room(solos_max) {
                state.solos += 1;
                return Ok(Entered::Runs(write));
            }
            state.ready.push_back(scope);
        }
        let queue = state.waiting.entry(scope).or_default();
        if queue.len() >= QUEUE_CAPACITY {
            return Err(Error::Unavailable("too many changes are waiting".into()));
        }
        let (sender, receiver) = oneshot::channel();
        queue.push_back(QueuedWrite { write, sender });
        Ok(Entered::Waits(receiver))
    }

    /// Whether a write would run now.
    pub fn is_free(&self, scope: InvalidationScope, solos_max: usize) -> bool {
        let state = self.state.lock();
        state.has_room(solos_max) && !state.waiting.contains_key(&scope)
    }

    /// Ends the turn of a write that ran by itself.
    pub fn end_solo(&self, scope: InvalidationScope) {
        self.state.lock().solos -= 1;
        self.end_turn(scope);
    }

    /// Begins a lane, if something waits for a turn, and much if there is a lane.
    pub fn begin_lane(&self) -> bool {
        let mut state = self.state.lock();
        let needed = if state.lanes == 0 { 1 } else { WAITING_FOR_LANE };
        let begins = state.lanes < self.lanes_max && state.ready.len() >= needed;
        state.lanes += usize::from(begins);
        begins
    }

    /// Begins turns, and takes up to so many writes that have waited longest. Without one this lane ends.
    pub fn next_batch(&self, writes_max: usize) -> Option<(Vec<InvalidationScope>, Vec<QueuedWrite>)> {
        let mut state = self.state.lock();
        let (mut scopes, mut writes) = (Vec::new(), Vec::new());
        while writes.len() < writes_max
            && let Some(scope) = state.ready.pop_front()
        {
            let Some(queue) = state.waiting.get_mut(&scope) else { continue };
            let before = writes.len();
            while writes.len() < writes_max
                && let Some(next) = take_next(queue, |_| true)
            {
                writes.push(next);
            }
            match writes.len() > before {
                true => scopes.push(scope),
                false => drop(state.waiting.remove(&scope)),
            }
        }
        if writes.is_empty() {
            state.lanes -= 1;
            return None;
        }
        Some((scopes, writes))
    }

    /// The next write of a turn, if it can share a transaction.
    pub fn next_member(&self, scope: InvalidationScope) -> Option<QueuedWrite> {
        take_next(self.state.lock().waiting.get_mut(&scope)?, |write| !write.changes_rights)
    }

    /// Ends a turn. Those that wait for the next one need a lane.
    pub fn end_turn(&self, scope: InvalidationScope) {
        let mut state = self.state.lock();
        match state.waiting.get(&scope) {
            Some(queue) if !queue.is_empty() => state.ready.push_back(scope),
            Some(_) | None => drop(state.waiting.remove(&scope)),
        }
    }

    /// Ends a lane, and if it is the last one all turns that nobody has begun, with an error for those that wait.
    pub fn close_lane(&self) {
        let mut state = self.state.lock();
        state.lanes -= 1;
        if state.lanes > 0 {
            return;
        }
        let ready = std::mem::take(&mut state.ready);
        let closed: Vec<_> = ready.iter().filter_map(|scope| state.waiting.remove(scope)).collect();
        drop(state);
        drop(closed);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_leave_most_connections_to_others() {
        for (connections, lanes) in [(1, 1), (7, 1), (8, 2), (16, 4), (100, 4)] {
            assert_eq!(Queues::new(connections).lanes_max, lanes, "{connections}");
        }
    }
}
