//! Authentication: finds the principal of a credential.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::GenerationCache;

use super::BAD_CREDENTIALS;
use crate::tokens::{self, AppSignature, JwtError, Principal};
use crate::{Core, apps};

/// Principals by the hash of their token; an entry is valid for one generation of rights, so a revoked token or a changed
/// permission is seen by the next request. Expiry is checked on every use.
pub type CallerCache = GenerationCache<[u8; 32], Arc<Principal>>;

/// The principal of a token. `generation` is the generation of rights from before this call.
pub async fn find_token(core: &Core, token: &str, generation: Option<u64>) -> Result<Arc<Principal>> {
    let (hash, now) = (tokens::hash(token), core.clock.now());
    let cached = generation.and_then(|generation| core.caller_cache.get(generation, &hash));
    if let Some(caller) = cached.filter(|caller| !caller.is_expired(now, &core.expired_tokens)) {
        return Ok(caller);
    }
    let mut db = core.read().await?;
    let found = tokens::store::find_principal(&mut db, &hash, now, &core.expired_tokens).await?;
    let caller = Arc::new(found.ok_or(Error::Unauthenticated(BAD_CREDENTIALS))?);
    if let Some(generation) = generation {
        core.caller_cache.keep(generation, hash, caller.clone());
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
