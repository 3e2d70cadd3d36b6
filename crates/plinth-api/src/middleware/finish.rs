//! The last steps of a response: entity tag, conditional requests, HEAD.

use axum::body::Body;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, LAST_MODIFIED};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::request::conditional::{EntityTag, is_not_modified};
use crate::request::context::RequestContext;
use crate::request::handler::HandlerResponse;
use crate::response::buffers::Buffers;
use crate::response::headers;
use plinth_base::error::Result;

/// Adds validators and the media type, and turns the response into 304 if the client has it already.
pub fn finish(
    handled: HandlerResponse,
    context: &RequestContext,
    method: &Method,
    preconditions: &HeaderMap,
) -> Result<Response> {
    let HandlerResponse { mut response, facts } = handled;
    let Some(facts) = facts else { return Ok(response) };
    let status = response.status();
    if status == StatusCode::NO_CONTENT {
        return Ok(response);
    }
    let seed = facts.entity_seed.as_deref().or(facts.body.as_ref().and_then(Buffers::as_one));
    let tag = seed.map(|seed| EntityTag::new(context, seed));
    let readable = *method == Method::GET && (status == StatusCode::OK || status == StatusCode::NOT_MODIFIED);
    let not_modified = readable && is_not_modified(preconditions, tag.as_ref(), facts.last_modified)?;
    if not_modified {
        response = unchanged(&response);
    } else {
        headers::add_media(response.headers_mut(), context.media);
    }
    if let Some(tag) = tag {
        response.headers_mut().insert(ETAG, tag.header_value());
    }
    if let Some(modified) = facts.last_modified {
        let date = HeaderValue::try_from(modified.http_date()).expect("a date is ASCII");
        response.headers_mut().insert(LAST_MODIFIED, date);
    }
    Ok(response)
}

/// 304 with the headers that a cache updates.
fn unchanged(whole: &Response) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    let copied = [CACHE_CONTROL, CONTENT_SECURITY_POLICY];
    let copied = copied.into_iter().filter_map(|name| Some((whole.headers().get(&name)?.clone(), name)));
    response.headers_mut().extend(copied.map(|(value, name)| (name, value)));
    response
}

/// The response to a CORS preflight request.
pub fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    headers::add_preflight(response.headers_mut());
    response
}

/// The same headers as with a body, its length included.
pub fn without_body(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    if let Some(length) = axum::body::HttpBody::size_hint(&body).exact()
        && parts.headers.contains_key(CONTENT_TYPE)
    {
        parts.headers.insert(CONTENT_LENGTH, length.into());
    }
    Response::from_parts(parts, Body::empty())
}
