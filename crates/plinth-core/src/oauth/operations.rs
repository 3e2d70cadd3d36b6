//! The device flow: codes, tokens and approvals, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, AppId};
use plinth_store::{Connection, Transaction};
use subtle::ConstantTimeEq;

use super::model::{
    ApprovalRequest, Decision, DeviceCode, INTERVAL_SECONDS, LIFETIME_SECONDS, OAuthError, RequestingApp, TokenOutcome,
};
use super::store::NewDeviceCode;
use super::{Approval, TokenRequest, rules, store};
use crate::access::{NoTarget, OwnAccount, WriteAccess};
use crate::apps::{self, AppKind};
use crate::tokens::{
    self, NewToken, Principal, Scopes, Secret, TokenKind, TokenSpec, UserLimits, random_letters, random_text,
};
use crate::{Core, accounts};

const DEVICE_CODE_LENGTH: usize = 40;
const USER_CODE_HALF: usize = 4;

/// The two codes of a device: its own, and the one that the user types.
pub struct Codes {
    pub device_code: String,
    pub user_code: String,
}

/// Creates the codes for a device.
pub async fn create_code(
    core: &Core,
    access: &WriteAccess<NoTarget>,
    client_id: &str,
    scopes: &str,
) -> Result<Result<Codes, OAuthError>> {
    let found = apps::store::find_by_client_id(&mut core.read().await?, client_id).await?;
    let Some(client) = found else { return Ok(Err(OAuthError::IncorrectClientCredentials)) };
    let scopes = match rules::scopes(scopes) {
        Ok(scopes) => scopes,
        Err(error) => return Ok(Err(error)),
    };
    // A GitHub App has permissions instead.
    let scopes = match client.kind {
        AppKind::OAuth => scopes.to_string(),
        AppKind::GitHubApp => String::new(),
    };
    insert_code(core, access, Some(client.id), scopes).await.map(Ok)
}

/// Stores new codes of a device of an app, or of a browser.
pub(super) async fn insert_code(
    core: &Core,
    access: &WriteAccess<NoTarget>,
    app: Option<AppId>,
    scopes: String,
) -> Result<Codes> {
    let device_code = random_text(DEVICE_CODE_LENGTH);
    let user_code = format!("{}-{}", random_letters(USER_CODE_HALF), random_letters(USER_CODE_HALF));
    let context = (tokens::hash(&device_code), user_code.clone(), app, scopes, core.clock.now());
    access
        .write(context, |tx, (hash, user_code, app, scopes, now)| {
            Box::pin(async move {
                let (interval_seconds, expires_at) = (INTERVAL_SECONDS, now.plus_seconds(LIFETIME_SECONDS));
                let new = NewDeviceCode { hash: *hash, user_code, app: *app, scopes, interval_seconds, expires_at };
                store::insert(tx, &new, *now).await
            })
        })
        .await?;
    Ok(Codes { device_code, user_code })
}

/// Exchanges a device code for a token.
pub async fn create_token(core: &Core, access: &WriteAccess<NoTarget>, request: TokenRequest) -> Result<TokenOutcome> {
    match request.grant_type.as_deref() {
        Some(rules::GRANT_TYPE) => {}
        None if request.code.is_some() => return Ok(TokenOutcome::Rejected(OAuthError::BadVerificationCode)),
        _ => return Ok(TokenOutcome::Rejected(OAuthError::UnsupportedGrantType)),
    }
    access
        .write((request, core.clock.now()), |tx, (request, now)| {
            let device_code = request.device_code.as_deref().unwrap_or_default();
            let client_id = request.client_id.as_deref().unwrap_or_default();
            Box::pin(exchange(tx, client_id, request.client_secret.as_deref(), device_code, *now))
        })
        .await
}

/// Exchanges an approved code for a token, once; otherwise records the poll and returns the error.
async fn exchange(
    tx: &mut Transaction,
    client_id: &str,
    client_secret: Option<&str>,
    device_code: &str,
    now: Timestamp,
) -> Result<TokenOutcome> {
    let Some(client) = apps::store::find_by_client_id(tx, client_id).await? else {
        return Ok(TokenOutcome::Rejected(OAuthError::IncorrectClientCredentials));
    };
    if !is_secret_valid(tx, &client, client_secret).await? {
        return Ok(TokenOutcome::Rejected(OAuthError::IncorrectClientCredentials));
    }
    let Some(code) = store::find(tx, &tokens::hash(device_code), client.id).await? else {
        return Ok(TokenOutcome::Rejected(OAuthError::IncorrectDeviceCode));
    };
    match rules::check_code(&code, now) {
        Ok(user) => grant(tx, &client, &code, user, now).await,
        Err(error) => {
            let interval = match error {
                OAuthError::SlowDown { interval } => interval,
                _ => code.interval_seconds,
            };
            store::update_polled(tx, code.id, now, interval).await?;
            Ok(TokenOutcome::Rejected(error))
        }
    }
}

/// Devices cannot keep a secret, so none is required; one that is sent must be correct.
async fn is_secret_valid(tx: &mut Transaction, client: &apps::App, sent: Option<&str>) -> Result<bool> {
    let Some(sent) = sent else { return Ok(true) };
    let stored = apps::store::find_client_secret_hash(tx, client.id).await?;
    Ok(stored.is_some_and(|stored| bool::from(stored.ct_eq(&tokens::hash(sent)))))
}

async fn grant(
    tx: &mut Transaction,
    client: &apps::App,
    code: &DeviceCode,
    user: AccountId,
    now: Timestamp,
) -> Result<TokenOutcome> {
    store::delete(tx, code.id).await?;
    let scopes = Scopes::parse(&code.scopes);
    let (kind, grant) = match client.kind {
        AppKind::GitHubApp => (TokenKind::AppUser, TokenSpec::AppUser { user, app: client.id }),
        AppKind::OAuth => (TokenKind::OAuth, TokenSpec::OAuth { user, scopes: scopes.clone(), app: Some(client.id) }),
    };
    let secret = Secret::generate(kind);
    let note = Some(format!("device of {}", client.name));
    tokens::store::insert(tx, &NewToken { secret: secret.clone(), grant, note, expires_at: None }, now).await?;
    Ok(TokenOutcome::Token { secret, scope: scopes.to_string().replace(", ", ",") })
}

/// The pending request with this user code, for approval by `user`.
pub async fn find_request(
    db: &mut Connection,
    typed: &str,
    user: AccountId,
    now: Timestamp,
) -> Result<ApprovalRequest> {
    let code = store::find_undecided(db, &rules::user_code(typed), now).await?.ok_or(Error::NotFound)?;
    let app = match code.app_id {
        Some(id) => Some(find_app(db, id).await?),
        None => None,
    };
    let scopes = Scopes::parse(&code.scopes);
    let confirmation = rules::confirmation(user, app.as_ref().map(|requesting| &requesting.app), &scopes);
    Ok(ApprovalRequest { code, app, scopes, confirmation })
}

async fn find_app(db: &mut Connection, id: AppId) -> Result<RequestingApp> {
    let app = apps::store::find(db, id).await?.ok_or(Error::NotFound)?;
    let owner = accounts::store::find(db, app.owner_id).await?.ok_or(Error::NotFound)?.login;
    Ok(RequestingApp { app, owner })
}

/// The first step of an approval: what the device would get, and the scopes for it that the caller's token lacks.
pub async fn preview(
    core: &Core,
    caller: &Principal,
    user: AccountId,
    user_code: &str,
) -> Result<(ApprovalRequest, Vec<String>)> {
    let request = find_request(&mut core.read().await?, user_code, user, core.clock.now()).await?;
    let app = request.app.as_ref().map(|requesting| &requesting.app);
    let missing = rules::missing_scopes(scopes_of(caller)?, app, &request.scopes);
    Ok((request, missing))
}

/// The second step: records the caller's decision.
pub async fn approve(core: &Core, access: &WriteAccess<OwnAccount>, approval: Approval) -> Result<()> {
    access
        .write_current((approval, core.clock.now()), |tx, current, (approval, now)| {
            Box::pin(async move {
                let OwnAccount(user) = &current.target;
                decide(tx, user.id, approval, Some(scopes_of(&current.caller)?), *now).await
            })
        })
        .await
}

/// The policy table admits only classic tokens.
fn scopes_of(caller: &Principal) -> Result<&Scopes> {
    match caller.user().map(|token| &token.limits) {
        Some(UserLimits::Classic(scopes)) => Ok(scopes),
        _ => Err(Error::internal("the policy table admits only classic tokens here")),
    }
}

/// Records a user's decision about a device. A token can grant only scopes that it has itself; the operator, who has no
/// token, can grant any.
pub async fn decide(
    tx: &mut Transaction,
    user: AccountId,
    approval: &Approval,
    token_scopes: Option<&Scopes>,
    now: Timestamp,
) -> Result<()> {
    let request = find_request(tx, &approval.user_code, user, now).await?;
    if approval.decision == Decision::Approve {
        if let Some(token_scopes) = token_scopes {
            let app = request.app.as_ref().map(|requesting| &requesting.app);
            rules::check_may_approve(token_scopes, app, &request.scopes)?;
        }
        rules::check_confirmation(approval.confirmation.as_deref(), &request.confirmation)?;
    }
    Ok(store::update_decision(tx, request.code.id, approval.decision, Some(user)).await?)
}
