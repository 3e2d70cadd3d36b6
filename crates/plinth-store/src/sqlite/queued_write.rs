//! Transactions in the writer's queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use crate::{DbError, InvalidationScope, Transaction, TransactionTimes};
use plinth_base::error::{Error, Result};

/// A transaction and the caller that waits for it.
pub trait QueuedWrite: Send {
    /// Runs it, for the first time or again. Returns whether it succeeded.
    fn run(&mut self, tx: &mut Transaction) -> bool;

    /// Returns the outcome to the caller, once the commit has succeeded or failed.
    fn complete(self: Box<Self>, committed: Result<(), &DbError>);
}

/// How a transaction is logged, and whose content it changes.
#[derive(Debug, Clone, Copy)]
pub struct WriteLabel {
    pub operation: &'static str,
    pub scope: InvalidationScope,
}

pub struct QueuedTransaction<C, T, F> {
    label: WriteLabel,
    times: Arc<TransactionTimes>,
    context: C,
    work: F,
    /// Nothing before it has run.
    outcome: Option<Result<T>>,
    sender: oneshot::Sender<Result<T>>,
}

impl<C, T, F> QueuedTransaction<C, T, F> {
    /// Together with the receiver of its outcome.
    pub fn new(
        label: WriteLabel,
        times: Arc<TransactionTimes>,
        context: C,
        work: F,
    ) -> (Self, oneshot::Receiver<Result<T>>) {
        let (sender, receiver) = oneshot::channel();
        (Self { label, times, context, work, outcome: None, sender }, receiver)
    }
}

impl<C, T, F> QueuedWrite for QueuedTransaction<C, T, F>
where
    C: Send,
    T: Send,
    F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send,
{
    fn run(&mut self, tx: &mut Transaction) -> bool {
        let started = Instant::now();
        tx.set_scope(self.label.scope);
        let finished = catch_unwind(AssertUnwindSafe(|| {
            let finished = (self.work)(tx, &self.context).now_or_never();
            finished.unwrap_or_else(|| Err(Error::internal("a transaction waited for something outside the store")))
        }));
        self.times.observe(self.label.operation, started.elapsed());
        let outcome = finished.unwrap_or_else(|_| Err(Error::internal("a transaction panicked")));
        self.outcome.insert(outcome).is_ok()
    }

    fn complete(self: Box<Self>, committed: Result<(), &DbError>) {
        let Self { context, work, outcome, sender, .. } = *self;
        // Before the caller is notified: it may end the process, and dropping the context may clean something up.
        drop((context, work));
        let outcome = match (outcome, committed) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(Error::internal("a transaction was not run")),
            (_, Err(error)) => Err(Error::Unavailable(format!("the change could not be made durable: {error}"))),
        };
        // The caller may have gone away.
        let _ = sender.send(outcome);
    }
}
