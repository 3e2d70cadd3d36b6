//! The way of every request, in one place and one direction.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::response::Response;
use futures_util::FutureExt;
use http::request::Parts;
use http::{HeaderMap, Method, Request, StatusCode};
use tokio::sync::Semaphore;

use super::access::{Cost, PathParams, Row, Wire, bad_credential, check_kind};
use super::address::{client_address, urls_of, without_prefix};
use super::conditional::preconditions;
use super::credential::{BAD_CREDENTIALS, authenticate};
use super::exchange::Exchange;
use super::finish::{finish, preflight, tag_of, without_body};
use super::head::check_head;
use super::kept::{self, Answer, Kept, Stamp};
use super::limits::{Budget, Payer};
use super::refusal::refusal;
use super::reply::Facts;
use super::request_id::RequestIds;
use super::routes::{Matcher, Route, Routes};
use super::version::Version;
use super::{headers, health};
use crate::app::App;
use crate::error::{Error, Result};
use crate::tokens::Principal;
use crate::urls::Urls;

/// Whoever comes without a credential hears the same about what is private and about what is absent.
const GIT_CREDENTIAL_NEEDED: Error = Error::Unauthenticated("Sign in with a token as the password.");

/// Takes a request in and gives its answer out.
pub struct Gate {
    app: App,
    matcher: Matcher,
    places: Semaphore,
    kept: Kept,
    request_ids: RequestIds,
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
        let kept = Kept::new(app.settings.kept_bytes_max);
        Self { app, matcher: routes.into_matcher(), places, kept, request_ids: RequestIds::new() }
    }

    /// Answers one request; nothing that happens inside can end the connection or the process.
    pub async fn answer(&self, request: Request<Body>, peer: IpAddr) -> Response {
        let started = Instant::now();
        let request_id = self.request_ids.next();
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
        let urls = urls_of(&self.app, request.headers(), peer, request.uri());
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
        // Pinned where it is made: it is large, and each wrapper would move it.
        let work = pin!(AssertUnwindSafe(self.way(request, found, client, &urls, request_id)).catch_unwind());
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
        let (parts, body) = request.into_parts();
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
        let identified = self.identify(&parts, row).await;
        let (principal, stamp) = match identified {
            Ok(identified) => identified,
            Err(error) => {
                let mut outcome = self.refuse_credential(error, row, peer, urls, request_id);
                headers::add_version(outcome.response.headers_mut(), version);
                return outcome;
            }
        };
        let (mut budget, verdict) = self.charge(&principal, peer, row);
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let answered = match (verdict, found) {
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err(Error::NotFound),
            (Ok(()), Some((route, params))) => {
                let (row, urls, principal) = (route.row, urls.clone(), principal.clone());
                let exchange = Exchange { row, params, principal, urls, media, version, path, query, peer };
                self.call(route, (parts, body), exchange, &method, stamp).await
            }
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

    /// Who asks; and of which moment an answer may be, where one may be given again.
    async fn identify(&self, parts: &Parts, row: Option<&Row>) -> Result<(Arc<Principal>, Option<Stamp>)> {
        let stamp = if row.is_some_and(|row| row.kept) { Stamp::now(&self.app)? } else { None };
        let known = stamp.map(|stamp| (&self.kept.principals, stamp));
        Ok((authenticate(&self.app, &parts.headers, known).await?, stamp))
    }

    /// Refuses the wrong kind of token before anything is looked up, then lets the handler work, unless its answer to
    /// the same question still holds.
    async fn call(
        &self,
        route: &Route,
        (mut parts, body): (Parts, Body),
        exchange: Exchange,
        method: &Method,
        stamp: Option<Stamp>,
    ) -> Result<Response> {
        check_kind(&route.row.rule, &exchange.principal)?;
        let preconditions = preconditions(&parts.headers);
        let place = stamp.map(|stamp| (stamp, kept::key(&exchange)));
        let held = place.as_ref().and_then(|(stamp, key)| self.kept.answers.find(*stamp, key));
        if let Some(answer) = held {
            self.app.metrics.again();
            let (response, facts) = answer.again();
            return finish(response, facts, &exchange, method, &preconditions);
        }
        let exchange = Arc::new(exchange);
        parts.extensions.insert(exchange.clone());
        let mut response = route.call(Request::from_parts(parts, body), self.app.clone()).await;
        let Some(mut facts) = response.extensions_mut().remove::<Facts>() else { return Ok(response) };
        facts.tag = tag_of(response.status(), &facts, &exchange);
        if let (Some((stamp, key)), Some(answer)) = (place, Answer::of(&response, &facts)) {
            let size = key.len() + answer.size();
            self.kept.answers.keep(stamp, key, Arc::new(answer), size);
        }
        finish(response, facts, &exchange, method, &preconditions)
    }

    /// Some operations are free, looking at one's budget among them.
    fn charge(&self, principal: &Principal, peer: IpAddr, row: Option<&Row>) -> (Option<Budget>, Result<()>) {
        let Some(payer) = Payer::of(principal, peer) else {
            return (None, Ok(()));
        };
        let now = self.app.clock.now();
        if row.is_some_and(|row| row.rule.cost == Cost::Nothing) {
            return (Some(self.app.limiter.peek(payer, now)), Ok(()));
        }
        let (budget, verdict) = self.app.limiter.charge(payer, now);
        (Some(budget), verdict)
    }

    /// A bad credential shows the budget of a caller without one; an app's key has none at all.
    fn refuse_credential(
        &self,
        error: Error,
        row: Option<&'static Row>,
        peer: IpAddr,
        urls: &Urls,
        request_id: &str,
    ) -> Outcome {
        let error = bad_credential(row.map(|row| &row.rule), error);
        let mut outcome = refuse(&error, row, urls, request_id);
        if matches!(error, Error::Unauthenticated(BAD_CREDENTIALS)) {
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
    Outcome { response: refusal(error, row, urls), row }
}
