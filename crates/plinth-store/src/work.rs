//! The work of a transaction, as a trait object: what surrounds it is compiled once, and not for each operation.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use crate::collections::Expected;
use crate::timing::Waiting;
use crate::{Transaction, WriteAuthority};
use plinth_base::error::Result;

pub trait Work: Send + Sync {
    /// Runs it, for the first time or again. What it returns to its caller, it puts into a slot that both have.
    fn run<'a>(&'a self, tx: &'a mut Transaction) -> BoxFuture<'a, Result<()>>;

    /// The objects that it relies on, which a batch checks once for all its members.
    fn expected(&self) -> Option<&Expected>;
}

/// What the last successful run returned.
pub type Slot<T> = Arc<Mutex<Option<T>>>;

/// A check, and the work that depends on it.
pub struct CheckedWork<A, C, T, F> {
    pub authority: A,
    pub context: C,
    pub work: F,
    pub outcome: Slot<T>,
    /// The objects that it relies on.
    pub expected: Option<Expected>,
    /// Until it is dropped, the transaction counts as waiting.
    pub _waiting: Waiting,
}

impl<A, C, T, F> Work for CheckedWork<A, C, T, F>
where
    A: WriteAuthority,
    C: Send + Sync,
    T: Send,
    F: for<'b> Fn(&'b mut Transaction, &'b A::Proof, &'b C) -> BoxFuture<'b, Result<T>> + Send + Sync,
{
    fn run<'a>(&'a self, tx: &'a mut Transaction) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let collection = match &self.expected {
                Some(expected) if !tx.is_in_batch() => Some((expected, expected.send(tx).await?)),
                Some(_) | None => None,
            };
            let proof = self.authority.check(tx).await?;
            let value = (self.work)(tx, &proof, &self.context).await?;
            if let Some((expected, sent)) = collection {
                expected.check(tx, sent).await?;
            }
            *self.outcome.lock() = Some(value);
            Ok(())
        })
    }

    fn expected(&self) -> Option<&Expected> {
        self.expected.as_ref()
    }
}
