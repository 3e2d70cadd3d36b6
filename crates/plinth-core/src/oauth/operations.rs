//! The device flow: codes, tokens and approvals, each in one transaction.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::Transaction;
use subtle::ConstantTimeEq;

use super::approval::{self, Request};
use super::model::{Answer, Approval, Decision, DeviceCode, INTERVAL_SECONDS, LIFETIME_SECONDS, Refusal};
use super::store::NewDeviceCode;
use super::{rules, store};
use crate::Core;
use crate::access::{NoTarget, OwnAccount, WriteAccess};
use crate::apps::{self, AppKind};
use crate::tokens::{
    self, NewToken, Principal, Scopes, Secret, TokenKind, TokenSpec, UserLimits, random_letters, random_text,
};

const DEVICE_CODE_LENGTH: usize = 40;
const USER_CODE_HALF: usize = 4;

/// The two codes of a device: the one that it keeps, and the one that its user types.
pub struct Codes {
    pub device_code: String,
    pub user_code: String,
}

/// Creates the codes of a device that wants to sign in.
pub async fn create_code(
    core: &Core,
    access: &WriteAccess<NoTarget>,
    client_id: &str,
    scopes: &str,
) -> Result<Result<Codes, Refusal>> {
    let found = apps::store::find_by_client_id(&mut core.read().await?, client_id).await?;
    let Some(client) = found else { return Ok(Err(Refusal::IncorrectClientCredentials)) };
    let scopes = match rules::scopes(scopes) {
        Ok(scopes) => scopes,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let device_code = random_text(DEVICE_CODE_LENGTH);
    let user_code = format!("{}-{}", random_letters(USER_CODE_HALF), random_letters(USER_CODE_HALF));
    let context = (tokens::hash(&device_code), user_code.clone(), client, scopes, core.clock.now());
    access
        .write(context, |tx, (hash, user_code, client, scopes, now)| {
            Box::pin(insert(tx, *hash, user_code, client, scopes, *now))
        })
        .await?;
    Ok(Ok(Codes { device_code, user_code }))
}

/// Stores a new code; the permissions of a GitHub App take the place of scopes.
async fn insert(
    tx: &mut Transaction,
    hash: [u8; 32],
    user_code: &str,
    client: &apps::App,
    scopes: &Scopes,
    now: Timestamp,
) -> Result<()> {
    let scopes = match client.kind {
        AppKind::OAuth => scopes.to_string(),
        AppKind::GitHubApp => String::new(),
    };
    let new = NewDeviceCode {
        hash,
        user_code,
        app: client.id,
        scopes: &scopes,
        interval_seconds: INTERVAL_SECONDS,
        expires_at: now.plus_seconds(LIFETIME_SECONDS),
    };
    store::insert(tx, &new, now).await
}

/// What a device sends to get its token.
#[derive(Debug, Clone, Default)]
pub struct TokenRequest {
    pub grant_type: Option<String>,
    pub code: Option<String>,
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    pub device_code: Option<String>,
}

/// Exchanges a device code for a token.
pub async fn create_token(core: &Core, access: &WriteAccess<NoTarget>, request: TokenRequest) -> Result<Answer> {
    match request.grant_type.as_deref() {
        Some(rules::GRANT_TYPE) => {}
        None if request.code.is_some() => return Ok(Answer::Refused(Refusal::BadVerificationCode)),
        _ => return Ok(Answer::Refused(Refusal::UnsupportedGrantType)),
    }
    access
        .write((request, core.clock.now()), |tx, (request, now)| {
            let device_code = request.device_code.as_deref().unwrap_or_default();
            let client_id = request.client_id.as_deref().unwrap_or_default();
            Box::pin(exchange(tx, client_id, request.client_secret.as_deref(), device_code, *now))
        })
        .await
}

/// Turns a code that was approved into a token, once; whatever else is the case is told and noted.
async fn exchange(
    tx: &mut Transaction,
    client_id: &str,
    client_secret: Option<&str>,
    device_code: &str,
    now: Timestamp,
) -> Result<Answer> {
    let Some(client) = apps::store::find_by_client_id(tx, client_id).await? else {
        return Ok(Answer::Refused(Refusal::IncorrectClientCredentials));
    };
    if !is_secret_good(tx, &client, client_secret).await? {
        return Ok(Answer::Refused(Refusal::IncorrectClientCredentials));
    }
    let Some(code) = store::find(tx, &tokens::hash(device_code), client.id).await? else {
        return Ok(Answer::Refused(Refusal::IncorrectDeviceCode));
    };
    match rules::judge(&code, now) {
        Ok(user) => grant(tx, &client, &code, user, now).await,
        Err(refusal) => {
            let interval = match refusal {
                Refusal::SlowDown { interval } => interval,
                _ => code.interval_seconds,
            };
            store::update_polled(tx, code.id, now, interval).await?;
            Ok(Answer::Refused(refusal))
        }
    }
}

/// Devices keep no secrets, so none is asked for; one that is sent must be right.
async fn is_secret_good(tx: &mut Transaction, client: &apps::App, sent: Option<&str>) -> Result<bool> {
    let Some(sent) = sent else { return Ok(true) };
    let kept = apps::store::find_client_secret_hash(tx, client.id).await?;
    Ok(kept.is_some_and(|kept| bool::from(kept.ct_eq(&tokens::hash(sent)))))
}

async fn grant(
    tx: &mut Transaction,
    client: &apps::App,
    code: &DeviceCode,
    user: AccountId,
    now: Timestamp,
) -> Result<Answer> {
    store::delete(tx, code.id).await?;
    let scopes = Scopes::parse(&code.scopes);
    let (kind, grant) = match client.kind {
        AppKind::GitHubApp => (TokenKind::AppUser, TokenSpec::AppUser { user, app: client.id }),
        AppKind::OAuth => (TokenKind::OAuth, TokenSpec::OAuth { user, scopes: scopes.clone(), app: Some(client.id) }),
    };
    let secret = Secret::generate(kind);
    let note = Some(format!("device of {}", client.name));
    tokens::store::insert(tx, &NewToken { secret: secret.clone(), grant, note, expires_at: None }, now).await?;
    Ok(Answer::Token { secret, scope: scopes.to_string().replace(", ", ",") })
}

/// The first step of approving: what the device would get, and which of that the caller's token lacks.
pub async fn preview(
    core: &Core,
    caller: &Principal,
    user: AccountId,
    user_code: &str,
) -> Result<(Request, Vec<String>)> {
    let request = approval::find(&mut core.read().await?, user_code, user, core.clock.now()).await?;
    let missing = rules::missing_scopes(scopes_of(caller)?, &request.app, &request.scopes);
    Ok((request, missing))
}

/// The second step: records what the caller says about a device.
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

/// The table admits only classic tokens to approving.
fn scopes_of(caller: &Principal) -> Result<&Scopes> {
    match caller.user().map(|token| &token.limits) {
        Some(UserLimits::Classic(scopes)) => Ok(scopes),
        _ => Err(Error::internal("the table admits only classic tokens here")),
    }
}

/// Notes what a user says about a device. A token that says it can give away no more than it has; the operator of the
/// service, who has none, anything.
pub async fn decide(
    tx: &mut Transaction,
    user: AccountId,
    approval: &Approval,
    held: Option<&Scopes>,
    now: Timestamp,
) -> Result<()> {
    let request = approval::find(tx, &approval.user_code, user, now).await?;
    if approval.decision == Decision::Approve {
        if let Some(held) = held {
            rules::check_may_approve(held, &request.app, &request.scopes)?;
        }
        rules::check_confirmation(approval.confirmation.as_deref(), &request.confirmation)?;
    }
    Ok(store::update_decision(tx, request.code.id, approval.decision, Some(user)).await?)
}
