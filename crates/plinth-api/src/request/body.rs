//! Request bodies: bounded, then JSON, then the shape that the operation describes.

use axum::body::Body;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Limited};
use serde_json::{Map, Value};

use super::handler::{ApiRequest, FromRequest};
use super::request_body::RequestBody;
use super::shape::{self, FromJson};
use crate::app::App;
use plinth_base::error::{Error, Result};

/// The nesting that a JSON body may have.
const DEPTH_MAX: usize = 64;
/// Bodies of the API are small texts.
pub const BYTES_MAX: usize = 1024 * 1024;

/// A body that has the shape `T`.
pub struct Json<T>(pub T);

impl<T: FromJson + Send> FromRequest for Json<T> {
    /// The media type of the body is not asked: many clients send JSON under another name.
    async fn from_request(request: &mut ApiRequest, _: &App) -> Result<Self> {
        let bytes = collect(request.take_body(), BYTES_MAX).await?;
        shape::read(&parse_object(&bytes)?).map(Json)
    }
}

/// Reads a body of at most `limit` bytes. Boxed, so that not every handler contains a copy of it.
pub fn collect(body: Body, limit: usize) -> BoxFuture<'static, Result<bytes::Bytes>> {
    Box::pin(async move {
        match Limited::new(body, limit).collect().await {
            Ok(collected) => Ok(collected.to_bytes()),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(Error::BodyTooLarge(limit)),
            Err(error) if RequestBody::is_too_slow(&*error) => {
                Err(Error::Unavailable("the request body came too slowly".into()))
            }
            Err(_) => Err(Error::BadRequest("The request body could not be read".into())),
        }
    })
}

/// No body at all means an object without keys.
pub fn parse_object(bytes: &[u8]) -> Result<Map<String, Value>> {
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    if is_too_deep(bytes) {
        return Err(Error::BadRequest("Problems parsing JSON".into()));
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Error::BadRequest("Body should be a JSON object".into())),
        Err(_) => Err(Error::BadRequest("Problems parsing JSON".into())),
    }
}

/// Counts brackets outside of strings, before anything is built from them.
fn is_too_deep(bytes: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_strings() {
        assert!(!is_too_deep("[".repeat(DEPTH_MAX).as_bytes()));
        assert!(is_too_deep("[".repeat(DEPTH_MAX + 1).as_bytes()));
        assert!(!is_too_deep(format!("{{\"a\": \"\\\"{}\"}}", "[".repeat(200)).as_bytes()));
        assert!(!is_too_deep("[]".repeat(500).as_bytes()));
    }

    #[test]
    fn only_an_object_is_a_body() {
        assert!(matches!(parse_object(b"{"), Err(Error::BadRequest(text)) if text == "Problems parsing JSON"));
        assert!(matches!(parse_object(b"[1]"), Err(Error::BadRequest(text)) if text == "Body should be a JSON object"));
        assert!(parse_object(b"").expect("an empty body is an empty object").is_empty());
    }
}
