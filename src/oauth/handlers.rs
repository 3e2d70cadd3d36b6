//! Steps of signing in.

use subtle::ConstantTimeEq;

use super::body::Form;
use super::model::{Answer, Approval, Decision, DeviceCode, INTERVAL_SECONDS, LIFETIME_SECONDS, Refusal};
use super::store::NewDeviceCode;
use super::{approval, json, rules, store};
use crate::api::access::table::{ApproveDevice, CreateDeviceCode, CreateOAuthToken, GetDevice};
use crate::api::access::{Allowed, NoTarget, OwnAccount};
use crate::api::body::Json;
use crate::api::reply::Reply;
use crate::app::App;
use crate::apps::{self, AppKind};
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::tokens::{
    self, Grant, NewToken, Principal, Scopes, Secret, TokenKind, UserLimits, random_letters, random_text,
};

const DEVICE_CODE_LENGTH: usize = 40;
const USER_CODE_HALF: usize = 4;

pub async fn create_code(access: Allowed<CreateDeviceCode, NoTarget>, app: App, form: Form) -> Result<Reply> {
    let refuse = |refusal| Ok(json::refused(refusal, form.encoding, access.urls()));
    let client_id = form.get("client_id").unwrap_or_default();
    let found = apps::store::find_by_client_id(&mut app.store.read().await?, client_id).await?;
    let Some(client) = found else { return refuse(Refusal::IncorrectClientCredentials) };
    let scopes = match rules::scopes(form.get("scope").unwrap_or_default()) {
        Ok(scopes) => scopes,
        Err(refusal) => return refuse(refusal),
    };
    let device_code = random_text(DEVICE_CODE_LENGTH);
    let user_code = format!("{}-{}", random_letters(USER_CODE_HALF), random_letters(USER_CODE_HALF));
    let context = (tokens::hash(&device_code), user_code.clone(), client, scopes, app.clock.now());
    access
        .write(&app.store, context, |tx, (hash, user_code, client, scopes, now)| {
            Box::pin(insert(tx, *hash, user_code, client, scopes, *now))
        })
        .await?;
    Ok(json::device_code(&device_code, &user_code, form.encoding, access.urls()))
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

pub async fn create_token(access: Allowed<CreateOAuthToken, NoTarget>, app: App, form: Form) -> Result<Reply> {
    let text = |name| form.get(name).map(str::to_owned);
    let refusal = match form.get("grant_type") {
        Some(rules::GRANT_TYPE) => None,
        None if form.get("code").is_some() => Some(Refusal::BadVerificationCode),
        _ => Some(Refusal::UnsupportedGrantType),
    };
    let context = (text("client_id"), text("client_secret"), text("device_code"), app.clock.now());
    let answer = match refusal {
        Some(refusal) => Answer::Refused(refusal),
        None => {
            access
                .write(&app.store, context, |tx, (client_id, client_secret, device_code, now)| {
                    let device_code = device_code.as_deref().unwrap_or_default();
                    let client_id = client_id.as_deref().unwrap_or_default();
                    Box::pin(exchange(tx, client_id, client_secret.as_deref(), device_code, *now))
                })
                .await?
        }
    };
    Ok(json::answer(&answer, form.encoding, access.urls()))
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
        AppKind::GitHubApp => (TokenKind::AppUser, Grant::AppUser { user, app: client.id }),
        AppKind::OAuth => (TokenKind::OAuth, Grant::OAuth { user, scopes: scopes.clone(), app: Some(client.id) }),
    };
    let secret = Secret::generate(kind);
    let note = Some(format!("device of {}", client.name));
    tokens::store::insert(tx, &NewToken { secret: secret.clone(), grant, note, expires_at: None }, now).await?;
    Ok(Answer::Token { secret, scope: scopes.to_string().replace(", ", ",") })
}

/// The first step of approving: what the device would get, and from whom.
pub async fn preview(access: Allowed<GetDevice, OwnAccount>, app: App) -> Result<Reply> {
    let typed = access.exchange().query("user_code").ok_or(Error::NotFound)?;
    let OwnAccount(user) = &access.target;
    let request = approval::find(&mut app.store.read().await?, &typed, user.id, app.clock.now()).await?;
    let missing = rules::missing_scopes(held(access.caller())?, &request.app, &request.scopes);
    Ok(Reply::ok(&json::Preview::new(&typed, user, &request, missing, access.urls())).without_storing())
}

/// The table admits only classic tokens to approving.
fn held(caller: &Principal) -> Result<&Scopes> {
    match caller.user().map(|token| &token.limits) {
        Some(UserLimits::Classic(scopes)) => Ok(scopes),
        _ => Err(Error::internal("the table admits only classic tokens here")),
    }
}

pub async fn approve(
    access: Allowed<ApproveDevice, OwnAccount>,
    app: App,
    Json(approval): Json<Approval>,
) -> Result<Reply> {
    access
        .write_current(&app.store, (approval, app.clock.now()), |tx, current, (approval, now)| {
            Box::pin(async move {
                let OwnAccount(user) = &current.target;
                decide(tx, user.id, approval, Some(held(&current.caller)?), *now).await
            })
        })
        .await?;
    Ok(Reply::no_content())
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
