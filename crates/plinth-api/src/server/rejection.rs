//! An error response as bytes, for a head that hyper never sees.

use std::time::SystemTime;

use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt;
use http_body_util::BodyExt;

/// The whole response; its body must be in memory.
pub fn render(response: Response) -> Bytes {
    let (parts, body) = response.into_parts();
    let body = body.collect().now_or_never().and_then(Result::ok).map(http_body_util::Collected::to_bytes);
    let body = body.unwrap_or_default();
    let mut out = format!("HTTP/1.1 {}\r\n", parts.status).into_bytes();
    let date = httpdate::fmt_http_date(SystemTime::now());
    let length = body.len().to_string();
    let own = [("date", date.as_bytes()), ("content-length", length.as_bytes())];
    let given = parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    for (name, value) in given.chain(own) {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(&body);
    out.into()
}
