//! Cancels a computation when nobody waits for it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;

/// Counts the requests that wait for a computation. It is cancelled when there are none.
#[derive(Debug)]
pub struct Cancellation {
    waiting: AtomicUsize,
    owner: AccountId,
}

impl Default for Cancellation {
    fn default() -> Self {
        Self::new(AccountId(0))
    }
}

impl Cancellation {
    /// For a computation over the objects of this repository, with one request that waits for it.
    pub fn new(owner: AccountId) -> Self {
        Self { waiting: AtomicUsize::new(1), owner }
    }

    /// The repository whose share of the memory the computation uses.
    pub fn owner(&self) -> AccountId {
        self.owner
    }

    /// The guard of the request that waits from the start.
    pub fn first_interest(self: &Arc<Self>) -> Interest {
        Interest(self.clone())
    }

    /// The guard of one more request that waits.
    pub fn join(self: &Arc<Self>) -> Interest {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Interest(self.clone())
    }

    pub fn is_cancelled(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0
    }

    pub fn check(&self) -> Result<()> {
        match self.is_cancelled() {
            false => Ok(()),
            true => Err(Error::Unavailable("nobody waits for this any more".into())),
        }
    }
}

/// One request waits. Dropped when that request ends.
#[derive(Debug)]
pub struct Interest(Arc<Cancellation>);

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
