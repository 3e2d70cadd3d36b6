//! What was found out about callers a moment ago, as long as nobody's rights have changed since
//! (docs/decisions/0073-cache-invalidation.md).

use std::sync::Arc;

use super::{Facts, Reach, RepoTarget};
use crate::db::Remembered;
use crate::ids::TokenId;
use crate::tokens::Principal;

/// A caller in a repository: all that a decision about them needs.
#[derive(Debug, Clone)]
pub struct Standing {
    pub target: RepoTarget,
    pub facts: Facts,
    pub reach: Reach,
}

/// The memory of one node, by the rights of the moment: see [`crate::db::State`].
#[derive(Default)]
pub struct Known {
    /// By the hash of the token that a caller presents.
    pub callers: Remembered<[u8; 32], Arc<Principal>>,
    /// By a token, and a repository as its address spells it.
    pub standings: Remembered<(TokenId, String), Arc<Standing>>,
}
