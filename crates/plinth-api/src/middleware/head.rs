//! What can be judged from the first lines of a request, before anyone is asked who they are.

use http::request::Parts;

use crate::policy::{Row, Wire};
use crate::request::media::Media;
use crate::request::version::Version;
use plinth_base::error::{Error, Result};

pub const URI_BYTES_MAX: usize = 8 * 1024;
pub const HEADER_BYTES_MAX: usize = 16 * 1024;

/// Checks the sizes, and reads which version and representation are asked for.
pub fn check_head(parts: &Parts, row: Option<&'static Row>) -> Result<(Version, Media)> {
    let target_length = parts.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target_length > URI_BYTES_MAX {
        return Err(Error::UriTooLong(URI_BYTES_MAX));
    }
    let header_length: usize = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if header_length > HEADER_BYTES_MAX {
        return Err(Error::HeadersTooLarge(HEADER_BYTES_MAX));
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
