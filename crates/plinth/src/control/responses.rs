//! Responses of faults.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};
use serde_json::Value;

use super::faults::{CannedResponse, RateLimitKind};
use plinth_api::response::error_response::error_response;
use plinth_api::response::headers;
use plinth_base::clock::Timestamp;
use plinth_base::error::Error;
use plinth_base::urls::Urls;
use plinth_core::rate_limit::RateLimit;

/// What GitHub sends after too much content.
const RETRY_AFTER_SECONDS: u64 = 60;
const REQUESTS_PER_HOUR: i64 = 5_000;
const HOUR_SECONDS: i64 = 3_600;
/// The bytes before a connection is closed have this time to be sent.
const FLUSH_TIME: Duration = Duration::from_millis(5);

pub fn canned(canned: &CannedResponse) -> Response {
    let (content_type, body) = match &canned.body {
        Value::Null => (None, String::new()),
        Value::String(text) => (Some("text/plain; charset=utf-8"), text.clone()),
        json => (Some("application/json; charset=utf-8"), json.to_string()),
    };
    let mut response = Response::new(Body::from(body));
    if let Ok(status) = canned.status.try_into() {
        *response.status_mut() = status;
    }
    let headers = response.headers_mut();
    if let Some(content_type) = content_type {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    for (name, value) in &canned.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
    response
}

/// The response of a limit, as the API sends it.
pub fn rate_limit(kind: RateLimitKind, now: Timestamp, urls: &Urls) -> Response {
    match kind {
        RateLimitKind::Primary => {
            let error = Error::RateLimited("API rate limit exceeded".into());
            let mut response = error_response(&error, None, urls);
            let limit =
                RateLimit { limit: REQUESTS_PER_HOUR, used: REQUESTS_PER_HOUR, reset: now.plus_seconds(HOUR_SECONDS) };
            headers::add_rate_limit(response.headers_mut(), limit);
            response
        }
        RateLimitKind::Secondary => {
            error_response(&Error::SecondaryLimited { retry_after_seconds: RETRY_AFTER_SECONDS }, None, urls)
        }
    }
}

/// The response, cut after so many bytes of its body, although its length is that of the whole.
pub async fn truncated(response: Response, at: usize) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return Response::from_parts(parts, Body::empty());
    };
    parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
    if at >= bytes.len() {
        return Response::from_parts(parts, Body::from(bytes));
    }
    let first = stream::once(async move { Ok::<Bytes, io::Error>(bytes.slice(..at)) });
    let end = stream::once(async {
        tokio::time::sleep(FLUSH_TIME).await;
        Err(io::Error::other("the response is truncated by a fault"))
    });
    Response::from_parts(parts, Body::from_stream(first.chain(end)))
}
