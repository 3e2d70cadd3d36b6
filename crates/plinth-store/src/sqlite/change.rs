//! What waits for the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use crate::{DbError, Transaction, TransactionTimes};
use plinth_base::error::{Error, Result};

/// Where the answer to a change comes.
pub type Answered<T> = oneshot::Receiver<Result<T>>;

/// A transaction and whoever waits for it.
pub trait Change: Send {
    /// Runs it, for the first time or once more, and tells whether it went well.
    fn make(&mut self, tx: &mut Transaction) -> bool;

    /// Tells what came of it, now that the commit is decided.
    fn answer(self: Box<Self>, committed: Result<(), &DbError>);
}

pub struct Waiting<C, T, F> {
    operation: &'static str,
    times: Arc<TransactionTimes>,
    context: C,
    work: F,
    /// Nothing before it has run.
    outcome: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<C, T, F> Waiting<C, T, F> {
    /// Together with where its answer will come.
    pub fn new(operation: &'static str, times: Arc<TransactionTimes>, context: C, work: F) -> (Self, Answered<T>) {
        let (answer, answered) = oneshot::channel();
        (Self { operation, times, context, work, outcome: None, answer }, answered)
    }
}

impl<C, T, F> Change for Waiting<C, T, F>
where
    C: Send,
    T: Send,
    F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send,
{
    fn make(&mut self, tx: &mut Transaction) -> bool {
        let started = Instant::now();
        let made = catch_unwind(AssertUnwindSafe(|| {
            let finished = (self.work)(tx, &self.context).now_or_never();
            finished.unwrap_or_else(|| Err(Error::internal("a transaction waited for the outside")))
        }));
        self.times.observe(self.operation, started.elapsed());
        let outcome = made.unwrap_or_else(|_| Err(Error::internal("a transaction panicked")));
        self.outcome.insert(outcome).is_ok()
    }

    fn answer(self: Box<Self>, committed: Result<(), &DbError>) {
        let Self { context, work, outcome, answer, .. } = *self;
        // Whoever is answered may end the process, and what a change was made with may have something to tidy up.
        drop((context, work));
        let outcome = match (outcome, committed) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(Error::internal("a change was forgotten")),
            (_, Err(error)) => Err(Error::Unavailable(format!("the change could not be made durable: {error}"))),
        };
        // A caller that has gone away needs no answer.
        let _ = answer.send(outcome);
    }
}
