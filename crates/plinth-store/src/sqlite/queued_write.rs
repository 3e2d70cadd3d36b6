//! Transactions in the writer's queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use tokio::sync::oneshot;

use crate::work::Work;
use crate::{DbError, InvalidationScope, Transaction, TransactionTimes};
use plinth_base::error::{Error, Result};

/// How a transaction is logged, and whose content it changes.
#[derive(Debug, Clone, Copy)]
pub struct WriteLabel {
    pub operation: &'static str,
    pub scope: InvalidationScope,
}

/// A transaction and the caller that waits for it.
pub struct QueuedWrite {
    label: WriteLabel,
    times: Arc<TransactionTimes>,
    work: Box<dyn Work>,
    /// Nothing before it has run.
    outcome: Option<Result<()>>,
    sender: oneshot::Sender<Result<()>>,
}

impl QueuedWrite {
    /// Together with the receiver of its outcome.
    pub fn new(
        label: WriteLabel,
        times: Arc<TransactionTimes>,
        work: Box<dyn Work>,
    ) -> (Self, oneshot::Receiver<Result<()>>) {
        let (sender, receiver) = oneshot::channel();
        (Self { label, times, work, outcome: None, sender }, receiver)
    }

    /// Runs it, for the first time or again. Returns whether it succeeded.
    pub fn run(&mut self, tx: &mut Transaction) -> bool {
        let started = Instant::now();
        tx.set_scope(self.label.scope);
        let finished = catch_unwind(AssertUnwindSafe(|| {
            let finished = self.work.run(tx).now_or_never();
            finished.unwrap_or_else(|| Err(Error::internal("a transaction waited for something outside the store")))
        }));
        self.times.observe(self.label.operation, started.elapsed());
        let outcome = finished.unwrap_or_else(|_| Err(Error::internal("a transaction panicked")));
        self.outcome.insert(outcome).is_ok()
    }

    /// Returns the outcome to the caller, once the commit has succeeded or failed.
    pub fn complete(self, committed: Result<(), &DbError>) {
        let Self { work, outcome, sender, .. } = self;
        // Before the caller is notified: it may end the process, and dropping the context may clean something up.
        drop(work);
        let outcome = match (outcome, committed) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(())), Ok(())) => Ok(()),
            (None, Ok(())) => Err(Error::internal("a transaction was not run")),
            (_, Err(error)) => Err(Error::Unavailable(format!("the change could not be made durable: {error}"))),
        };
        // The caller may have gone away.
        let _ = sender.send(outcome);
    }
}
