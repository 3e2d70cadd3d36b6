//! Responses of handlers.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LINK, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use super::buffers::Buffers;
use super::content_type::{JSON, with_type};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_git::{Reserved, Sent};

const POLL_INTERVAL: HeaderName = HeaderName::from_static("x-poll-interval");
/// Capacity for every header that a response gets, so that the map is allocated once.
const HEADERS_MAX: usize = 32;
/// Most resources fit; a larger body grows from here.
const BODY_SIZE: usize = 4096;
/// A larger body gives its spare capacity back.
const LARGE_BODY: usize = 16 << 10;

/// A response of a handler.
#[derive(Debug)]
pub struct ApiResponse {
    status: StatusCode,
    content_type: Option<HeaderValue>,
    content: Content,
    poll_interval_seconds: Option<u32>,
    link: Option<String>,
    location: Option<String>,
    last_modified: Option<Timestamp>,
    entity_seed: Option<Bytes>,
    cache_control: Option<HeaderValue>,
}

#[derive(Debug)]
enum Content {
    Whole(Buffers),
    /// Made while it is sent; its tag comes from elsewhere.
    Streamed(Body),
}

/// A body with its reservation of memory for large ones.
struct ReservedBody {
    bytes: Bytes,
    _sent: Sent,
}

impl AsRef<[u8]> for ReservedBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl ApiResponse {
    /// 200 with a resource.
    pub fn ok(resource: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, resource)
    }

    /// 201 with a new resource and its URL.
    pub fn created(resource: &impl Serialize, location: impl ToString) -> Self {
        Self { location: Some(location.to_string()), ..Self::json(StatusCode::CREATED, resource) }
    }

    /// The same as 201, with the URL of the new resource.
    pub fn with_created_location(self, location: impl ToString) -> Self {
        Self { status: StatusCode::CREATED, location: Some(location.to_string()), ..self }
    }

    /// 201 for a resource that has no URL of its own.
    pub fn created_without_url(resource: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, resource)
    }

    /// 404 without a body.
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, None, Bytes::new())
    }

    /// 204.
    pub fn no_content() -> Self {
        Self::new(StatusCode::NO_CONTENT, None, Bytes::new())
    }

    /// 408: something that the request waited for did not happen.
    pub fn request_timeout(resource: &impl Serialize) -> Self {
        Self::json(StatusCode::REQUEST_TIMEOUT, resource)
    }

    /// 202 for work that is done later.
    pub fn accepted(resource: &impl Serialize) -> Self {
        Self::json(StatusCode::ACCEPTED, resource)
    }

    /// 205.
    pub fn reset_content() -> Self {
        Self::new(StatusCode::RESET_CONTENT, None, Bytes::new())
    }

    /// 304 for a handler that knows without building the response.
    pub fn not_modified(seed: Vec<u8>) -> Self {
        Self { entity_seed: Some(seed.into()), ..Self::new(StatusCode::NOT_MODIFIED, None, Bytes::new()) }
    }

    /// 200 with some other kind of text.
    pub fn text(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self::new(StatusCode::OK, Some(HeaderValue::from_static(content_type)), body.into())
    }

    /// 200 with JSON that is made while it is sent. The tag is taken from `seed`, since there are no bytes to take it from.
    pub fn streamed(body: Body, seed: Vec<u8>) -> Self {
        let whole = Self::new(StatusCode::OK, Some(JSON), Bytes::new());
        Self { content: Content::Streamed(body), entity_seed: Some(seed.into()), ..whole }
    }

    /// 200 with JSON that was written elsewhere.
    pub fn written_json(body: impl Into<Bytes>) -> Self {
        Self::new(StatusCode::OK, Some(JSON), body.into())
    }

    fn json(status: StatusCode, resource: &impl Serialize) -> Self {
        let mut body = Vec::with_capacity(BODY_SIZE);
        serde_json::to_writer(&mut body, resource).expect("our shapes have text keys and no failing parts");
        if body.len() > LARGE_BODY {
            body.shrink_to_fit();
        }
        Self::new(status, Some(JSON), body.into())
    }

    /// 200 with JSON that is in several buffers. The tag is taken from `seed`, which is different for different bytes.
    pub fn json_in_buffers(buffers: Vec<Bytes>, seed: Vec<u8>) -> Self {
        let whole = Self::new(StatusCode::OK, Some(JSON), Bytes::new());
        Self { content: Content::Whole(Buffers::Several(buffers.into())), entity_seed: Some(seed.into()), ..whole }
    }

    fn new(status: StatusCode, content_type: Option<HeaderValue>, body: Bytes) -> Self {
        Self {
            status,
            content_type,
            content: Content::Whole(body.into()),
            poll_interval_seconds: None,
            link: None,
            location: None,
            last_modified: None,
            entity_seed: None,
            cache_control: None,
        }
    }

    /// Counts a large body for as long as it is in memory, however long it is sent or cached.
    pub fn holding(self, reserved: Option<Reserved>) -> Result<Self> {
        let content = match (self.content, reserved) {
            (Content::Whole(whole), Some(reserved)) => match reserved.send(whole.length() as u64)? {
                Some(sent) => {
                    let reserved = ReservedBody { bytes: whole.into_one(), _sent: sent };
                    Content::Whole(Bytes::from_owner(reserved).into())
                }
                None => Content::Whole(whole),
            },
            (content, _) => content,
        };
        Ok(Self { content, ..self })
    }

    /// The body, if it is in memory as a whole, without unused capacity.
    pub fn to_body(&self) -> Option<Bytes> {
        match &self.content {
            Content::Whole(body) if body.length() > LARGE_BODY => Some(body.clone().into_one()),
            Content::Whole(body) => Some(body.to_copy()),
            Content::Streamed(_) => None,
        }
    }

    /// Adds the links to other pages.
    pub fn with_link(self, link: Option<String>) -> Self {
        Self { link, ..self }
    }

    pub fn with_last_modified(self, moment: Option<Timestamp>) -> Self {
        Self { last_modified: moment, ..self }
    }

    pub fn with_content_type(self, content_type: &'static str) -> Self {
        Self { content_type: Some(HeaderValue::from_static(content_type)), ..self }
    }

    /// For what may differ a moment later.
    pub fn without_caching(self) -> Self {
        Self { cache_control: Some(HeaderValue::from_static("no-cache")), ..self }
    }

    /// For a secret, which no cache may store even for its owner.
    pub fn without_storing(self) -> Self {
        Self { cache_control: Some(HeaderValue::from_static("no-store")), ..self }
    }

    /// Asks clients not to poll more often.
    pub fn with_poll_interval(self, seconds: u32) -> Self {
        Self { poll_interval_seconds: Some(seconds), ..self }
    }

    /// Takes the entity tag from something smaller than the body, such as a generation number.
    pub fn with_entity_seed(self, seed: Vec<u8>) -> Self {
        Self { entity_seed: Some(seed.into()), ..self }
    }
}

/// 200 with a stream of Git's own protocol, which no cache may store.
pub fn git_stream(content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = with_type(HeaderValue::from_static(content_type), body);
    let never = HeaderValue::from_static("no-cache, max-age=0, must-revalidate");
    response.headers_mut().insert(CACHE_CONTROL, never);
    response
}

/// What the middleware needs to know about a response besides the response.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub last_modified: Option<Timestamp>,
    pub entity_seed: Option<Bytes>,
    /// The body, where it is in memory as a whole.
    pub body: Option<Buffers>,
}

impl ApiResponse {
    /// The response alone, for what no client asks for conditionally.
    pub fn into_response(self) -> Response {
        self.into_parts().0
    }

    /// The response, and what the middleware needs to know about it.
    pub fn into_parts(self) -> (Response, Facts) {
        let (body, whole) = match self.content {
            Content::Whole(whole) => (whole.to_body(), Some(whole)),
            Content::Streamed(body) => (body, None),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = HeaderMap::with_capacity(HEADERS_MAX);
        let headers = response.headers_mut();
        let text = |value: String| HeaderValue::try_from(value).expect("URLs are percent-encoded");
        self.content_type.map(|value| headers.insert(CONTENT_TYPE, value));
        self.cache_control.map(|value| headers.insert(CACHE_CONTROL, value));
        self.link.map(|value| headers.insert(LINK, text(value)));
        self.location.map(|value| headers.insert(LOCATION, text(value)));
        self.poll_interval_seconds.map(|seconds| headers.insert(POLL_INTERVAL, seconds.into()));
        let facts = Facts { last_modified: self.last_modified, entity_seed: self.entity_seed, body: whole };
        (response, facts)
    }
}
