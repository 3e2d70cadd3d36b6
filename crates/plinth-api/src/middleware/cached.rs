//! The layer of the response cache: an identical request gets the cached response while its content is unchanged.

use std::sync::Arc;

use super::lifetime::Lifetime;
use super::pipeline::{Cacheable, Incoming, Inner, Outcome, layer};
use super::read_at::ReadAt;
use super::response_cache::{CachedResponse, ResponseCache};
use super::response_key::Key;
use crate::app::App;
use crate::response::headers;

layer! {
    ResponseCacheLayer => Cached { app: App, cache: Arc<ResponseCache> }
}

impl<S: Inner<Incoming>> Inner<Incoming> for Cached<S> {
    async fn respond(&self, mut request: Incoming) -> Outcome {
        let key = if self.cache.is_on() { Key::of(&request.request, request.peer) } else { None };
        if let Some(key) = &key
            && let Some(hit) = self.find(key, &mut request.read_at).await
        {
            return hit;
        }
        request.is_cacheable = key.is_some();
        let mut outcome = self.inner.respond(request).await;
        if let (Some(key), Some(row)) = (key, outcome.row)
            && let Some(Cacheable { read_at, lifetime, limit_key }) = outcome.cacheable.take()
            && self.cache.admits(&key, read_at, outcome.dependency)
            && let Some(response) =
                CachedResponse::of(&outcome.response, outcome.body.as_ref(), row, (lifetime, limit_key))
        {
            self.cache.insert(read_at, outcome.dependency, key, response);
        }
        outcome
    }
}

impl<S> Cached<S> {
    /// The cached response, if it is still valid and within the caller's rate limit.
    async fn find(&self, key: &Key, read_at: &mut Option<ReadAt>) -> Option<Outcome> {
        let now = self.app.clock.now();
        let refresh = async {
            *read_at = ReadAt::now(&self.app).await;
            read_at.is_some()
        };
        let is_current = |lifetime: &Lifetime| lifetime.contains(now, &self.app.expired_tokens);
        let cached = self.cache.find(key, is_current, refresh).await?;
        let mut response = cached.to_response();
        if let Some(limit_key) = cached.limit_key {
            // What several nodes share is not cached.
            let (mut rate_limit, outcome) = self.app.limiter.count_here(limit_key, now);
            // A caller over the limit gets the usual error response from the layers further in.
            outcome.ok()?;
            if cached.is_not_modified() {
                rate_limit = self.app.limiter.uncount(limit_key, rate_limit, now);
            }
            headers::add_rate_limit(response.headers_mut(), rate_limit);
        }
        self.app.metrics.count_cache_hit();
        Some(Outcome::new(response, Some(cached.row)))
    }
}
