//! The response cache (docs/decisions/0072-response-cache.md).
//!
//! A response is cached with its whole request. It is valid for the same request within the same second of the clock, as
//! long as no commit has changed the rights or the content that it was made from.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};

use crate::policy::Row;
use plinth_base::clock::Timestamp;
use plinth_core::rate_limit::LimitKey;
use plinth_store::{Dependency, GenerationCache, GenerationTable, InvalidationScope};

use super::read_at::ReadAt;

/// Longer requests are rare, and not worth the memory.
const KEY_BYTES_MAX: usize = 4096;
/// What a header takes besides its name and value, with its part of the table of headers.
const HEADER_BYTES: usize = 192;

/// A whole request: everything that its response depends on, its token included.
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

/// Responses by request. Everything that an entry takes is weighed, so that the whole stays within the configured bytes.
pub struct ResponseCache(GenerationCache<Key, (Timestamp, Arc<CachedResponse>)>);

impl ResponseCache {
    /// With zero bytes nothing is cached.
    pub fn new(generations: Arc<GenerationTable>, bytes_max: usize) -> Self {
        Self(GenerationCache::new(generations, bytes_max, |key, (_, response)| key.0.len() + response.bytes()))
    }

    pub fn is_on(&self) -> bool {
        self.0.is_on()
    }

    /// The response to this request, if it is valid now. Where there is one, `look` looks for commits of other processes,
    /// and returns whether it could.
    pub async fn find(
        &self,
        key: &Key,
        now: Timestamp,
        look: impl Future<Output = bool>,
    ) -> Option<Arc<CachedResponse>> {
        let candidate = self.0.candidate(key)?;
        let is_current = candidate.value().0 == now && look.await;
        let (_, response) = self.0.accept(key, candidate, is_current)?;
        Some(response)
    }

    pub fn insert(&self, read_at: ReadAt, scope: InvalidationScope, mut key: Key, mut response: CachedResponse) {
        // Buffers that were filled piece by piece have unused capacity.
        key.0.shrink_to_fit();
        response.body = Bytes::copy_from_slice(&response.body);
        let ReadAt { generations, second } = read_at;
        self.0.insert(generations, Dependency::Content(scope), key, (second, Arc::new(response)));
    }
}

/// A response without the headers that differ each time.
pub struct CachedResponse {
    pub row: &'static Row,
    /// The rate limit that each hit counts against.
    pub limit_key: Option<LimitKey>,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl CachedResponse {
    /// Nothing for errors and for bodies that are not in memory as a whole.
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

    fn bytes(&self) -> usize {
        let header = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + HEADER_BYTES;
        self.body.len() + self.headers.iter().map(header).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::policy::table::GetRef;
    use crate::policy::{Caching, Endpoint};
    use plinth_base::ids::RepoId;
    use plinth_core::access::TargetKind;
    use plinth_store::{Changes, Effect};

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const A: InvalidationScope = InvalidationScope::Repo(RepoId(1));
    const B: InvalidationScope = InvalidationScope::Repo(RepoId(2));

    fn cache(bytes_max: usize) -> (Arc<GenerationTable>, ResponseCache) {
        let table = Arc::<GenerationTable>::default();
        (table.clone(), ResponseCache::new(table, bytes_max))
    }

    fn at_second_one(table: &GenerationTable) -> ReadAt {
        ReadAt { generations: table.now(), second: Timestamp(1) }
    }

    fn commit(table: &GenerationTable, effect: Effect, scope: InvalidationScope) {
        let mut changes = Changes::default();
        changes.add(effect, scope);
        table.record(&changes);
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
        let body = Some(vec![b'a'; length].into());
        CachedResponse::of(&response, body, GetRef::ROW, None).expect("it is not an error")
    }

    #[test]
    fn response_is_valid_until_its_scope_or_the_clock_changes() {
        let (table, cache) = cache(1 << 20);
        let insert = |scope| cache.insert(at_second_one(&table), scope, key("/a", &[]), response(10));
        let is_hit = |second| cache.find(&key("/a", &[]), Timestamp(second), || true).is_some();
        insert(A);
        assert!(is_hit(1));
        commit(&table, Effect::Content, B);
        assert!(is_hit(1), "another repository has changed");
        commit(&table, Effect::Content, A);
        assert!(!is_hit(1), "its repository has changed");
        for second in [2, 0] {
            insert(A);
            assert!(!is_hit(second));
            assert!(!is_hit(1), "it is removed, since a clock can be set back");
        }
        insert(A);
        commit(&table, Effect::Rights, B);
        assert!(!is_hit(1), "rights have changed");
        insert(InvalidationScope::Everything);
        commit(&table, Effect::Content, B);
        assert!(!is_hit(1), "it is made from everything");
        insert(A);
        assert!(cache.find(&key("/a", &[]), Timestamp(1), || false).is_none(), "the generations are not known");
    }

    #[test]
    fn nothing_is_cached_with_zero_bytes() {
        let (table, cache) = cache(0);
        cache.insert(at_second_one(&table), A, key("/a", &[]), response(10));
        assert!(cache.find(&key("/a", &[]), Timestamp(1), || true).is_none());
    }

    /// A response is invalidated with the content of its target: an account's content is its issue fields and projects.
    /// Before you add a row here, make sure that its response has nothing else.
    #[test]
    fn cached_responses_about_accounts_are_issue_fields_and_projects() {
        let rows = crate::policy::table::TABLE.iter();
        let cached = rows.filter(|row| row.caching == Caching::Response);
        // Of kinds that have an account's scope, which is not the scope of a repository or of everything.
        let others = [TargetKind::Nothing, TargetKind::User, TargetKind::Repo, TargetKind::Installation];
        let of_accounts = cached.filter(|row| !others.contains(&row.rule.target));
        let operations: Vec<&str> = of_accounts.map(|row| row.operation).collect();
        let projects = ["list-fields-for-org", "get-field-for-org", "list-fields-for-user", "get-field-for-user"];
        let mut expected = projects.map(|name| format!("projects/{name}")).to_vec();
        expected.push("orgs/list-issue-fields".into());
        assert_eq!(operations, expected);
    }

    #[test]
    fn requests_that_differ_have_different_keys() {
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
    fn typical_response(number: usize, length: usize) -> CachedResponse {
        let mut response = Response::new(Body::empty());
        for header in 0..30 {
            let name = HeaderName::try_from(format!("x-header-number-{header}")).expect("a name");
            let value = HeaderValue::try_from(format!("value {number} of header {header}")).expect("a value");
            response.headers_mut().insert(name, value);
        }
        let mut body = Vec::with_capacity(2 * length);
        body.resize(length, b'a');
        CachedResponse::of(&response, Some(body.into()), GetRef::ROW, None).expect("it is not an error")
    }

    #[test]
    fn cache_stays_within_its_bytes() {
        const BYTES_MAX: usize = 4 << 20;
        for (key_length, body_length) in [(10, 0), (10, 300), (10, 5_000), (3_900, 0), (2_100, 2_100), (10, 40_000)] {
            let mut filled = None;
            let mut entries = 0;
            let table = Arc::<GenerationTable>::default();
            let taken = allocation_counter::measure(|| {
                let cache = ResponseCache::new(table.clone(), BYTES_MAX);
                for number in 0..2 * BYTES_MAX / (body_length + 2_048) {
                    let path = format!("/{number}/{}", "x".repeat(key_length));
                    cache.insert(at_second_one(&table), A, key(&path, &[]), typical_response(number, body_length));
                }
                entries = cache.0.len();
                filled = Some(cache);
            });
            let bytes = usize::try_from(taken.bytes_current).expect("nothing else was freed");
            assert!(bytes <= BYTES_MAX, "{bytes} bytes for {entries} responses of {key_length} and {body_length}");
            assert!(bytes >= BYTES_MAX / 3, "{bytes} bytes for {entries} responses of {key_length} and {body_length}");
            drop(filled);
        }
    }
}
