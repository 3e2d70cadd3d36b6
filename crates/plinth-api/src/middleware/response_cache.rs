//! The response cache (docs/decisions/0072-response-cache.md).
//!
//! A response is cached with its whole request. It is valid for the same request as long as no commit has changed the rights
//! or the content that it was made from, and as long as the clock allows.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::lifetime::Lifetime;
use super::recent_requests::RecentRequests;
use super::response_key::Key;
use crate::policy::Row;
use crate::response::buffers::Buffers;
use crate::settings::CacheAdmission;
use plinth_core::rate_limit::LimitKey;
use plinth_store::{Dependency, GenerationCache, GenerationTable, Generations};

/// What a header takes besides its name and value, with its part of the table of headers.
const HEADER_BYTES: usize = 192;

/// Responses by request. Everything that an entry takes is weighed, so that the whole stays within the configured bytes.
pub struct ResponseCache {
    responses: GenerationCache<Key, Arc<CachedResponse>>,
    generations: Arc<GenerationTable>,
    /// Nothing where all responses are added.
    recent: Option<RecentRequests>,
}

impl ResponseCache {
    /// With zero bytes nothing is cached.
    pub fn new(generations: Arc<GenerationTable>, bytes_max: usize, admission: CacheAdmission) -> Self {
        let weigh = |key: &Key, response: &Arc<CachedResponse>| key.bytes() + response.bytes();
        let recent = (bytes_max > 0 && admission == CacheAdmission::Repeated).then(RecentRequests::new);
        Self { responses: GenerationCache::new(generations.clone(), bytes_max, weigh), generations, recent }
    }

    pub fn is_on(&self) -> bool {
        self.responses.is_on()
    }

    /// Whether the response to this request is worth adding: the one of the last time would still be valid.
    pub fn admits(&self, key: &Key, read_at: Generations, dependency: Dependency) -> bool {
        let Some(recent) = &self.recent else { return true };
        let last = recent.add(key, read_at);
        last.is_some_and(|last| self.generations.is_unchanged(last, dependency))
    }

    /// The response to this request, if it is valid now. Where there is one, `refresh` reads the commits of other processes,
    /// and returns whether it could.
    pub async fn find(
        &self,
        key: &Key,
        is_current: impl FnOnce(&Lifetime) -> bool,
        refresh: impl Future<Output = bool>,
    ) -> Option<Arc<CachedResponse>> {
        let candidate = self.responses.candidate(key)?;
        let is_current = is_current(&candidate.value().lifetime) && refresh.await;
        self.responses.accept(key, candidate, is_current)
    }

    pub fn insert(&self, read_at: Generations, dependency: Dependency, mut key: Key, response: CachedResponse) {
        // A buffer that was filled piece by piece has unused capacity.
        key.shrink();
        self.responses.insert(read_at, dependency, key, Arc::new(response));
    }
}

/// A response without the headers that differ each time.
pub struct CachedResponse {
    pub row: &'static Row,
    /// The rate limit that each hit counts against.
    pub limit_key: Option<LimitKey>,
    lifetime: Lifetime,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl CachedResponse {
    /// Nothing for errors and for bodies that are not in memory as a whole.
    pub fn of(
        response: &Response,
        whole: Option<&Buffers>,
        row: &'static Row,
        (lifetime, limit_key): (Lifetime, Option<LimitKey>),
    ) -> Option<Self> {
        let status = response.status();
        let body = match status {
            StatusCode::OK => whole?.to_copy(),
            StatusCode::NOT_MODIFIED => Bytes::new(),
            _ => return None,
        };
        Some(Self { row, limit_key, lifetime, status, headers: response.headers().clone(), body })
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
        self.body.len() + self.lifetime.bytes() + self.headers.iter().map(header).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use futures_util::FutureExt as _;
    use http::Request;

    use super::*;
    use crate::policy::Endpoint;
    use crate::policy::table::GetRef;
    use plinth_base::clock::Timestamp;
    use plinth_base::ids::RepoId;
    use plinth_core::access::TargetKind;
    use plinth_core::tokens::ExpiredTokens;
    use plinth_store::{Changes, Effect, InvalidationScope};

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const A: InvalidationScope = InvalidationScope::Repo(RepoId(1));
    const B: InvalidationScope = InvalidationScope::Repo(RepoId(2));

    fn cache(bytes_max: usize) -> (Arc<GenerationTable>, ResponseCache) {
        let table = Arc::<GenerationTable>::default();
        (table.clone(), ResponseCache::new(table, bytes_max, CacheAdmission::All))
    }

    fn commit(table: &GenerationTable, effect: Effect, scope: InvalidationScope) {
        let mut changes = Changes::default();
        changes.add(effect, scope);
        table.record(&changes);
    }

    fn key(path: &str) -> Key {
        let request = Request::get(path).body(Body::empty()).expect("a request");
        Key::of(&request, HERE).expect("short enough")
    }

    /// Whether there is a response to `/a` at this second.
    fn find(cache: &ResponseCache, second: i64, are_known: bool) -> bool {
        let is_current = |lifetime: &Lifetime| lifetime.contains(Timestamp(second), &ExpiredTokens::default());
        let found = cache.find(&key("/a"), is_current, std::future::ready(are_known)).now_or_never();
        found.expect("nothing is waited for").is_some()
    }

    fn response(length: usize) -> CachedResponse {
        let response = Response::new(Body::empty());
        let body = Buffers::One(vec![b'a'; length].into());
        CachedResponse::of(&response, Some(&body), GetRef::ROW, (Lifetime::Second(Timestamp(1)), None))
            .expect("it is not an error")
    }

    #[test]
    fn response_is_valid_until_its_scope_or_the_clock_changes() {
        let (table, cache) = cache(1 << 20);
        let insert = |scope| cache.insert(table.now(), Dependency::Content(scope), key("/a"), response(10));
        let is_hit = |second| find(&cache, second, true);
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
        assert!(!find(&cache, 1, false), "the generations are not known");
    }

    #[test]
    fn response_is_admitted_if_the_last_one_would_still_be_valid() {
        let table = Arc::<GenerationTable>::default();
        let cache = ResponseCache::new(table.clone(), 1 << 20, CacheAdmission::Repeated);
        let admits = || cache.admits(&key("/a"), table.now(), Dependency::Content(A));
        assert!(!admits(), "it comes the first time");
        assert!(admits());
        commit(&table, Effect::Content, A);
        assert!(!admits(), "its repository has changed");
        commit(&table, Effect::Content, B);
        assert!(admits(), "another repository has changed");
        commit(&table, Effect::Rights, B);
        assert!(!admits(), "rights have changed");
    }

    #[test]
    fn nothing_is_cached_with_zero_bytes() {
        let (table, cache) = cache(0);
        cache.insert(table.now(), Dependency::Content(A), key("/a"), response(10));
        assert!(!find(&cache, 1, true));
    }

    /// A response is invalidated with the content of its target: an account's content is its issue fields and projects.
    /// Before you add a row here, make sure that its response has nothing else.
    #[test]
    fn cached_responses_about_accounts_are_issue_fields_and_projects() {
        let rows = crate::policy::table::TABLE.iter();
        let cached = rows.filter(|row| row.caching.response);
        // Of kinds that have an account's scope, which is not the scope of a repository or of everything.
        let others = [TargetKind::Nothing, TargetKind::User, TargetKind::Repo, TargetKind::Installation];
        let of_accounts = cached.filter(|row| !others.contains(&row.rule.target));
        let operations: Vec<&str> = of_accounts.map(|row| row.operation).collect();
        let projects = ["list-fields-for-org", "get-field-for-org", "list-fields-for-user", "get-field-for-user"];
        let mut expected = projects.map(|name| format!("projects/{name}")).to_vec();
        expected.push("orgs/list-issue-fields".into());
        assert_eq!(operations, expected);
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
        let body = Buffers::One(body.into());
        CachedResponse::of(&response, Some(&body), GetRef::ROW, (Lifetime::Second(Timestamp(1)), None))
            .expect("it is not an error")
    }

    #[test]
    fn cache_stays_within_its_bytes() {
        const BYTES_MAX: usize = 4 << 20;
        for (key_length, body_length) in [(10, 0), (10, 300), (10, 5_000), (3_900, 0), (2_100, 2_100), (10, 40_000)] {
            let mut filled = None;
            let mut entries = 0;
            let table = Arc::<GenerationTable>::default();
            let taken = allocation_counter::measure(|| {
                let cache = ResponseCache::new(table.clone(), BYTES_MAX, CacheAdmission::All);
                for number in 0..2 * BYTES_MAX / (body_length + 2_048) {
                    let path = format!("/{number}/{}", "x".repeat(key_length));
                    cache.insert(
                        table.now(),
                        Dependency::Content(A),
                        key(&path),
                        typical_response(number, body_length),
                    );
                }
                entries = cache.responses.len();
                filled = Some(cache);
            });
            let bytes = usize::try_from(taken.bytes_current).expect("nothing else was freed");
            assert!(bytes <= BYTES_MAX, "{bytes} bytes for {entries} responses of {key_length} and {body_length}");
            assert!(bytes >= BYTES_MAX / 3, "{bytes} bytes for {entries} responses of {key_length} and {body_length}");
            drop(filled);
        }
    }
}
