//! What was found out about callers a moment ago, as long as nobody's rights have changed since
//! (docs/decisions/0073-what-has-changed.md).

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::RwLock;

use super::{Facts, Reach, RepoTarget};
use crate::ids::TokenId;
use crate::tokens::Principal;

/// Callers, and callers in repositories, that are remembered; with one more, all are forgotten.
const ENTRIES_MAX: usize = 10_000;

type Hash256 = [u8; 32];
/// A token, and a repository as its address spells it.
type Place = (TokenId, String);

/// A caller in a repository: all that a decision about them needs.
#[derive(Debug, Clone)]
pub struct Standing {
    pub target: RepoTarget,
    pub facts: Facts,
    pub reach: Reach,
}

/// The memory of one node.
#[derive(Default)]
pub struct Known(RwLock<Moment>);

#[derive(Default)]
struct Moment {
    /// The rights of the moment: see [`crate::db::State`].
    rights: u64,
    callers: HashMap<Hash256, Arc<Principal>>,
    standings: HashMap<Place, Arc<Standing>>,
}

impl Known {
    /// Who presents the token with this hash.
    pub fn caller(&self, rights: u64, hash: &Hash256) -> Option<Arc<Principal>> {
        let memory = self.0.read();
        (memory.rights == rights).then(|| memory.callers.get(hash).cloned()).flatten()
    }

    /// `rights` is of before the caller was looked up.
    pub fn keep_caller(&self, rights: u64, hash: Hash256, caller: &Arc<Principal>) {
        let mut memory = self.0.write();
        if memory.turn_to(rights) {
            insert(&mut memory.callers, hash, caller.clone());
        }
    }

    pub fn standing(&self, rights: u64, token: TokenId, address: String) -> Option<Arc<Standing>> {
        let memory = self.0.read();
        (memory.rights == rights).then(|| memory.standings.get(&(token, address)).cloned()).flatten()
    }

    /// `rights` is of before the standing was looked up.
    pub fn keep_standing(&self, rights: u64, token: TokenId, address: String, standing: Standing) {
        let mut memory = self.0.write();
        if memory.turn_to(rights) {
            insert(&mut memory.standings, (token, address), Arc::new(standing));
        }
    }
}

impl Moment {
    /// Forgets what is of an earlier moment, and says whether this is not an earlier one itself.
    fn turn_to(&mut self, rights: u64) -> bool {
        if self.rights < rights {
            *self = Self { rights, ..Self::default() };
        }
        self.rights == rights
    }
}

fn insert<K: Eq + Hash, V>(map: &mut HashMap<K, V>, key: K, value: V) {
    if map.len() >= ENTRIES_MAX {
        map.clear();
    }
    map.insert(key, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_holds_for_the_same_rights_only() {
        let known = Known::default();
        let caller = Arc::new(Principal::Anonymous);
        known.keep_caller(5, [1; 32], &caller);
        assert!(known.caller(5, &[1; 32]).is_some());
        assert!(known.caller(5, &[2; 32]).is_none());
        assert!(known.caller(6, &[1; 32]).is_none() && known.caller(4, &[1; 32]).is_none());
        known.keep_caller(4, [3; 32], &caller);
        assert!(known.caller(4, &[3; 32]).is_none(), "what is of an earlier moment is not kept");
        known.keep_caller(6, [2; 32], &caller);
        assert!(known.caller(5, &[1; 32]).is_none() && known.caller(6, &[1; 32]).is_none());
        assert!(known.caller(6, &[2; 32]).is_some());
    }

    #[test]
    fn memory_is_bounded() {
        let known = Known::default();
        for number in 0..=ENTRIES_MAX {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_le_bytes());
            known.keep_caller(1, hash, &Arc::new(Principal::Anonymous));
        }
        assert!(known.0.read().callers.len() <= ENTRIES_MAX);
    }
}
