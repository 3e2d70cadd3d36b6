//! Callers and their access to repositories, cached until rights change
//! (docs/decisions/0132-cache-invalidation-by-scope.md).

use std::sync::Arc;

use super::{Facts, Grant, RepoTarget};
use crate::tokens::{Permissions, Principal, UserLimits};
use plinth_base::ids::TokenId;
use plinth_store::{GenerationCache, Store};

const BYTES_MAX: usize = 8 << 20;
/// A list of names takes at most so many times the bytes of its text.
const LIST_FACTOR: usize = 8;

/// A caller in a repository: all that a decision about them needs.
#[derive(Debug, Clone)]
pub struct RepositoryAccess {
    pub target: RepoTarget,
    pub facts: Facts,
    pub grant: Grant,
}

/// Entries are valid until rights change: see [`plinth_store::Dependency::Rights`].
pub struct AuthorizationCache {
    /// By the hash of the caller's token.
    pub callers: GenerationCache<[u8; 32], Arc<Principal>>,
    /// By the caller's token, and by owner and name as the caller wrote them.
    pub repositories: GenerationCache<(TokenId, String), Arc<RepositoryAccess>>,
}

impl AuthorizationCache {
    pub fn new(store: &Store) -> Self {
        let generations = store.generation_table();
        Self {
            callers: GenerationCache::new(generations.clone(), BYTES_MAX, |_, caller| principal_bytes(caller)),
            repositories: GenerationCache::new(generations.clone(), BYTES_MAX, |(_, name), access| {
                name.len() + access_bytes(access)
            }),
        }
    }
}

fn principal_bytes(principal: &Principal) -> usize {
    let heap = match principal {
        Principal::User(token) => token.login.len() + limits_bytes(&token.limits),
        Principal::Installation(token) => permissions_bytes(&token.permissions),
        Principal::App(app) => app.key.len(),
        Principal::Anonymous => 0,
    };
    size_of::<Principal>() + heap
}

fn limits_bytes(limits: &UserLimits) -> usize {
    match limits {
        UserLimits::Classic(scopes) | UserLimits::OAuth { scopes, .. } => scopes.to_string().len() * LIST_FACTOR,
        UserLimits::FineGrained { permissions, .. } => permissions_bytes(permissions),
        UserLimits::AppUser { .. } => 0,
    }
}

fn permissions_bytes(permissions: &Permissions) -> usize {
    permissions.to_text().len() * LIST_FACTOR
}

fn access_bytes(access: &RepositoryAccess) -> usize {
    let repo = &access.target.repo;
    let texts = [&repo.owner_login, &repo.name, &repo.default_branch].map(|text| text.len());
    let description = repo.description.as_ref().map_or(0, String::len);
    let permissions = match &access.grant {
        Grant::Inside(permissions) => permissions_bytes(permissions),
        Grant::Everywhere | Grant::Outside | Grant::Suspended => 0,
    };
    size_of::<RepositoryAccess>() + texts.iter().sum::<usize>() + description + permissions
}
