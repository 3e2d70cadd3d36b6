//! Browsers that sign in with a code: devices of no app, which get a session of the pages instead of a token.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_store::Transaction;

use super::model::{DeviceCode, OAuthError};
use super::operations::{Codes, insert_code};
use super::{rules, store};
use crate::Core;
use crate::access::{NoTarget, WriteAccess};
use crate::tokens::{self, NewToken, Scopes, Secret, TokenKind, TokenSpec};
use crate::web_sessions::operations as sessions;

/// Creates the codes for a browser that asks for these scopes.
pub async fn create_code(
    core: &Core,
    access: &WriteAccess<NoTarget>,
    scopes: &str,
) -> Result<Result<Codes, OAuthError>> {
    match rules::scopes(scopes) {
        Ok(scopes) => insert_code(core, access, None, scopes.to_string()).await.map(Ok),
        Err(error) => Ok(Err(error)),
    }
}

/// The code of a browser, and whether its user has decided. Nothing changes.
pub async fn find_code(core: &Core, device_code: &str) -> Result<Option<(DeviceCode, Result<(), OAuthError>)>> {
    let found = store::find_of_browser(&mut core.read().await?, &tokens::hash(device_code)).await?;
    Ok(found.map(|code| {
        let decided = rules::check_code(&code, core.clock.now()).map(drop);
        (code, decided)
    }))
}

/// Exchanges an approved code for a session, once.
pub async fn sign_in(
    core: &Core,
    access: &WriteAccess<NoTarget>,
    device_code: &str,
) -> Result<Result<Secret, OAuthError>> {
    access
        .write((tokens::hash(device_code), core.clock.now()), |tx, (hash, now)| Box::pin(exchange(tx, *hash, *now)))
        .await
}

/// Nobody learns the token: it exists so that an operator sees the session and can end it.
async fn exchange(tx: &mut Transaction, hash: [u8; 32], now: Timestamp) -> Result<Result<Secret, OAuthError>> {
    let Some(code) = store::find_of_browser(tx, &hash).await? else { return Ok(Err(OAuthError::IncorrectDeviceCode)) };
    let user = match rules::check_code(&code, now) {
        Ok(user) => user,
        Err(error) => return Ok(Err(error)),
    };
    store::delete(tx, code.id).await?;
    let new = NewToken {
        secret: Secret::generate(TokenKind::OAuth),
        grant: TokenSpec::OAuth { user, scopes: Scopes::parse(&code.scopes), app: None },
        note: Some("browser".into()),
        expires_at: Some(now.plus_seconds(sessions::LIFETIME_SECONDS)),
    };
    let token = tokens::store::insert(tx, &new, now).await?;
    sessions::insert(tx, token, now).await.map(Ok)
}
