//! Files for browsers: text in the binary, each with a content security policy and a cache lifetime.

use bytes::Bytes;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};

use crate::request::handler::HandlerResponse;
use crate::response::api_response::ApiResponse;

/// A file for a browser.
pub struct Asset {
    pub content_type: &'static str,
    pub body: Bytes,
    pub policy: &'static str,
    pub caching: &'static str,
}

/// Loads only the service's own files and connects only to it.
pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                               base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// For a picture or text that loads nothing.
pub const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// Short, so that a new version of the service is soon visible.
pub const SHORTLY: &str = "public, max-age=300";
/// For what never changes.
pub const FOR_A_DAY: &str = "public, max-age=86400, immutable";

impl From<Asset> for HandlerResponse {
    fn from(asset: Asset) -> Self {
        let mut handled = HandlerResponse::from(ApiResponse::text(asset.content_type, asset.body));
        let headers = handled.response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(asset.policy));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(asset.caching));
        handled
    }
}
