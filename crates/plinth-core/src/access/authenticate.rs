//! Authentication: finds the principal of a credential.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{Dependency, GenerationCache, Generations, Store};

use super::BAD_CREDENTIALS;
use crate::caches::{CacheName, DisabledCaches};
use crate::tokens::{self, AppSignature, JwtError, Permissions, Principal, UserLimits};
use crate::{Core, apps};

/// Principals by the hash of their token; an entry is valid until rights change, so a revoked token or a changed permission
/// is seen by the next request. Expiry is checked on every use.
pub type CallerCache = GenerationCache<[u8; 32], Arc<Principal>>;

const CALLER_CACHE_BYTES: usize = 8 << 20;

pub fn new_caller_cache(store: &Store, disabled: &DisabledCaches) -> CallerCache {
    let bytes = disabled.capacity(CacheName::Callers, CALLER_CACHE_BYTES);
    GenerationCache::new(store.generation_table().clone(), bytes, |_, caller| principal_bytes(caller))
}

/// What a principal takes in a cache.
pub fn principal_bytes(principal: &Principal) -> usize {
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

/// A list of names takes at most so many times the bytes of its text.
const LIST_FACTOR: usize = 8;

pub(crate) fn permissions_bytes(permissions: &Permissions) -> usize {
    permissions.to_text().len() * LIST_FACTOR
}

/// The principal of a token. `generations` are from before this call.
pub async fn find_token(core: &Core, token: &str, generations: Option<Generations>) -> Result<Arc<Principal>> {
    let (hash, now) = (tokens::hash(token), core.clock.now());
    let cached = generations.and_then(|_| core.caller_cache.get(&hash));
    if let Some(caller) = cached.filter(|caller| !caller.is_expired(now, &core.expired_tokens)) {
        return Ok(caller);
    }
    // Boxed, because requests with a cached caller would have space for this future, too.
    Box::pin(look_up_token(core, hash, generations)).await
}

async fn look_up_token(core: &Core, hash: [u8; 32], generations: Option<Generations>) -> Result<Arc<Principal>> {
    let now = core.clock.now();
    let mut db = core.read().await?;
    let found = tokens::store::find_principal(&mut db, &hash, now, &core.expired_tokens).await?;
    let caller = Arc::new(found.ok_or(Error::Unauthenticated(BAD_CREDENTIALS))?);
    if let Some(generations) = generations {
        core.caller_cache.insert(generations, Dependency::Rights, hash, caller.clone());
    }
    Ok(caller)
}

/// The app that signed a JSON web token.
pub async fn find_app(core: &Core, token: &str) -> Result<Principal> {
    let rejected = |error: JwtError| Error::Unauthenticated(error.message());
    let issuer = tokens::claimed_issuer(token).map_err(rejected)?;
    let mut db = core.read().await?;
    let Some(id) = apps::store::find_by_issuer(&mut db, &issuer).await? else {
        return Err(rejected(JwtError::NotDecodable));
    };
    let keys = apps::store::list_keys(&mut db, id).await?;
    let now = core.clock.now();
    for key in keys {
        match tokens::verify_jwt(token, std::slice::from_ref(&key), now) {
            Ok(()) => return Ok(Principal::App(AppSignature { app: id, key })),
            // Not signed with this key.
            Err(JwtError::NotDecodable) => {}
            Err(other) => return Err(rejected(other)),
        }
    }
    Err(rejected(JwtError::NotDecodable))
}
