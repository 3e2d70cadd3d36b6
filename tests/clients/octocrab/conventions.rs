//! Conventions of every operation: versions, URLs and conditional requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::header::{ETAG, HeaderMap, IF_NONE_MATCH};
use http::{HeaderName, Uri};
use octocrab::Octocrab;
use octocrab::models::pulls::Comment;
use octocrab::params::repos::Reference;
use octocrab::service::middleware::cache::mem::InMemoryCache;
use octocrab::service::middleware::cache::{CacheKey, CacheStorage, CacheWriter, CachedResponse};

use crate::support::{HUBOT, HUBOT_READS, MONA, anonymous, assert_rejected, get, rejection, url, with};

const SELECTED: &str = "x-github-api-version-selected";
/// A resource that no test changes.
const ROUTES: [(&str, &str); 6] = [
    (MONA, "/orgs/octo-org/projectsV2/2/fields?per_page=5"),
    (MONA, "/users/mona/projectsV2/2/fields"),
    (MONA, "/repos/octo-org/hello/pulls/1/comments?per_page=5"),
    (MONA, "/repos/octo-org/hello/git/ref/heads/main"),
    (MONA, "/repos/octo-org/hello/git/matching-refs/tags"),
    (HUBOT_READS, "/repos/octo-org/hello/pulls/1/comments"),
];

#[tokio::test]
async fn unchanged_resource_returns_304() {
    for (token, route) in ROUTES {
        let client = with(token);
        let first = client._get(route).await.unwrap();
        assert_eq!(first.status(), 200, "{route}");
        let tag = first.headers().get(ETAG).expect("an entity tag").clone();
        let known = HeaderMap::from_iter([(IF_NONE_MATCH, tag.clone())]);
        let second = client._get_with_headers(route, Some(known)).await.unwrap();
        assert_eq!(second.status(), 304, "{route}");
        assert_eq!(second.headers().get(ETAG), Some(&tag), "{route}");
        assert_eq!(client.body_to_string(second).await.unwrap(), "", "{route}");
    }
}

/// A cache for the client that counts its 304 responses.
#[tokio::test]
async fn client_cache_is_used_until_change() {
    let reused = Arc::new(AtomicUsize::new(0));
    let cache = Counting { inner: InMemoryCache::new(), reused: reused.clone() };
    let builder = Octocrab::builder().base_uri(url()).expect("an address").cache(cache);
    let client = builder.personal_token(HUBOT.to_owned()).build().expect("a client");
    let git = client.git("octo-org", "refs");
    let branch = Reference::Branch("crab/cached".into());
    let ahead = serde_json::to_value(git.get_ref(&Reference::Branch("featureA".into())).await.unwrap()).expect("data");
    let main = serde_json::to_value(git.get_ref(&Reference::Branch("main".into())).await.unwrap()).expect("data");
    let sha = |found: &serde_json::Value| found["object"]["sha"].as_str().expect("an id").to_owned();

    let made = git.create_ref(&branch, sha(&main)).await.unwrap();
    assert_eq!(git.get_ref(&branch).await.unwrap(), made);
    assert_eq!(git.get_ref(&branch).await.unwrap(), made);
    assert_eq!(reused.load(Ordering::Relaxed), 1);
    let moved = git.update_ref(&branch, sha(&ahead)).send().await.unwrap();
    assert_eq!(git.get_ref(&branch).await.unwrap(), moved);
    assert_eq!(reused.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn enterprise_prefix_is_in_every_link() {
    let prefix = format!("{}/api/v3", url());
    let client = Octocrab::builder().base_uri(prefix.as_str()).expect("an address").build().expect("a client");
    let first = client.pulls("octo-org", "hello").list_comments(Some(1)).per_page(20).send().await.unwrap();
    assert!(first.next.as_ref().is_some_and(|next| next.to_string().starts_with(&prefix)), "{:?}", first.next);
    let all: Vec<Comment> = client.all_pages(first).await.unwrap();
    assert!(all.len() > 40 && all.iter().all(|comment| comment.url.as_str().starts_with(&prefix)));
}

/// The client requests the older version; the service's own header overrides it.
#[tokio::test]
async fn older_api_version_is_default() {
    let route = "/repos/octo-org/hello/git/ref/heads/main";
    let usual = anonymous()._get(route).await.unwrap();
    assert_eq!(usual.status(), 200);
    assert_eq!(usual.headers()[SELECTED], "2022-11-28");
    let newer = versioned("2026-03-10")._get(route).await.unwrap();
    assert_eq!(newer.status(), 200);
    assert_eq!(newer.headers()[SELECTED], "2026-03-10");
    let rejected = rejection(get(&versioned("2020-02-02"), "/versions").await);
    assert_eq!(rejected.status_code, 400);
    assert!(rejected.message.contains("2026-03-10"), "{}", rejected.message);
}

#[tokio::test]
async fn bad_credential_is_always_rejected() {
    let client = with("ghp_nobodyHasThisOne");
    assert_rejected(get(&client, "/repos/octo-org/hello/pulls/1/comments").await, 401, "Bad credentials");
    assert_rejected(get(&client, "/orgs/octo-org/projectsV2/1/fields").await, 401, "Bad credentials");
}

#[tokio::test]
async fn root_and_meta_endpoints_are_served() {
    let mona = with(MONA);
    assert_eq!(mona.current().user().await.unwrap().login, "mona");
    assert!(mona.ratelimit().get().await.unwrap().resources.core.limit > 0);
    let repo = mona.repos("octo-org", "hello").get().await.unwrap();
    assert_eq!(repo.full_name.as_deref(), Some("octo-org/hello"));
    assert_eq!(mona.pulls("octo-org", "hello").get(1).await.unwrap().number, 1);
    assert_eq!(anonymous().orgs("octo-org").get().await.unwrap().login, "octo-org");
}

fn versioned(version: &str) -> Octocrab {
    let builder = Octocrab::builder().base_uri(url()).expect("an address");
    let name = HeaderName::from_static("x-service-api-version");
    builder.add_header(name, version.to_owned()).build().expect("a client")
}

struct Counting {
    inner: InMemoryCache,
    reused: Arc<AtomicUsize>,
}

impl CacheStorage for Counting {
    fn try_hit(&self, uri: &Uri) -> Option<CacheKey> {
        self.inner.try_hit(uri)
    }

    /// Called only after a 304 response.
    fn load(&self, uri: &Uri) -> Option<CachedResponse> {
        self.reused.fetch_add(1, Ordering::Relaxed);
        self.inner.load(uri)
    }

    fn writer(&self, uri: &Uri, key: CacheKey, headers: HeaderMap) -> Box<dyn CacheWriter> {
        self.inner.writer(uri, key, headers)
    }
}
