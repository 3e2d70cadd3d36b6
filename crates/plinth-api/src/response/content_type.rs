//! Bodies with a content type.

use axum::body::Body;
use axum::response::Response;
use http::HeaderValue;
use http::header::CONTENT_TYPE;

/// The exact type that clients compare with before they parse.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// 200 with this body, for whoever sets the rest.
pub fn with_type(content_type: HeaderValue, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}
