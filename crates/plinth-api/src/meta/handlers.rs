//! Steps of the operations about the service itself.

use super::json;
use crate::app::App;
use crate::policy::Allowed;
use crate::policy::table::{GetMeta, GetRateLimit, GetRoot, ListVersions};
use crate::request::version::Version;
use crate::response::reply::Reply;
use plinth_base::error::Result;
use plinth_core::access::NoTarget;
use plinth_core::rate_limit::Payer;

pub async fn root(access: Allowed<GetRoot, NoTarget>) -> Result<Reply> {
    Ok(Reply::ok(&json::root(access.urls())))
}

pub async fn meta(_: Allowed<GetMeta, NoTarget>) -> Result<Reply> {
    Ok(Reply::ok(&json::Meta::default()))
}

pub async fn versions(_: Allowed<ListVersions, NoTarget>) -> Result<Reply> {
    Ok(Reply::ok(&Version::ALL.map(Version::as_str)))
}

/// The budget of whoever asks; an app's own key has none, so it sees that of nobody in particular.
pub async fn rate_limit(access: Allowed<GetRateLimit, NoTarget>, app: App) -> Result<Reply> {
    let address = access.exchange().peer;
    let payer = Payer::of(access.caller(), address).unwrap_or(Payer::Address(address));
    let budget = app.limiter.peek(payer, app.clock.now());
    Ok(Reply::ok(&json::RateLimit::new(budget, access.exchange().version)).without_caching())
}
