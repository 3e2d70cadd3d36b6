//! From a credential to the principal that a request acts as.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{Dependency, Generations};

use super::BAD_CREDENTIALS;
use crate::tokens::{self, AppSignature, JwtError, Principal};
use crate::{Core, apps};

/// The principal of a token. `generations` are from before this.
pub async fn find_token(core: &Core, token: &str, generations: Option<Generations>) -> Result<Arc<Principal>> {
    let (hash, now) = (tokens::hash(token), core.clock.now());
    let cached = generations.and_then(|_| core.authorization_cache.callers.get(&hash));
    if let Some(caller) = cached.filter(|caller| !caller.is_expired(now, &core.expired_tokens)) {
        return Ok(caller);
    }
    let mut db = core.read().await?;
    let found = tokens::store::find_principal(&mut db, &hash, now, &core.expired_tokens).await?;
    let caller = Arc::new(found.ok_or(Error::Unauthenticated(BAD_CREDENTIALS))?);
    if let Some(generations) = generations {
        core.authorization_cache.callers.insert(generations, Dependency::Rights, hash, caller.clone());
    }
    Ok(caller)
}

/// The app that signed a JSON web token.
pub async fn find_app(core: &Core, token: &str) -> Result<Principal> {
    let refuse = |error: JwtError| Error::Unauthenticated(error.message());
    let issuer = tokens::claimed_issuer(token).map_err(refuse)?;
    let mut db = core.read().await?;
    let Some(id) = apps::store::find_by_issuer(&mut db, &issuer).await? else {
        return Err(refuse(JwtError::NotDecodable));
    };
    let keys = apps::store::list_keys(&mut db, id).await?;
    let now = core.clock.now();
    for key in keys {
        match tokens::verify_jwt(token, std::slice::from_ref(&key), now) {
            Ok(()) => return Ok(Principal::App(AppSignature { app: id, key })),
            // Signed with another key, if with any.
            Err(JwtError::NotDecodable) => {}
            Err(other) => return Err(refuse(other)),
        }
    }
    Err(refuse(JwtError::NotDecodable))
}
