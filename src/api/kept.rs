//! Answers of a moment ago that still hold (docs/decisions/0072-kept-answers.md).
//!
//! An answer is kept with the request that it was given to and with the stamp of its moment: the state of the store and
//! the second of the clock. It is given again only to the very same request, and only if that finds the same stamp, so it
//! is never older than the request.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use parking_lot::Mutex;

use super::access::Row;
use super::limits::Payer;
use crate::app::App;
use crate::clock::Timestamp;

const SHARDS: usize = 16;
/// Longer requests are rare, and not worth the room.
const KEY_BYTES_MAX: usize = 4096;
/// About what the headers of an answer take.
const HEADERS_SIZE: usize = 2048;

/// The moment at which something held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    changes: u64,
    second: Timestamp,
}

impl Stamp {
    /// The stamp of now; nothing where the store cannot tell its state, or where nothing is to be kept.
    pub fn now(app: &App) -> Option<Self> {
        if app.settings.kept_bytes_max == 0 {
            return None;
        }
        // The second first: what is found afterwards is of this second or of a later one.
        let second = app.clock.now();
        app.store.state().map(|state| Self { changes: state.changes, second })
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

/// The answers of this moment, spread over several locks; with the next moment they are gone.
pub struct Kept {
    hasher: RandomState,
    bytes_max: usize,
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Default)]
struct Shard {
    stamp: Option<Stamp>,
    bytes: usize,
    answers: HashMap<Key, Arc<Answer>>,
}

impl Kept {
    pub fn new(bytes_max: usize) -> Self {
        Self {
            hasher: RandomState::new(),
            bytes_max: bytes_max / SHARDS,
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// The answer to this request; `now` is asked for only where there is one.
    pub fn find(&self, key: &Key, now: impl FnOnce() -> Option<Stamp>) -> Option<Arc<Answer>> {
        let (answer, stamp) = {
            let shard = self.shard(key).lock();
            (shard.answers.get(key)?.clone(), shard.stamp)
        };
        let now = now()?;
        if stamp == Some(now) {
            return Some(answer);
        }
        self.shard(key).lock().turn_to(now);
        None
    }

    /// Keeps an answer, where there is room.
    pub fn keep(&self, stamp: Stamp, key: Key, answer: Answer) {
        let mut shard = self.shard(&key).lock();
        shard.turn_to(stamp);
        let size = key.0.len() + answer.body.len() + HEADERS_SIZE;
        if shard.bytes + size <= self.bytes_max {
            shard.bytes += size;
            shard.answers.insert(key, Arc::new(answer));
        }
    }

    fn shard(&self, key: &Key) -> &Mutex<Shard> {
        &self.shards[self.hasher.hash_one(key) as usize % SHARDS]
    }
}

impl Shard {
    /// Forgets what is of another moment, also of a later one: a clock can be set back.
    fn turn_to(&mut self, stamp: Stamp) {
        if self.stamp != Some(stamp) {
            *self = Self { stamp: Some(stamp), ..Self::default() };
        }
    }
}

/// An answer with all that it said, apart from what is said anew each time.
pub struct Answer {
    pub row: &'static Row,
    /// Who pays for it, each time.
    pub payer: Option<Payer>,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Answer {
    /// Takes note of an answer that can be given again: a good one, whole, or that the client has it already.
    pub fn of(response: &Response, whole: Option<Bytes>, row: &'static Row, payer: Option<Payer>) -> Option<Self> {
        let status = response.status();
        let body = match status {
            StatusCode::OK => whole?,
            StatusCode::NOT_MODIFIED => Bytes::new(),
            _ => return None,
        };
        Some(Self { row, payer, status, headers: response.headers().clone(), body })
    }

    pub fn is_free(&self) -> bool {
        self.status == StatusCode::NOT_MODIFIED
    }

    pub fn again(&self) -> Response {
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
    use crate::api::access::Endpoint;
    use crate::api::access::table::GetRef;

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

    fn answer(length: usize) -> Answer {
        let response = Response::new(Body::empty());
        Answer::of(&response, Some(vec![b'a'; length].into()), GetRef::ROW, None).expect("a good answer")
    }

    #[test]
    fn an_answer_holds_for_its_own_moment_only() {
        let kept = Kept::new(SHARDS * 10_000);
        let found = |stamp| kept.find(&key("/a", &[]), || Some(stamp)).is_some();
        kept.keep(at(1, 1), key("/a", &[]), answer(10));
        assert!(found(at(1, 1)));
        for other in [at(2, 1), at(1, 2), at(1, 0)] {
            kept.keep(at(1, 1), key("/a", &[]), answer(10));
            assert!(!found(other));
            assert!(!found(at(1, 1)), "it is forgotten, since a clock can be set back");
        }
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

    #[test]
    fn there_is_only_so_much_room() {
        let kept = Kept::new(SHARDS * 10_000);
        kept.keep(at(1, 1), key("/large", &[]), answer(10_001));
        assert!(kept.find(&key("/large", &[]), || Some(at(1, 1))).is_none());
        for number in 0..1000 {
            kept.keep(at(1, 1), key(&format!("/{number}"), &[]), answer(2_000));
        }
        let count: usize = kept.shards.iter().map(|shard| shard.lock().answers.len()).sum();
        assert!(count <= 2 * SHARDS, "{count}");
    }
}
