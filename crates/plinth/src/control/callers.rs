//! Who sent a request.

use http::HeaderMap;

use super::requests::Caller;
use plinth_api::app::App;
use plinth_api::middleware::authenticate;
use plinth_base::ids::AccountId;
use plinth_core::tokens::{Principal, UserLimits};
use plinth_core::{accounts, apps};

/// Nothing for a request without a valid credential.
pub async fn find(app: &App, headers: &HeaderMap) -> Option<Caller> {
    let principal = authenticate(app, headers, None).await.ok()?;
    match principal.as_ref() {
        Principal::Anonymous => None,
        Principal::User(token) => Some(Caller { name: token.login.clone(), credential: credential(&token.limits) }),
        Principal::Installation(token) => {
            Some(Caller { name: login(app, token.bot).await?, credential: "installation" })
        }
        Principal::App(signature) => {
            let found = apps::store::find(&mut app.read().await.ok()?, signature.app).await.ok()??;
            Some(Caller { name: found.slug, credential: "app" })
        }
    }
}

fn credential(limits: &UserLimits) -> &'static str {
    match limits {
        UserLimits::Classic(_) => "classic",
        UserLimits::OAuth { .. } => "oauth",
        UserLimits::FineGrained { .. } => "fine_grained",
        UserLimits::AppUser { .. } => "app_user",
    }
}

async fn login(app: &App, account: AccountId) -> Option<String> {
    Some(accounts::store::find(&mut app.read().await.ok()?, account).await.ok()??.login)
}
