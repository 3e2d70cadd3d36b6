//! The way of every request, in one place and one direction.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt;
use http::request::Parts;
use http::{HeaderMap, Method, Request, StatusCode};

use super::authentication::authenticate;
use super::finish::{finish, preflight, without_body};
use super::forwarded::{client_address, urls_of, without_prefix};
use super::head::check_head;
use super::request_id::RequestIds;
use super::response_cache::{CachedResponse, Key, ResponseCache};
use crate::app::App;
use crate::app::permits::{Caller, Permits};
use crate::health;
use crate::policy::{Caching, Row, Wire};
use crate::request::conditional::preconditions;
use crate::request::context::RequestContext;
use crate::request::handler::ApiRequest;
use crate::request::request_body::RequestBody;
use crate::request::request_permit::RequestPermit;
use crate::request::version::Version;
use crate::response::error_response::error_response;
use crate::response::{headers, large_body};
use crate::routes::{Matcher, Route, Routes};
use plinth_base::error::{Error, Result};
use plinth_base::urls::Urls;
use plinth_core::access::{BAD_CREDENTIALS, Cost, PathParams, bad_credential, check_kind};
use plinth_core::rate_limit::{LimitKey, RateLimit};
use plinth_core::tokens::Principal;
use plinth_store::InvalidationScope;

/// Whoever comes without a credential hears the same about what is private and about what is absent.
const GIT_CREDENTIAL_NEEDED: Error = Error::Unauthenticated("Sign in with a token as the password.");

/// Takes a request in and gives its answer out.
pub struct ApiService {
    pub(super) app: App,
    matcher: Matcher,
    permits: Arc<Permits>,
    response_cache: ResponseCache,
    pub(super) request_ids: RequestIds,
}

/// A request, with what is known before it is looked at.
struct Arrival<'a> {
    request: Request<Body>,
    /// The key of its response in the cache, if it may have one.
    key: Option<Key>,
    client: IpAddr,
    urls: &'a Urls,
    request_id: &'a str,
    permit: Arc<RequestPermit>,
}

/// What is known about a request when its answer is finished.
pub(super) struct Outcome {
    pub(super) response: Response,
    row: Option<&'static Row>,
}

/// The operation that a request asks for, if there is one.
type Found<'a> = Option<(&'a Route, PathParams)>;

impl ApiService {
    pub fn new(app: App, routes: Routes) -> Self {
        let permits = Arc::new(Permits::new(app.settings.requests_max, app.settings.requests_per_caller_max));
        let response_cache = ResponseCache::new(app.generation_table().clone(), app.settings.response_cache_bytes);
        Self { app, matcher: routes.into_matcher(), permits, response_cache, request_ids: RequestIds::new() }
    }

    /// Answers one request; nothing that happens inside can end the connection or the process.
    pub async fn answer(&self, request: Request<Body>, peer: IpAddr) -> Response {
        let started = Instant::now();
        let request_id = self.request_ids.next();
        let in_flight = self.app.metrics.begin();
        let head = request.method() == Method::HEAD;
        let key = Key::of(&request, peer);
        let cached = key.as_ref().and_then(|key| self.find_cached(key));
        let Outcome { mut response, row } = match cached {
            Some(outcome) => outcome,
            None => self.admit(request, key, peer, &request_id).await,
        };
        headers::add_common(response.headers_mut(), &request_id);
        if head {
            response = without_body(response);
        }
        drop(in_flight);
        let operation = row.map_or("none", |row| row.operation);
        self.app.metrics.observe(operation, response.status(), started.elapsed());
        tracing::debug!(target: "plinth::request", %request_id, operation, status = response.status().as_u16(),
            micros = started.elapsed().as_micros() as u64, "answered");
        response
    }

    /// The cached response to the same request, if it is valid and the caller is within its rate limit.
    fn find_cached(&self, key: &Key) -> Option<Outcome> {
        let now = self.app.clock.now();
        let cached = self.response_cache.get(key, now, || self.app.generations().is_some())?;
        let mut response = cached.to_response();
        if let Some(limit_key) = cached.limit_key {
            let (mut rate_limit, outcome) = self.app.limiter.count(limit_key, now);
            // The uncached path responds to a caller above its limit.
            outcome.ok()?;
            if cached.is_free() {
                rate_limit = self.app.limiter.uncount(limit_key, rate_limit, now);
            }
            headers::add_rate_limit(response.headers_mut(), rate_limit);
        }
        self.app.metrics.again();
        Some(Outcome { response, row: Some(cached.row) })
    }

    /// Turns away what would only wait, and ends what takes too long or panics.
    async fn admit(&self, request: Request<Body>, key: Option<Key>, peer: IpAddr, request_id: &str) -> Outcome {
        let client = client_address(&self.app, request.headers(), peer);
        let urls = urls_of(&self.app, request.headers(), peer, request.uri());
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        if let Some(response) = health::answer(&self.app, &method, &path).await {
            return Outcome { response, row: None };
        }
        let Some(permit) = RequestPermit::try_new(&self.permits) else {
            return error_outcome(&Error::Unavailable("too many requests at once".into()), None, &urls, request_id);
        };
        let method = if method == Method::HEAD { Method::GET } else { method };
        let found = self.matcher.find(&method, without_prefix(&path));
        let row = found.as_ref().map(|(route, _)| route.row);
        let timeout = match row.map_or(Wire::Json, |row| row.wire) {
            Wire::Json => self.app.settings.request_timeout,
            Wire::Git => self.app.settings.git.timeout,
        };
        // In a place of its own: it is large, and everyone who waits for it would have to keep as much room, and move it.
        let arrival = Arrival { request, key, client, urls: &urls, request_id, permit };
        let work = AssertUnwindSafe(Box::pin(self.way(arrival, found))).catch_unwind();
        match tokio::time::timeout(timeout, work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => error_outcome(&Error::internal("a handler panicked"), row, &urls, request_id),
            Err(_) => error_outcome(&Error::Unavailable("the request took too long".into()), row, &urls, request_id),
        }
    }

    /// Limits, version and media type, credential, rate_limit, route, handler, and what the answer says about itself.
    async fn way(&self, arrival: Arrival<'_>, found: Found<'_>) -> Outcome {
        let Arrival { request, key, client: peer, urls, request_id, permit } = arrival;
        let (parts, body) = request.into_parts();
        let row = found.as_ref().map(|(route, _)| route.row);
        let (version, media) = match check_head(&parts, row) {
            Ok(asked) => asked,
            Err(error) => return error_outcome(&error, None, urls, request_id),
        };
        if parts.method == Method::OPTIONS {
            return Outcome { response: preflight(), row: None };
        }
        let method = if parts.method == Method::HEAD { Method::GET } else { parts.method.clone() };
        let path = without_prefix(parts.uri.path()).to_owned();
        // Before anything is read from the store; the clock first, so that what is read is not older than it says.
        let (second, state) = (self.app.clock.now(), self.app.generations());
        let mut scope = InvalidationScope::Everything;
        let principal = match authenticate(&self.app, &parts.headers, state).await {
            Ok(principal) => principal,
            Err(error) => {
                let mut outcome = self.refuse_credential(error, row, peer, urls, request_id);
                headers::add_version(outcome.response.headers_mut(), version);
                return outcome;
            }
        };
        if let Err(error) = permit.count_for(Caller::of(&principal, peer)) {
            return error_outcome(&error, row, urls, request_id);
        }
        let (mut rate_limit, outcome) = self.count(&principal, peer, row);
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let answered = match (outcome, found) {
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err(Error::NotFound),
            (Ok(()), Some((route, params))) => {
                let (row, urls, principal) = (route.row, urls.clone(), principal.clone());
                let context = Arc::new(RequestContext {
                    row,
                    params,
                    principal,
                    state,
                    urls,
                    media,
                    version,
                    path,
                    query,
                    peer,
                    permit,
                    scope: OnceLock::new(),
                });
                let handled = self.call(route, parts, body, context.clone(), &method).await;
                scope = context.scope();
                handled
            }
        };
        let refused =
            |error: &Error| error_outcome(as_reported(error, row, &principal), row, urls, request_id).response;
        let (mut response, whole) = answered.unwrap_or_else(|error| (refused(&error), None));
        if response.status() == StatusCode::NOT_MODIFIED
            && let (Some(limit_key), Some(charged)) = (LimitKey::of(&principal, peer), rate_limit)
        {
            rate_limit = Some(self.app.limiter.uncount(limit_key, charged, self.app.clock.now()));
        }
        describe(response.headers_mut(), &principal, row, rate_limit, version);
        let status = response.status();
        headers::add_caching(response.headers_mut(), &principal, status);
        if let (Some(generations), Some(key), Some(row)) = (state, key, row)
            && row.caching == Caching::Response
            && let Some(cached) = CachedResponse::new(&response, whole, row, LimitKey::of(&principal, peer), second)
        {
            self.response_cache.insert(generations, scope, key, cached);
        }
        Outcome { response, row }
    }

    /// Refuses the wrong kind of token before anything is looked up, then lets the handler work. Besides the answer
    /// there is its body, where that is in memory as a whole.
    async fn call(
        &self,
        route: &Route,
        parts: Parts,
        body: Body,
        context: Arc<RequestContext>,
        method: &Method,
    ) -> Result<(Response, Option<Bytes>)> {
        check_kind(&route.row.rule, &context.principal)?;
        // Only reading is conditional.
        let preconditions = if *method == Method::GET { preconditions(&parts.headers) } else { HeaderMap::new() };
        let body = match route.row.wire {
            Wire::Json => RequestBody::wrap(body, context.permit.clone(), self.app.settings.request_timeout),
            // Git's own handlers know how long each of theirs may take.
            Wire::Git => body,
        };
        let request = ApiRequest::new(context.clone(), parts.headers, body);
        let handled = route.call(request, self.app.clone()).await?;
        let whole = handled.facts.as_ref().and_then(|facts| facts.body.clone());
        let response = finish(handled, &context, method, &preconditions)?;
        let sent = whole.as_ref().filter(|_| response.status() != StatusCode::NOT_MODIFIED);
        Ok((large_body::count(&self.app, &context, response, sent).await?, whole))
    }

    /// Some operations are free, looking at one's rate_limit among them.
    fn count(&self, principal: &Principal, peer: IpAddr, row: Option<&Row>) -> (Option<RateLimit>, Result<()>) {
        let Some(limit_key) = LimitKey::of(principal, peer) else {
            return (None, Ok(()));
        };
        let now = self.app.clock.now();
        if row.is_some_and(|row| row.rule.cost == Cost::Nothing) {
            return (Some(self.app.limiter.peek(limit_key, now)), Ok(()));
        }
        let (rate_limit, outcome) = self.app.limiter.count(limit_key, now);
        (Some(rate_limit), outcome)
    }

    /// A bad credential shows the rate_limit of a caller without one; an app's key has none at all.
    fn refuse_credential(
        &self,
        error: Error,
        row: Option<&'static Row>,
        peer: IpAddr,
        urls: &Urls,
        request_id: &str,
    ) -> Outcome {
        let error = bad_credential(row.map(|row| &row.rule), error);
        let mut outcome = error_outcome(&error, row, urls, request_id);
        if matches!(error, Error::Unauthenticated(BAD_CREDENTIALS)) {
            let (rate_limit, _) = self.app.limiter.count(LimitKey::Address(peer), self.app.clock.now());
            headers::add_rate_limit(outcome.response.headers_mut(), rate_limit);
        }
        outcome
    }
}

/// Git asks for a password only when it is refused for the lack of one, so absence is told in the same way.
fn as_reported<'a>(error: &'a Error, row: Option<&'static Row>, principal: &Principal) -> &'a Error {
    let by_git = row.is_some_and(|row| row.wire == Wire::Git);
    match (error, principal) {
        (Error::NotFound | Error::Unauthenticated(_), Principal::Anonymous) if by_git => &GIT_CREDENTIAL_NEEDED,
        _ => error,
    }
}

fn describe(
    headers: &mut HeaderMap,
    principal: &Principal,
    row: Option<&'static Row>,
    rate_limit: Option<RateLimit>,
    version: Version,
) {
    crate::response::headers::add_version(headers, version);
    crate::response::headers::add_rights(headers, principal, row);
    if let Some(rate_limit) = rate_limit {
        crate::response::headers::add_rate_limit(headers, rate_limit);
    }
}

/// The error_response, with the cause of a fault of ours in the log and nowhere else.
pub(super) fn error_outcome(error: &Error, row: Option<&'static Row>, urls: &Urls, request_id: &str) -> Outcome {
    match error {
        Error::Internal(cause) => tracing::error!(%request_id, %cause, "a request failed"),
        Error::Unavailable(why) => tracing::warn!(%request_id, why, "a request was turned away"),
        _ => {}
    }
    Outcome { response: error_response(error, row, urls), row }
}
