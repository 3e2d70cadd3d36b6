//! The way of every request, in one place and one direction.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::response::Response;
use futures_util::FutureExt;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, LAST_MODIFIED};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use tokio::sync::Semaphore;

use super::access::{PathParams, Row, Wire, check_kind};
use super::addresses::{client_address, urls_of, without_prefix};
use super::conditional::{EntityTag, is_not_modified};
use super::credential::authenticate;
use super::exchange::Exchange;
use super::limits::{Budget, Payer};
use super::media::Media;
use super::reply::{self, Facts};
use super::routes::{Matcher, Route, Routes};
use super::version::Version;
use super::{headers, health};
use crate::app::App;
use crate::error::{Error, Result};
use crate::tokens::{Principal, random_text};
use crate::urls::Urls;

const URI_BYTES_MAX: usize = 8 * 1024;
const REQUEST_ID_LENGTH: usize = 20;
/// Whoever comes without a credential hears the same about what is private and about what is absent.
const GIT_CREDENTIAL_NEEDED: Error = Error::Unauthenticated("Sign in with a token as the password.");

/// Takes a request in and gives its answer out.
pub struct Gate {
    app: App,
    matcher: Matcher,
    places: Semaphore,
}

/// What is known about a request when its answer is finished.
struct Outcome {
    response: Response,
    row: Option<&'static Row>,
}

/// The operation that a request asks for, if there is one.
type Found<'a> = Option<(&'a Route, PathParams)>;

impl Gate {
    pub fn new(app: App, routes: Routes) -> Self {
        let places = Semaphore::new(app.settings.requests_max);
        Self { app, matcher: routes.into_matcher(), places }
    }

    /// Answers one request; nothing that happens inside can end the connection or the process.
    pub async fn answer(&self, request: Request<Body>, peer: IpAddr) -> Response {
        let started = Instant::now();
        let request_id = random_text(REQUEST_ID_LENGTH);
        let in_flight = self.app.metrics.begin();
        let head = request.method() == Method::HEAD;
        let Outcome { mut response, row } = self.admit(request, peer, &request_id).await;
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

    /// Turns away what would only wait, and ends what takes too long or panics.
    async fn admit(&self, request: Request<Body>, peer: IpAddr, request_id: &str) -> Outcome {
        let client = client_address(&self.app, request.headers(), peer);
        let urls = urls_of(&self.app, request.headers(), peer, request.uri().path());
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        if let Some(response) = health::answer(&self.app, &method, &path).await {
            return Outcome { response, row: None };
        }
        let Ok(_place) = self.places.try_acquire() else {
            return refuse(&Error::Unavailable("too many requests at once".into()), None, &urls, request_id);
        };
        let method = if method == Method::HEAD { Method::GET } else { method };
        let found = self.matcher.find(&method, without_prefix(&path));
        let row = found.as_ref().map(|(route, _)| route.row);
        let timeout = match row.map_or(Wire::Json, |row| row.wire) {
            Wire::Json => self.app.settings.request_timeout,
            Wire::Git => self.app.settings.git.timeout,
        };
        let work = AssertUnwindSafe(self.way(request, found, client, &urls, request_id)).catch_unwind();
        match tokio::time::timeout(timeout, work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => refuse(&Error::internal("a handler panicked"), row, &urls, request_id),
            Err(_) => refuse(&Error::Unavailable("the request took too long".into()), row, &urls, request_id),
        }
    }

    /// Limits, version and media type, credential, budget, route, handler, and what the answer says about itself.
    async fn way(
        &self,
        request: Request<Body>,
        found: Found<'_>,
        peer: IpAddr,
        urls: &Urls,
        request_id: &str,
    ) -> Outcome {
        let (mut parts, body) = request.into_parts();
        let row = found.as_ref().map(|(route, _)| route.row);
        let (version, media) = match check_head(&parts, row) {
            Ok(asked) => asked,
            Err(error) => return refuse(&error, None, urls, request_id),
        };
        if parts.method == Method::OPTIONS {
            return Outcome { response: preflight(), row: None };
        }
        let method = if parts.method == Method::HEAD { Method::GET } else { parts.method.clone() };
        let path = without_prefix(parts.uri.path()).to_owned();
        let principal = match authenticate(&self.app, &parts.headers).await {
            Ok(principal) => principal,
            Err(error) => return self.refuse_credential(&error, row, peer, urls, request_id),
        };
        let (mut budget, verdict) = self.charge(&principal, peer, &parts);
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let exchange = found.map(|(route, params)| {
            let urls = urls.clone();
            let row = route.row;
            let exchange =
                Exchange { row, params, principal: principal.clone(), urls, media, version, path, query, peer };
            (route, Arc::new(exchange))
        });
        let answered = match (verdict, &exchange) {
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err(Error::NotFound),
            (Ok(()), Some((route, exchange))) => match check_kind(&route.row.rule, &principal) {
                Err(error) => Err(error),
                Ok(()) => {
                    parts.extensions.insert(exchange.clone());
                    let headers = parts.headers.clone();
                    let response = route.call(Request::from_parts(parts, body), self.app.clone()).await;
                    finish(response, exchange, &method, &headers)
                }
            },
        };
        let refused = |error: &Error| refuse(as_told(error, row, &principal), row, urls, request_id).response;
        let mut response = answered.unwrap_or_else(|error| refused(&error));
        if let Some(error) = response.extensions_mut().remove::<Arc<Error>>() {
            response = refused(&error);
        }
        if response.status() == StatusCode::NOT_MODIFIED
            && let (Some(payer), Some(charged)) = (Payer::of(&principal, peer), budget)
        {
            budget = Some(self.app.limiter.refund(payer, charged, self.app.clock.now()));
        }
        describe(response.headers_mut(), &principal, row, budget, version);
        let status = response.status();
        headers::add_caching(response.headers_mut(), &principal, status);
        Outcome { response, row }
    }

    /// Looking at one's budget is free.
    fn charge(&self, principal: &Principal, peer: IpAddr, parts: &Parts) -> (Option<Budget>, Result<()>) {
        let Some(payer) = Payer::of(principal, peer) else {
            return (None, Ok(()));
        };
        let now = self.app.clock.now();
        if without_prefix(parts.uri.path()) == "/rate_limit" {
            return (Some(self.app.limiter.peek(payer, now)), Ok(()));
        }
        let (budget, verdict) = self.app.limiter.charge(payer, now);
        (Some(budget), verdict)
    }

    /// A bad credential shows the budget of a caller without one; an app's key has none at all.
    fn refuse_credential(
        &self,
        error: &Error,
        row: Option<&'static Row>,
        peer: IpAddr,
        urls: &Urls,
        request_id: &str,
    ) -> Outcome {
        let mut outcome = refuse(error, row, urls, request_id);
        if matches!(error, Error::Unauthenticated("Bad credentials")) {
            let (budget, _) = self.app.limiter.charge(Payer::Address(peer), self.app.clock.now());
            headers::add_budget(outcome.response.headers_mut(), budget);
        }
        outcome
    }
}

/// Git asks for a password only when it is refused for the lack of one, so absence is told in the same way.
fn as_told<'a>(error: &'a Error, row: Option<&'static Row>, principal: &Principal) -> &'a Error {
    let by_git = row.is_some_and(|row| row.wire == Wire::Git);
    match (error, principal) {
        (Error::NotFound | Error::Unauthenticated(_), Principal::Anonymous) if by_git => &GIT_CREDENTIAL_NEEDED,
        _ => error,
    }
}

/// What can be judged from the first lines of a request.
fn check_head(parts: &Parts, row: Option<&'static Row>) -> Result<(Version, Media)> {
    let target_length = parts.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target_length > URI_BYTES_MAX {
        return Err(Error::UriTooLong(URI_BYTES_MAX));
    }
    let query = parts.uri.query().unwrap_or_default();
    if form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "access_token") {
        let message = "Tokens are not accepted in the query, where logs would keep them: use the Authorization header";
        return Err(Error::BadRequest(message.into()));
    }
    match row.map_or(Wire::Json, |row| row.wire) {
        Wire::Json => Ok((Version::of(&parts.headers)?, Media::of(&parts.headers)?)),
        // Git has media types of its own and versions of another kind.
        Wire::Git => Ok((Version::DEFAULT, Media::default())),
    }
}

/// Adds what the answer says about itself, and leaves its body out where the client has it already.
fn finish(mut response: Response, exchange: &Exchange, method: &Method, headers: &HeaderMap) -> Result<Response> {
    let Some(facts) = response.extensions_mut().remove::<Facts>() else { return Ok(response) };
    let status = response.status();
    if status == StatusCode::NO_CONTENT {
        return Ok(response);
    }
    let seed = facts.entity_seed.as_deref().or(facts.body.as_deref());
    let tag = seed.map(|seed| EntityTag::new(exchange, seed));
    let readable = *method == Method::GET && (status == StatusCode::OK || status == StatusCode::NOT_MODIFIED);
    let not_modified = readable && is_not_modified(headers, tag.as_ref(), facts.last_modified)?;
    if not_modified {
        response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        super::headers::add_media(response.headers_mut(), exchange.media);
    }
    let text = |text: String| HeaderValue::try_from(text).expect("tags and dates are ASCII");
    if let Some(tag) = tag {
        response.headers_mut().insert(ETAG, text(tag.strong()));
    }
    if let Some(modified) = facts.last_modified {
        response.headers_mut().insert(LAST_MODIFIED, text(modified.http_date()));
    }
    Ok(response)
}

fn describe(
    headers: &mut HeaderMap,
    principal: &Principal,
    row: Option<&'static Row>,
    budget: Option<Budget>,
    version: Version,
) {
    super::headers::add_version(headers, version);
    super::headers::add_rights(headers, principal, row);
    if let Some(budget) = budget {
        super::headers::add_budget(headers, budget);
    }
}

/// The refusal, with the cause of a fault of ours in the log and nowhere else.
fn refuse(error: &Error, row: Option<&'static Row>, urls: &Urls, request_id: &str) -> Outcome {
    match error {
        Error::Internal(cause) => tracing::error!(%request_id, %cause, "a request failed"),
        Error::Unavailable(why) => tracing::warn!(%request_id, why, "a request was turned away"),
        _ => {}
    }
    Outcome { response: reply::refusal(error, row, urls), row }
}

fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    headers::add_preflight(response.headers_mut());
    response
}

/// The same headers as with a body, its length included.
fn without_body(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    if let Some(length) = axum::body::HttpBody::size_hint(&body).exact()
        && parts.headers.contains_key(CONTENT_TYPE)
    {
        parts.headers.insert(CONTENT_LENGTH, length.into());
    }
    Response::from_parts(parts, Body::empty())
}
