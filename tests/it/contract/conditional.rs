//! Conditional requests: a 304 for the caller who has the current representation, and for nobody else.

use expect_test::expect;

use super::{service, service_with};
use crate::support::Response;
use plinth_api::settings::Settings;

const REPO: &str = "/repos/octo-org/secret";

fn tag(response: &Response) -> String {
    response.header("etag").expect("a representation has a tag").to_owned()
}

#[tokio::test]
async fn matching_etag_returns_304_without_body() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let first = mona.get(REPO).await.expect(200);
    let tag = tag(&first);
    assert!(tag.len() == 66 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    assert_eq!(self::tag(&mona.get(REPO).await), tag, "the same representation has the same tag");
    let bare = tag.trim_matches('"');
    for (cached, status) in [
        (tag.clone(), 304),
        (format!("W/{tag}"), 304),
        (format!("\"a\", W/\"b\",{tag} , \"c\""), 304),
        ("*".to_owned(), 304),
        ("\"abc\"".to_owned(), 200),
        (format!("\"{}\"", &bare[1..]), 200),
        (String::new(), 200),
    ] {
        let response = mona.clone().header("if-none-match", &cached).get(REPO).await;
        assert_eq!(response.status, status, "{cached}");
        assert_eq!(self::tag(&response), tag, "{cached}");
    }
    let response = mona.clone().header("if-none-match", "\"a\"").header("if-none-match", &tag).get(REPO).await;
    assert_eq!(response.status, 304, "a second header of the same name counts");
}

#[tokio::test]
async fn not_modified_response_has_cache_headers_only() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let first = mona.get(REPO).await.expect(200);
    let response = mona.header("if-none-match", &tag(&first)).get(REPO).await.expect(304);
    assert!(response.body.is_empty());
    for name in ["etag", "cache-control", "vary", "last-modified", "x-ratelimit-limit", "x-oauth-scopes"] {
        assert_eq!(response.header(name), first.header(name), "{name}");
        assert!(response.header(name).is_some(), "{name}");
    }
    for name in ["content-type", "content-length", "x-github-media-type", "x-service-media-type"] {
        assert_eq!(response.header(name), None, "{name}");
    }
}

/// Tags are computed with a key of the store: without it, nobody can look for two representations with the same tag.
#[tokio::test]
async fn etag_stays_after_a_restart_and_is_another_in_another_store() {
    let (mut one, another) = (service().await, service().await);
    let first = one.with_token("ghp_monamona").get(REPO).await.expect(200);
    let other = another.with_token("ghp_monamona").get(REPO).await.expect(200);
    assert_eq!(first.json(), other.json());
    assert_ne!(tag(&first), tag(&other));
    one.restart().await;
    one.with_token("ghp_monamona").header("if-none-match", &tag(&first)).get(REPO).await.expect(304);
}

#[tokio::test]
async fn if_modified_since_applies_without_etag() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let first = mona.get(REPO).await.expect(200);
    let modified = first.header("last-modified").expect("a repository has a date").to_owned();
    for (since, status) in [
        (modified.as_str(), 304),
        ("Wed, 01 Jan 2031 00:00:00 GMT", 304),
        ("Thu, 01 Jan 2015 00:00:00 GMT", 200),
        ("Thursday, 01-Jan-15 00:00:00 GMT", 200),
    ] {
        assert_eq!(mona.clone().header("if-modified-since", since).get(REPO).await.status, status, "{since}");
    }
    let response = mona.clone().header("if-modified-since", "yesterday").get(REPO).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/get",
          "message": "Unable to parse If-Modified-Since request header. Please make sure value is in an acceptable format.",
          "status": "422"
        }"#]].assert_eq(&response.to_string());
    // An ETag takes precedence over a date; without a date there is nothing to compare.
    let both = mona.clone().header("if-none-match", "\"other\"").header("if-modified-since", &modified);
    both.get(REPO).await.expect(200);
    mona.clone().header("if-modified-since", "yesterday").get("/meta").await.expect(200);
    mona.header("if-modified-since", &modified).get("/meta").await.expect(200);
}

/// The ETag of one caller is not valid for another, and hidden resources stay hidden.
#[tokio::test]
async fn etag_depends_on_caller() {
    let service = service().await;
    let mut tags = std::collections::BTreeSet::new();
    let path = "/repos/octo-org/hello";
    let tokens =
        ["ghp_monamona", "ghp_monasecond", "ghp_hubothubot", "github_pat_mona", "ghu_monamona", "ghs_helperhelper"];
    for token in tokens {
        assert!(tags.insert(tag(&service.with_token(token).get(path).await.expect(200))), "{token} shares a tag");
    }
    assert!(tags.insert(tag(&service.anonymous().get(path).await.expect(200))), "nobody shares a tag");
    for cached in &tags {
        let matches = [service.with_token("ghp_hubothubot").header("if-none-match", cached).get(path).await];
        let own = tag(&service.with_token("ghp_hubothubot").get(path).await);
        assert_eq!(matches[0].status, if *cached == own { 304 } else { 200 });
    }
    let secret = tag(&service.with_token("ghp_monamona").get(REPO).await.expect(200));
    for cached in [secret.as_str(), "*"] {
        service.with_token("ghp_hubothubot").header("if-none-match", cached).get(REPO).await.expect(404);
        service.anonymous().header("if-none-match", cached).get(REPO).await.expect(404);
    }
}

#[tokio::test]
async fn etag_depends_on_representation() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let mut tags = std::collections::BTreeSet::new();
    let mut add = |response: Response| assert!(tags.insert(tag(&response)), "two representations share a tag");
    add(mona.get(REPO).await);
    add(mona.clone().header("accept", "application/vnd.github.raw+json").get(REPO).await);
    add(mona.clone().header("accept", "application/vnd.github.html+json").get(REPO).await);
    add(mona.clone().header("x-github-api-version", "2022-11-28").get(REPO).await);
    add(mona.get(&format!("/api/v3{REPO}")).await);
    add(mona.clone().header("host", "other.test").get(REPO).await);
}

#[tokio::test]
async fn writes_ignore_conditional_headers() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona").header("if-none-match", "*").header("if-modified-since", "yesterday");
    mona.post("/user/repos", serde_json::json!({ "name": "new" })).await.expect(201);
    mona.delete("/repos/mona/new").await.expect(204);
}

#[tokio::test]
async fn only_304_does_not_count_against_rate_limit() {
    let service = service_with(Settings::default()).await;
    let mona = service.with_token("ghp_monamona");
    let remaining = |response: &Response| {
        response.header("x-ratelimit-remaining").expect("a rate limit").parse::<i64>().expect("a number")
    };
    let first = mona.get(REPO).await.expect(200);
    assert_eq!(remaining(&first), 4999);
    for _ in 0..3 {
        let response = mona.clone().header("if-none-match", &tag(&first)).get(REPO).await.expect(304);
        assert_eq!(remaining(&response), 4999);
    }
    assert_eq!(remaining(&mona.get("/repos/octo-org/nothing").await.expect(404)), 4998);
    assert_eq!(remaining(&mona.post("/user/repos", serde_json::json!({ "name": "new" })).await.expect(201)), 4997);
    assert_eq!(remaining(&mona.delete("/repos/mona/new").await.expect(204)), 4996);
    assert_eq!(remaining(&mona.get("/rate_limit").await.expect(200)), 4996);
}

#[tokio::test]
async fn head_returns_headers_of_get() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    for path in [REPO, "/user", "/meta", "/", "/repos/octo-org/nothing", "/nowhere"] {
        let (get, head) = (mona.get(path).await, mona.head(path).await);
        assert!(head.body.is_empty(), "{path}");
        assert_eq!(head.header("content-length"), Some(get.body.len().to_string().as_str()), "{path}");
        let mut headers = head.headers.clone();
        headers.remove("content-length");
        let head = Response { headers, ..head };
        assert_eq!((head.comparable().0, head.comparable().1), (get.comparable().0, get.comparable().1), "{path}");
    }
    let tag = tag(&mona.get(REPO).await);
    mona.header("if-none-match", &tag).head(REPO).await.expect(304);
}

#[tokio::test]
async fn compressed_response_has_weak_etag() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let plain = mona.get(REPO).await.expect(200);
    let encoded = mona.clone().header("accept-encoding", "gzip, deflate, br").get(REPO).await.expect(200);
    assert_eq!(encoded.header("content-encoding"), Some("gzip"));
    assert_eq!(tag(&encoded), format!("W/{}", tag(&plain)));
    assert!(encoded.body.starts_with(&[0x1f, 0x8b]) && encoded.body.len() < plain.body.len());
    let cached = mona.clone().header("accept-encoding", "gzip").header("if-none-match", &tag(&encoded)).get(REPO).await;
    assert_eq!(tag(&cached.expect(304)), tag(&plain), "a 304 shows the strong form");
    for rejected in ["gzip;q=0", "identity", "br", ""] {
        let response = mona.clone().header("accept-encoding", rejected).get(REPO).await.expect(200);
        assert_eq!(response.header("content-encoding"), None, "{rejected}");
        assert_eq!(tag(&response), tag(&plain), "{rejected}");
    }
    let deleted = mona.clone().header("accept-encoding", "gzip").delete(REPO).await.expect(204);
    assert_eq!(deleted.header("content-encoding"), None);
}
