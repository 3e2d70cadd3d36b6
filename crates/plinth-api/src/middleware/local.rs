//! Calls of the API from inside the process, for the pages: the same operations with the same rights, without a connection.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use plinth_base::error::{Error, Result};
use plinth_base::urls::Urls;
use plinth_core::tokens::Principal;
use plinth_store::{Generations, InvalidationScope};

use super::forwarded::without_prefix;
use super::operation::Operations;
use super::pipeline::{Authenticated, Inner, Negotiated, Origin};
use crate::app::App;
use crate::negotiation::{Media, Version};
use crate::request::request_permit::RequestPermit;
use crate::routes::Matcher;

/// As large as the largest file that the API sends at once.
const BODY_BYTES_MAX: usize = 64 << 20;

/// The API, for callers in this process.
#[derive(Clone)]
pub struct LocalApi {
    pub app: App,
    pub(super) matcher: Arc<Matcher>,
}

/// Who calls, and on whose behalf.
#[derive(Clone)]
pub struct LocalCaller {
    pub principal: Arc<Principal>,
    /// From before the principal was looked up.
    pub generations: Option<Generations>,
    pub client: IpAddr,
    pub urls: Urls,
    pub request_id: Arc<str>,
    /// The permit of the request that the call is made for.
    pub permit: Arc<RequestPermit>,
}

/// One call.
pub struct LocalRequest<'a> {
    pub method: Method,
    /// Path and query.
    pub target: &'a str,
    /// The `Accept` header.
    pub accept: &'static str,
    /// JSON.
    pub body: Option<Vec<u8>>,
}

/// What the API responds with.
pub struct LocalResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whose content the response is made from.
    pub scope: InvalidationScope,
}

impl LocalApi {
    /// Responds as the API does, except for the rate limit, which counts requests of clients.
    pub async fn call(&self, caller: &LocalCaller, call: LocalRequest<'_>) -> Result<LocalResponse> {
        let request = Request::builder().method(call.method).uri(call.target).header(ACCEPT, call.accept);
        let request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let request = request.body(call.body.map(Body::from).unwrap_or_default()).map_err(|_| Error::NotFound)?;
        let (parts, body) = request.into_parts();
        let found = self.matcher.find(&parts.method, without_prefix(parts.uri.path()));
        let route = found.map(|(route, params)| (route.clone(), params));
        let LocalCaller { principal, generations, client, urls, request_id, permit } = caller.clone();
        let media = Media::of(&parts.headers)?;
        let origin = Origin { client, urls, request_id };
        let version = Version::DEFAULT;
        let request =
            Negotiated { parts, body, origin, permit, is_cacheable: false, read_at: None, route, version, media };
        let operations = Operations { app: self.app.clone() };
        let outcome = operations.respond(Authenticated { request, principal, generations, read_at: None }).await;
        let (parts, body) = outcome.response.into_parts();
        let body = match outcome.body.filter(|_| parts.status.is_success()) {
            Some(whole) => whole.into_one(),
            None => {
                let read = Limited::new(body, BODY_BYTES_MAX).collect().await;
                read.map_err(|_| Error::Unavailable("a response is too large for a page".into()))?.to_bytes()
            }
        };
        Ok(LocalResponse { status: parts.status, headers: parts.headers, body, scope: outcome.scope })
    }
}
