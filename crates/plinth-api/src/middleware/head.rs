//! The layer that checks the head of a request before anything is looked up: its size, the version and the media type. It
//! also responds to CORS preflight requests.

use http::Method;
use http::request::Parts;
use plinth_base::error::{Error, Result};

use super::finish::preflight;
use super::pipeline::{Admitted, Inner, Negotiated, Outcome, Routed, layer};
use crate::negotiation::{Media, Version};
use crate::policy::{Row, Wire};

pub const URI_BYTES_MAX: usize = 8 * 1024;
pub const HEADER_BYTES_MAX: usize = 16 * 1024;
/// As many as hyper takes over HTTP/1.1.
pub const HEADER_LINES_MAX: usize = 100;

layer! {
    HeadLayer => Head {}
}

impl<S: Inner<Negotiated>> Inner<Routed> for Head<S> {
    async fn respond(&self, request: Routed) -> Outcome {
        let row = request.row();
        let Routed { admitted: Admitted { request, origin, permit, is_cacheable, read_at }, route } = request;
        let (parts, body) = request.into_parts();
        let (version, media) = match check_head(&parts, row) {
            Ok(negotiated) => negotiated,
            Err(error) => return Outcome::error(&error, None, &origin.urls, &origin.request_id),
        };
        if parts.method == Method::OPTIONS {
            return Outcome::new(preflight(), None);
        }
        self.inner
            .respond(Negotiated { parts, body, origin, permit, is_cacheable, read_at, route, version, media })
            .await
    }
}

/// Checks the sizes, and reads which version and representation are asked for.
fn check_head(parts: &Parts, row: Option<&'static Row>) -> Result<(Version, Media)> {
    let target_length = parts.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target_length > URI_BYTES_MAX {
        return Err(Error::UriTooLong(URI_BYTES_MAX));
    }
    let header_length: usize = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if header_length > HEADER_BYTES_MAX {
        return Err(Error::HeadersTooLarge(HEADER_BYTES_MAX));
    }
    // Over HTTP/1.1 the parser has checked this already.
    if parts.headers.len() > HEADER_LINES_MAX {
        return Err(Error::TooManyHeaders(HEADER_LINES_MAX));
    }
    let query = parts.uri.query().unwrap_or_default();
    if !query.is_empty() && form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "access_token") {
        let message = "Tokens are not accepted in the query, where logs would keep them: use the Authorization header";
        return Err(Error::BadRequest(message.into()));
    }
    match row.map_or(Wire::Json, |row| row.wire) {
        Wire::Json | Wire::Upload => Ok((Version::of(&parts.headers)?, Media::of(&parts.headers)?)),
        // Git has media types of its own and versions of another kind.
        Wire::Git => Ok((Version::DEFAULT, Media::default())),
    }
}
