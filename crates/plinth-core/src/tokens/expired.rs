//! Tokens that were found expired and are not ended in the store yet.
//!
//! The clock may be set back, and a request that reads must not write. So expired tokens are recorded here until the next
//! run of [`crate::expiry`] ends them for good (docs/decisions/0021-expired-tokens.md).

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use plinth_base::ids::TokenId;

/// Far more than are presented between two runs; above this only the clock decides.
const SEEN_MAX: usize = 100_000;

/// The expired tokens that this node has seen.
#[derive(Debug, Default)]
pub struct ExpiredTokens {
    seen: Mutex<HashSet<TokenId>>,
    /// The length of `seen`, so that the usual case needs no lock.
    count: AtomicUsize,
}

impl ExpiredTokens {
    pub fn add(&self, token: TokenId) {
        let mut seen = self.seen.lock();
        if seen.len() < SEEN_MAX {
            seen.insert(token);
        }
        self.count.store(seen.len(), Ordering::SeqCst);
    }

    pub fn contains(&self, token: TokenId) -> bool {
        self.count.load(Ordering::SeqCst) > 0 && self.seen.lock().contains(&token)
    }

    pub fn list(&self) -> Vec<TokenId> {
        self.seen.lock().iter().copied().collect()
    }

    /// Removes tokens that are ended in the store.
    pub fn remove(&self, tokens: &[TokenId]) {
        let mut seen = self.seen.lock();
        for token in tokens {
            seen.remove(token);
        }
        self.count.store(seen.len(), Ordering::SeqCst);
    }
}
