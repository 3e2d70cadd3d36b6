//! Callers and their access to repositories, cached until the generation of rights moves
//! (docs/decisions/0073-cache-invalidation.md).

use std::sync::Arc;

use super::{Facts, Grant, RepoTarget};
use crate::tokens::Principal;
use plinth_base::ids::TokenId;
use plinth_store::GenerationCache;

/// A caller in a repository: all that a decision about them needs.
#[derive(Debug, Clone)]
pub struct RepositoryAccess {
    pub target: RepoTarget,
    pub facts: Facts,
    pub grant: Grant,
}

/// An entry holds until the generation of rights moves: see [`plinth_store::Generations`].
#[derive(Default)]
pub struct AuthorizationCache {
    /// By the hash of the token that a caller presents.
    pub callers: GenerationCache<[u8; 32], Arc<Principal>>,
    /// By a token, and by owner and name as the caller wrote them.
    pub repositories: GenerationCache<(TokenId, String), Arc<RepositoryAccess>>,
}
