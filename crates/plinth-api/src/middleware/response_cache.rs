//! The response cache: responses of a moment ago that still hold (docs/decisions/0072-response-cache.md).
//!
//! An answer is kept with the request that it was given to and with the stamp of its moment: the state of the store and
//! the second of the clock. It is given again only to the very same request, and only if that finds the same stamp, so it
//! is never older than the request.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::app::App;
use crate::policy::Row;
use plinth_base::clock::Timestamp;
use plinth_core::rate_limit::LimitKey;

/// Longer requests are rare, and not worth the room.
const KEY_BYTES_MAX: usize = 4096;
/// To prepare the table for about so many entries.
const ENTRY_BYTES_TYPICAL: usize = 4096;
/// What an entry takes besides its bytes: in the table of the cache, and for the counts of those who share it.
const ENTRY_SIZE: usize = 512;
/// The same for a header, with its part of the table of headers.
const HEADER_SIZE: usize = 192;
/// Allocators round up by at most this part.
const ALLOCATOR_SLACK: usize = 8;

/// The moment at which something held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    changes: u64,
    second: Timestamp,
}

impl Stamp {
    /// The stamp of now; nothing where the store cannot tell its state, or where nothing is to be kept.
    pub fn now(app: &App) -> Option<Self> {
        if app.settings.response_cache_bytes == 0 {
            return None;
        }
        // The second first: what is found afterwards is of this second or of a later one.
        let second = app.clock.now();
        app.generations().map(|state| Self { changes: state.changes, second })
    }
}

/// A request to the letter: whatever an answer depends on is in it, its token too.
#[derive(PartialEq, Eq, Hash)]
pub struct Key(Vec<u8>);

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[redacted]")
    }
}

impl Key {
    pub fn of(request: &Request<Body>, peer: IpAddr) -> Option<Self> {
        if request.method() != Method::GET {
            return None;
        }
        let mut key = Vec::with_capacity(512);
        match peer {
            IpAddr::V4(address) => key.extend_from_slice(&address.octets()),
            IpAddr::V6(address) => key.extend_from_slice(&address.octets()),
        }
        let target = request.uri();
        let host = target.authority().map_or("", |authority| authority.as_str());
        let path = target.path_and_query().map_or("", |path| path.as_str());
        let lines = [("", host.as_bytes()), ("", path.as_bytes())].into_iter();
        let headers = request.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        for (name, value) in lines.chain(headers) {
            // No header has a line feed in it, so two requests never look like one.
            key.extend_from_slice(name.as_bytes());
            key.push(b':');
            key.extend_from_slice(value);
            key.push(b'\n');
        }
        (key.len() <= KEY_BYTES_MAX).then_some(Self(key))
    }
}

/// Responses with the moment at which they held. One of another moment is never given, and goes when room is needed.
///
/// All that an entry takes is weighed, so that the whole stays within the bytes that were set.
pub struct ResponseCache(Option<Cache<Key, Arc<Entry>, Weigher>>);

struct Entry {
    stamp: Stamp,
    response: Arc<CachedResponse>,
}

impl ResponseCache {
    /// Without any bytes nothing is cached.
    pub fn new(bytes_max: usize) -> Self {
        let entries = bytes_max / ENTRY_BYTES_TYPICAL;
        Self((bytes_max > 0).then(|| Cache::with_weighter(entries, bytes_max as u64, Weigher)))
    }

    /// The response to this request; `now` is asked for only where there is one.
    pub fn find(&self, key: &Key, now: impl FnOnce() -> Option<Stamp>) -> Option<Arc<CachedResponse>> {
        let cache = self.0.as_ref()?;
        let entry = cache.get(key)?;
        if now() == Some(entry.stamp) {
            return Some(entry.response.clone());
        }
        cache.remove(key);
        None
    }

    /// Stores a response, in place of others where there is no room.
    pub fn insert(&self, stamp: Stamp, mut key: Key, mut response: CachedResponse) {
        let Some(cache) = &self.0 else { return };
        // Buffers that were filled piece by piece are larger than what is in them.
        key.0.shrink_to_fit();
        response.body = Bytes::copy_from_slice(&response.body);
        cache.insert(key, Arc::new(Entry { stamp, response: Arc::new(response) }));
    }
}

/// Tells the bytes of an entry, with all that it has on the heap and the rounding of the allocator.
#[derive(Clone)]
struct Weigher;

impl Weighter<Key, Arc<Entry>> for Weigher {
    fn weight(&self, key: &Key, entry: &Arc<Entry>) -> u64 {
        let response = &entry.response;
        let header = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + HEADER_SIZE;
        let headers: usize = response.headers.iter().map(header).sum();
        let bytes = key.0.len() + response.body.len() + headers + ENTRY_SIZE;
        (bytes + bytes / ALLOCATOR_SLACK) as u64
    }
}

/// An answer with all that it said, apart from what is said anew each time.
pub struct CachedResponse {
    pub row: &'static Row,
    /// Who pays for it, each time.
    pub limit_key: Option<LimitKey>,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl CachedResponse {
    /// Takes note of an answer that can be given again: a good one, whole, or that the client has it already.
    pub fn of(
        response: &Response,
        whole: Option<Bytes>,
        row: &'static Row,
        limit_key: Option<LimitKey>,
    ) -> Option<Self> {
        let status = response.status();
        let body = match status {
            StatusCode::OK => whole?,
            StatusCode::NOT_MODIFIED => Bytes::new(),
            _ => return None,
        };
        Some(Self { row, limit_key, status, headers: response.headers().clone(), body })
    }

    pub fn is_not_modified(&self) -> bool {
        self.status == StatusCode::NOT_MODIFIED
    }

    pub fn to_response(&self) -> Response {
        let mut response = Response::new(Body::from(self.body.clone()));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers.clone();
        response
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::policy::Endpoint;
    use crate::policy::table::GetRef;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn at(changes: u64, second: i64) -> Stamp {
        Stamp { changes, second: Timestamp(second) }
    }

    fn key(path: &str, headers: &[(&str, &str)]) -> Key {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Key::of(&request.body(Body::empty()).expect("a request"), HERE).expect("short enough")
    }

    fn response(length: usize) -> CachedResponse {
        let response = Response::new(Body::empty());
        CachedResponse::of(&response, Some(vec![b'a'; length].into()), GetRef::ROW, None).expect("a good answer")
    }

    #[test]
    fn an_answer_holds_for_its_own_moment_only() {
        let cache = ResponseCache::new(1 << 20);
        let found = |stamp| cache.find(&key("/a", &[]), || Some(stamp)).is_some();
        cache.insert(at(1, 1), key("/a", &[]), response(10));
        assert!(found(at(1, 1)));
        for other in [at(2, 1), at(1, 2), at(1, 0)] {
            cache.insert(at(1, 1), key("/a", &[]), response(10));
            assert!(!found(other));
            assert!(!found(at(1, 1)), "it is forgotten, since a clock can be set back");
        }
        let none = ResponseCache::new(0);
        none.insert(at(1, 1), key("/a", &[]), response(10));
        assert!(none.find(&key("/a", &[]), || Some(at(1, 1))).is_none());
    }

    #[test]
    fn an_answer_is_for_the_very_same_request() {
        let one = key("/a?b=c", &[("accept", "x"), ("authorization", "y")]);
        assert_eq!(one, key("/a?b=c", &[("accept", "x"), ("authorization", "y")]));
        for other in [
            key("/a?b=d", &[("accept", "x"), ("authorization", "y")]),
            key("/a?b=c", &[("accept", "z"), ("authorization", "y")]),
            key("/a?b=c", &[("accept", "x"), ("authorization", "z")]),
            key("/a?b=c", &[("accept", "x")]),
            key("/a?b=c", &[("accept", "x"), ("authorization", "y"), ("host", "z")]),
        ] {
            assert_ne!(one, other);
        }
        let written = Request::post("/a").body(Body::empty()).expect("a request");
        assert_eq!(Key::of(&written, HERE), None);
        let long = Request::get("/a").header("x", "y".repeat(KEY_BYTES_MAX)).body(Body::empty()).expect("a request");
        assert_eq!(Key::of(&long, HERE), None);
    }

    /// A response as the service makes them: some thirty headers, values of their own, and a body that grew as it was
    /// written.
    fn usual_answer(number: usize, length: usize) -> CachedResponse {
        let mut response = Response::new(Body::empty());
        for header in 0..30 {
            let name = HeaderName::try_from(format!("x-header-number-{header}")).expect("a name");
            let value = HeaderValue::try_from(format!("value {number} of header {header}")).expect("a value");
            response.headers_mut().insert(name, value);
        }
        let mut body = Vec::with_capacity(2 * length);
        body.resize(length, b'a');
        CachedResponse::of(&response, Some(body.into()), GetRef::ROW, None).expect("a good answer")
    }

    #[test]
    fn all_that_is_kept_stays_within_the_bytes_that_were_set() {
        const BYTES_MAX: usize = 4 << 20;
        for (key_length, body_length) in [(10, 0), (10, 300), (10, 5_000), (3_900, 0), (2_100, 2_100), (10, 40_000)] {
            let mut cache = None;
            let mut kept = 0;
            let taken = allocation_counter::measure(|| {
                let filled = ResponseCache::new(BYTES_MAX);
                for number in 0..2 * BYTES_MAX / (body_length + 2_048) {
                    let path = format!("/{number}/{}", "x".repeat(key_length));
                    filled.insert(at(1, 1), key(&path, &[]), usual_answer(number, body_length));
                }
                kept = filled.0.as_ref().map_or(0, |cache| cache.len());
                cache = Some(filled);
            });
            let bytes = usize::try_from(taken.bytes_current).expect("nothing else was freed");
            assert!(bytes <= BYTES_MAX, "{bytes} bytes for {kept} responses of {key_length} and {body_length}");
            assert!(bytes >= BYTES_MAX / 3, "{bytes} bytes for {kept} responses of {key_length} and {body_length}");
            drop(cache);
        }
    }
}
