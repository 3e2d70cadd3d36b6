//! Tokens that were found expired and are not yet ended in the store.
//!
//! A clock can be set back, and a request that reads must not write: so what a request finds expired is remembered
//! here until the next sweep ends it for good (docs/decisions/0021-expired-tokens.md).

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use plinth_base::ids::TokenId;

/// Far more than are presented between two sweeps; beyond it the clock alone decides.
const SEEN_MAX: usize = 100_000;

/// The memory of one node.
#[derive(Debug, Default)]
pub struct ExpiredTokens {
    seen: Mutex<HashSet<TokenId>>,
    /// How many there are, so that the usual case takes no lock.
    count: AtomicUsize,
}

impl ExpiredTokens {
    /// Remembers a token whose time was over.
    pub fn note(&self, token: TokenId) {
        let mut seen = self.seen.lock();
        if seen.len() < SEEN_MAX {
            seen.insert(token);
        }
        self.count.store(seen.len(), Ordering::SeqCst);
    }

    pub fn contains(&self, token: TokenId) -> bool {
        self.count.load(Ordering::SeqCst) > 0 && self.seen.lock().contains(&token)
    }

    /// All of them, to be ended.
    pub fn list(&self) -> Vec<TokenId> {
        self.seen.lock().iter().copied().collect()
    }

    /// Forgets what the store knows by now.
    pub fn forget(&self, tokens: &[TokenId]) {
        let mut seen = self.seen.lock();
        for token in tokens {
            seen.remove(token);
        }
        self.count.store(seen.len(), Ordering::SeqCst);
    }
}
