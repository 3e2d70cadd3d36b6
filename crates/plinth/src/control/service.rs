//! What happens to a request before and after the API.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::header::{CONTENT_TYPE, DATE};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Request};

use super::body_copy::{BodyCopy, copied};
use super::faults::Rule;
use super::pattern::Asked;
use super::requests::LoggedRequest;
use super::slot::{Current, Slot};
use super::waiting::wait_for_deliveries;
use super::{Control, body_copy, callers, explanation, nearest, operations, responses};
use plinth_api::middleware::presented_token;
use plinth_api::policy::Row;
use plinth_api::response::error_response::error_response;
use plinth_api::server::{Aborted, Intercept};
use plinth_base::error::Error;
use plinth_base::urls::Urls;

/// The paths of the control interface begin with this.
const PREFIX: &str = "/_plinth/";
/// Selects a namespace on the address of another one.
const NAMESPACE: HeaderName = HeaderName::from_static("x-plinth-namespace");
/// Why a request was rejected.
const EXPLANATION: HeaderName = HeaderName::from_static("x-plinth-explanation");
/// How long to wait for the body of a request that a fault responds to.
const READ_TIME_MAX: Duration = Duration::from_secs(1);
/// How long a response waits for webhooks that are to be sent before it.
const DELIVERIES_TIME_MAX: Duration = Duration::from_secs(30);

/// The control interface on an address of its own.
pub struct ControlService(pub Arc<Control>);

impl Intercept for ControlService {
    fn respond(&self, request: Request<Body>, peer: IpAddr) -> BoxFuture<'_, Result<Response, Aborted>> {
        Box::pin(async move { Ok(self.0.control(&self.0.default, request, peer).await) })
    }
}

/// A slot at its address.
pub struct SlotService {
    pub control: Arc<Control>,
    pub slot: Arc<Slot>,
}

impl Intercept for SlotService {
    fn respond(&self, request: Request<Body>, peer: IpAddr) -> BoxFuture<'_, Result<Response, Aborted>> {
        Box::pin(async move {
            if self.slot.is_closed() {
                return Err(Aborted);
            }
            if self.control.exposure.is_with_api() && request.uri().path().starts_with(PREFIX) {
                return Ok(self.control.control(&self.slot, request, peer).await);
            }
            match self.control.select(&self.slot, &request) {
                Ok(slot) => self.control.serve(&slot, request, peer).await,
                Err(error) => Ok(rejected(&error, &self.slot.url)),
            }
        })
    }
}

impl Control {
    /// The namespace of the header, or that of the address.
    fn select(&self, own: &Arc<Slot>, request: &Request<Body>) -> Result<Arc<Slot>, Error> {
        let Some(name) = request.headers().get(NAMESPACE) else { return Ok(own.clone()) };
        self.find_slot(name.to_str().unwrap_or_default())
    }

    /// A request to the control interface.
    async fn control(self: &Arc<Self>, own: &Arc<Slot>, request: Request<Body>, peer: IpAddr) -> Response {
        let responded = async {
            self.exposure.check(request.headers(), peer)?;
            let slot = self.select(own, &request)?;
            operations::run(self, &slot, request).await
        };
        responded.await.unwrap_or_else(|error| {
            if let Error::Internal(cause) = &error {
                tracing::error!(%cause, "a request to the control interface failed");
            }
            rejected(&error, &own.url)
        })
    }

    /// A request to the API.
    async fn serve(&self, slot: &Slot, request: Request<Body>, peer: IpAddr) -> Result<Response, Aborted> {
        let (current, started) = (slot.current(), Instant::now());
        let (parts, body) = request.into_parts();
        let row = self.find_row(&parts);
        let token = presented_token(&parts.headers);
        let asked = Asked {
            method: &parts.method,
            path: parts.uri.path(),
            operation: row.map(|row| row.operation),
            token: token.as_deref(),
        };
        let fault = current.faults.find(&asked);
        let (copy, body) = copied(body, is_json(&parts));
        let request = Request::from_parts(parts.clone(), body);
        let rule = fault.as_ref().map(|(_, rule)| rule);
        let mut responded = respond(&current, rule, request, (peer, &slot.url)).await;
        if let Ok(response) = &mut responded {
            // Clients compare this with their own clock.
            let date = HeaderValue::try_from(current.clock().now().http_date());
            date.map(|date| response.headers_mut().insert(DATE, date)).ok();
        }
        let logged = Logged { parts: &parts, row, copy, started, fault: fault.map(|(id, _)| id) };
        let status = responded.as_ref().ok().map(|response| response.status().as_u16());
        let logged = logged.finish(&current, status).await;
        if let Ok(response) = &mut responded
            && self.explains
            && let Some(text) = explanation::explain(&logged, row)
            && let Ok(text) = HeaderValue::try_from(text)
        {
            response.headers_mut().insert(EXPLANATION, text);
        }
        current.requests.add(logged);
        responded
    }

    fn find_row(&self, parts: &Parts) -> Option<&'static Row> {
        self.matcher.find(&parts.method, parts.uri.path()).map(|(route, _)| route.row)
    }
}

/// The response, with the effect of a fault.
async fn respond(
    current: &Current,
    fault: Option<&Rule>,
    request: Request<Body>,
    (peer, url): (IpAddr, &str),
) -> Result<Response, Aborted> {
    let service = &current.instance.service;
    let Some(fault) = fault else { return Ok(service.respond(request, peer).await) };
    if let Some(delay) = fault.delay_ms {
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }
    if let Some(canned) = &fault.respond {
        read(request).await;
        return Ok(responses::canned(canned));
    }
    if let Some(kind) = fault.rate_limit {
        read(request).await;
        return Ok(responses::rate_limit(kind, current.clock().now(), &Urls::new(url, "")));
    }
    if fault.close {
        read(request).await;
        return Err(Aborted);
    }
    let response = service.respond(request, peer).await;
    if let Some(at) = fault.truncate_at {
        return Ok(responses::truncated(response, at).await);
    }
    if fault.after_deliveries {
        let waited = tokio::time::timeout(DELIVERIES_TIME_MAX, wait_for_deliveries(&current.instance.app)).await;
        if !matches!(waited, Ok(Ok(()))) {
            tracing::warn!("a response did not wait longer for webhooks");
        }
    }
    Ok(response)
}

/// Reads a request that nobody else reads, for the log.
async fn read(request: Request<Body>) {
    let reading = axum::body::to_bytes(request.into_body(), body_copy::BYTES_MAX);
    // A client that is slow, or sends more, gets its response anyway.
    tokio::time::timeout(READ_TIME_MAX, reading).await.ok();
}

/// A request on its way into the log.
struct Logged<'a> {
    parts: &'a Parts,
    row: Option<&'static Row>,
    copy: BodyCopy,
    started: Instant,
    fault: Option<u64>,
}

impl Logged<'_> {
    async fn finish(self, current: &Current, status: Option<u16>) -> LoggedRequest {
        let Self { parts, row, copy, started, fault } = self;
        let path = parts.uri.path();
        LoggedRequest {
            id: 0,
            at: current.clock().now(),
            method: parts.method.to_string(),
            path: path.to_owned(),
            query: parts.uri.query().map(str::to_owned),
            operation: row.map(|row| row.operation),
            route: row.and_then(|row| row.paths.first().copied()),
            caller: callers::find(&current.instance.app, &parts.headers).await,
            status,
            duration_ms: started.elapsed().as_secs_f64() * 1_000.0,
            fault,
            body: copy.json(),
            nearest: if row.is_none() { nearest::find(&parts.method, path) } else { None },
        }
    }
}

fn is_json(parts: &Parts) -> bool {
    let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|value| value.contains("json"))
}

fn rejected(error: &Error, url: &str) -> Response {
    error_response(error, None, &Urls::new(url, ""))
}
