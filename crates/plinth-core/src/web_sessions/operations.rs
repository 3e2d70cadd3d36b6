//! Signing in and out, and the principal of a session.

use std::sync::Arc;

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::TokenId;
use plinth_store::Transaction;

use super::store;
use crate::Core;
use crate::access::{BAD_CREDENTIALS, NoTarget, WriteAccess};
use crate::tokens::{self, Principal, Secret, random_text};

/// A browser signs in again after this time, even if its token lives longer.
pub const LIFETIME_SECONDS: i64 = 30 * 24 * 60 * 60;
/// More than 128 random bits.
const ID_LENGTH: usize = 40;

/// Creates a session for the token of the caller.
pub async fn create(core: &Core, access: &WriteAccess<NoTarget>) -> Result<Secret> {
    let token = access.caller().token_id().ok_or(Error::Unauthenticated(BAD_CREDENTIALS))?;
    access.write((token, core.clock.now()), |tx, (token, now)| Box::pin(insert(tx, *token, *now))).await
}

/// Stores a new session for a token.
pub async fn insert(tx: &mut Transaction, token: TokenId, now: Timestamp) -> Result<Secret> {
    let id = Secret::new(random_text(ID_LENGTH));
    store::insert(tx, &hash(id.reveal()), token, (now, now.plus_seconds(LIFETIME_SECONDS))).await?;
    Ok(id)
}

/// Ends a session. One that does not exist has ended already.
pub async fn delete(access: &WriteAccess<NoTarget>, id: &str) -> Result<()> {
    let ended = access.write(hash(id), |tx, hash| Box::pin(async move { Ok(store::delete(tx, hash).await?) }));
    ended.await.map(drop)
}

/// The principal of a session; `None` if the session or its token has ended.
pub async fn find(core: &Core, id: &str) -> Result<Option<Arc<Principal>>> {
    let now = core.clock.now();
    let mut db = core.read().await?;
    let Some(token) = store::find(&mut db, &hash(id), now).await? else { return Ok(None) };
    let found = tokens::store::find_principal_again(&mut db, token).await?;
    let valid = found.filter(|principal| !is_expired(core, principal, token));
    Ok(valid.map(Arc::new))
}

/// A token that was once found expired stays expired, even if the clock is set back.
fn is_expired(core: &Core, principal: &Principal, token: TokenId) -> bool {
    let expired = principal.is_expired(core.clock.now(), &core.expired_tokens);
    if expired {
        core.expired_tokens.add(token);
    }
    expired
}

/// The stored form of an id. The prefix keeps the hashes apart from those of tokens.
fn hash(id: &str) -> [u8; 32] {
    tokens::hash(&format!("web session {id}"))
}
