//! Handlers of the operations on the service itself.

use super::json;
use crate::app::App;
use crate::negotiation::Version;
use crate::policy::table::{GetMeta, GetRateLimit, GetRoot, ListVersions};
use crate::request::Allowed;
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::access::NoTarget;
use plinth_core::rate_limit::LimitKey;

pub async fn root(access: Allowed<GetRoot, NoTarget>) -> Result<ApiResponse> {
    Ok(ApiResponse::ok(&json::root(access.urls())))
}

pub async fn meta(_: Allowed<GetMeta, NoTarget>) -> Result<ApiResponse> {
    Ok(ApiResponse::ok(&json::Meta::default()))
}

pub async fn versions(_: Allowed<ListVersions, NoTarget>) -> Result<ApiResponse> {
    Ok(ApiResponse::ok(&Version::ALL.map(Version::as_str)))
}

/// The caller's rate limit. An app's own key has none, so it sees that of its IP address.
pub async fn rate_limit(access: Allowed<GetRateLimit, NoTarget>, app: App) -> Result<ApiResponse> {
    let address = access.context().peer;
    let limit_key = LimitKey::of(access.caller(), address).unwrap_or(LimitKey::Address(address));
    let rate_limit = app.limiter.peek(limit_key, app.clock.now()).await?;
    Ok(ApiResponse::ok(&json::RateLimitOverview::new(rate_limit, access.context().version)).without_caching())
}
