//! The layer that counts a request for its caller: against the limit of concurrent requests and the hourly rate limit. On
//! the way back it adds the headers that depend on the caller.

use http::StatusCode;
use plinth_base::error::Result;
use plinth_core::access::Cost;
use plinth_core::rate_limit::{LimitKey, RateLimit};

use super::lifetime::Lifetime;
use super::pipeline::{Authenticated, Cacheable, Inner, Outcome, layer};
use crate::app::App;
use crate::app::permits::Caller;
use crate::policy::{Row, Wire};
use crate::response::headers;

layer! {
    RateLimitLayer => RateLimited { app: App }
}

impl<S: Inner<Authenticated>> Inner<Authenticated> for RateLimited<S> {
    async fn respond(&self, request: Authenticated) -> Outcome {
        let (row, client, version) = (request.request.row(), request.request.origin.client, request.request.version);
        let (urls, request_id) = (request.request.origin.urls.clone(), request.request.origin.request_id.clone());
        let principal = request.principal.clone();
        if let Err(error) = request.request.permit.count_for(Caller::of(&principal, client)) {
            return Outcome::error(&error, row, &urls, &request_id);
        }
        let limit_key = LimitKey::of(&principal, client);
        let (mut rate_limit, counted) = self.count(limit_key, row).await;
        let read_at = request.read_at;
        let mut outcome = match counted {
            Ok(()) => self.inner.respond(request).await,
            Err(error) => Outcome::error(&error, row, &urls, &request_id),
        };
        let status = outcome.response.status();
        if status == StatusCode::NOT_MODIFIED
            && let (Some(limit_key), Some(counted)) = (limit_key, rate_limit)
        {
            rate_limit = Some(self.app.limiter.uncount(limit_key, counted, self.app.clock.now()));
        }
        let headers = outcome.response.headers_mut();
        headers::add_version(headers, version);
        headers::add_rights(headers, &principal, row);
        if let Some(rate_limit) = rate_limit {
            headers::add_rate_limit(headers, rate_limit);
        }
        headers::add_caching(headers, &principal, status);
        outcome.row = row;
        outcome.cacheable = read_at.map(|read_at| {
            let lifetime = Lifetime::new(read_at.second, &principal);
            Cacheable { read_at: read_at.generations, lifetime, limit_key }
        });
        outcome
    }
}

impl<S> RateLimited<S> {
    /// Some endpoints are free, the one that shows the rate limit among them.
    async fn count(&self, limit_key: Option<LimitKey>, row: Option<&Row>) -> (Option<RateLimit>, Result<()>) {
        let Some(limit_key) = limit_key else { return (None, Ok(())) };
        // Git asks without a credential first, which the limit of its address would soon reject. It reads no headers.
        if row.is_some_and(|row| row.wire == Wire::Git) {
            return (None, Ok(()));
        }
        let now = self.app.clock.now();
        if row.is_some_and(|row| row.rule.cost == Cost::Nothing) {
            return (self.app.limiter.peek(limit_key, now).await.ok(), Ok(()));
        }
        let (rate_limit, outcome) = self.app.limiter.count(limit_key, now).await;
        (Some(rate_limit), outcome)
    }
}
