//! Limits concurrent merges. Each may start a git process with memory of its own, which the object budget does not count.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use plinth_base::ids::AccountId;

/// Concurrent merges; together they can use four times the memory limit of git.
const MERGES_MAX: usize = 4;
/// Concurrent merges in the repositories of one owner, so that others are not blocked by them.
const OWNER_MERGES_MAX: usize = 2;

pub struct MergePermits {
    all: Arc<Semaphore>,
    of_owners: Mutex<HashMap<AccountId, Weak<Semaphore>>>,
}

/// The right to run one merge. The merge holds it until it ends, even if nobody waits for it any more.
pub struct MergePermit {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Default for MergePermits {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MERGES_MAX)), of_owners: Mutex::default() }
    }
}

impl MergePermits {
    pub async fn acquire(&self, owner: AccountId) -> MergePermit {
        let own = acquire(self.of_owner(owner)).await;
        MergePermit { _all: acquire(self.all.clone()).await, _own: own }
    }

    fn of_owner(&self, owner: AccountId) -> Arc<Semaphore> {
        let mut of_owners = self.of_owners.lock();
        if let Some(known) = of_owners.get(&owner).and_then(Weak::upgrade) {
            return known;
        }
        of_owners.retain(|_, unused| unused.strong_count() > 0);
        let new = Arc::new(Semaphore::new(OWNER_MERGES_MAX));
        of_owners.insert(owner, Arc::downgrade(&new));
        new
    }
}

async fn acquire(semaphore: Arc<Semaphore>) -> OwnedSemaphorePermit {
    semaphore.acquire_owned().await.expect("nobody closes it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn one_owner_cannot_use_all_permits() {
        let permits = MergePermits::default();
        let (one, other) = (AccountId(1), AccountId(2));
        let mut own = vec![permits.acquire(one).await, permits.acquire(one).await];
        assert!(permits.acquire(one).now_or_never().is_none());
        let others = [permits.acquire(other).await, permits.acquire(other).await];
        assert!(permits.acquire(AccountId(3)).now_or_never().is_none(), "four are running");
        own.pop();
        assert!(permits.acquire(one).now_or_never().is_some());
        drop((own, others));
        permits.acquire(other).await;
        assert_eq!(permits.of_owners.lock().len(), 1, "owners without merges are forgotten");
    }
}
