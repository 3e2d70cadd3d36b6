//! The headers of every response, and CORS preflight requests.

use std::collections::BTreeSet;

use expect_test::expect;
use http::Method;

use super::service;
use crate::support::Response;

/// All headers except those that differ between any two requests, and the content of the ETag.
fn headers(response: &Response) -> String {
    let shown = |name: &str, value: &str| match name {
        "etag" => "a tag".to_owned(),
        _ => value.trim_matches('"').to_owned(),
    };
    let pairs = response.comparable().1;
    let mut lines: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}: {}", shown(name, value))).collect();
    lines.sort();
    lines.join("\n")
}

#[tokio::test]
async fn resource_response_has_standard_headers() {
    let service = service().await;
    expect![[r#"
        access-control-allow-origin: *
        access-control-expose-headers: ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Accepted-GitHub-Permissions, X-GitHub-Media-Type, X-GitHub-Request-Id, X-GitHub-Api-Version-Selected
        cache-control: private, max-age=60, s-maxage=60
        content-security-policy: default-src 'none'
        content-type: application/json; charset=utf-8
        etag: a tag
        last-modified: Wed, 25 Feb 2026 06:13:20 GMT
        referrer-policy: no-referrer
        vary: Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With
        x-accepted-oauth-scopes: repo
        x-content-type-options: nosniff
        x-frame-options: deny
        x-github-api-version-selected: 2026-03-10
        x-github-media-type: github.v3; format=json
        x-oauth-scopes: admin:org, delete_repo, repo
        x-ratelimit-limit: 5000
        x-ratelimit-remaining: 5000
        x-ratelimit-reset: 1772003600
        x-ratelimit-resource: core
        x-ratelimit-used: 0
        x-service-api-version-selected: 2026-03-10
        x-service-media-type: github.v3; format=json"#]].assert_eq(&headers(&service.with_token("ghp_monamona").get("/repos/octo-org/secret").await.expect(200)));
    expect![[r#"
        access-control-allow-origin: *
        access-control-expose-headers: ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Accepted-GitHub-Permissions, X-GitHub-Media-Type, X-GitHub-Request-Id, X-GitHub-Api-Version-Selected
        cache-control: public, max-age=60, s-maxage=60
        content-security-policy: default-src 'none'
        content-type: application/json; charset=utf-8
        etag: a tag
        last-modified: Wed, 25 Feb 2026 06:13:20 GMT
        referrer-policy: no-referrer
        vary: Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With
        x-content-type-options: nosniff
        x-frame-options: deny
        x-github-api-version-selected: 2026-03-10
        x-github-media-type: github.v3; format=json
        x-ratelimit-limit: 60
        x-ratelimit-remaining: 60
        x-ratelimit-reset: 1772003600
        x-ratelimit-resource: core
        x-ratelimit-used: 0
        x-service-api-version-selected: 2026-03-10
        x-service-media-type: github.v3; format=json"#]].assert_eq(&headers(&service.anonymous().get("/repos/octo-org/hello").await.expect(200)));
    expect![[r#"
        access-control-allow-origin: *
        access-control-expose-headers: ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Accepted-GitHub-Permissions, X-GitHub-Media-Type, X-GitHub-Request-Id, X-GitHub-Api-Version-Selected
        cache-control: private, max-age=60, s-maxage=60
        content-security-policy: default-src 'none'
        content-type: application/json; charset=utf-8
        etag: a tag
        last-modified: Wed, 25 Feb 2026 06:13:20 GMT
        referrer-policy: no-referrer
        vary: Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With
        x-accepted-github-permissions: metadata=read
        x-accepted-service-permissions: metadata=read
        x-content-type-options: nosniff
        x-frame-options: deny
        x-github-api-version-selected: 2026-03-10
        x-github-media-type: github.v3; format=json
        x-ratelimit-limit: 5000
        x-ratelimit-remaining: 5000
        x-ratelimit-reset: 1772003600
        x-ratelimit-resource: core
        x-ratelimit-used: 0
        x-service-api-version-selected: 2026-03-10
        x-service-media-type: github.v3; format=json"#]].assert_eq(&headers(&service.with_token("ghs_helperhelper").get("/repos/octo-org/secret").await.expect(200)));
}

#[tokio::test]
async fn error_response_has_standard_headers() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    expect![[r#"
        access-control-allow-origin: *
        access-control-expose-headers: ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Accepted-GitHub-Permissions, X-GitHub-Media-Type, X-GitHub-Request-Id, X-GitHub-Api-Version-Selected
        content-security-policy: default-src 'none'
        content-type: application/json; charset=utf-8
        referrer-policy: no-referrer
        vary: Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With
        x-accepted-oauth-scopes: repo
        x-content-type-options: nosniff
        x-frame-options: deny
        x-github-api-version-selected: 2026-03-10
        x-oauth-scopes: admin:org, delete_repo, repo
        x-ratelimit-limit: 5000
        x-ratelimit-remaining: 5000
        x-ratelimit-reset: 1772003600
        x-ratelimit-resource: core
        x-ratelimit-used: 0
        x-service-api-version-selected: 2026-03-10"#]].assert_eq(&headers(&mona.get("/repos/octo-org/nothing").await.expect(404)));
    expect![[r#"
        access-control-allow-origin: *
        access-control-expose-headers: ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Accepted-GitHub-Permissions, X-GitHub-Media-Type, X-GitHub-Request-Id, X-GitHub-Api-Version-Selected
        cache-control: private, max-age=60, s-maxage=60
        content-security-policy: default-src 'none'
        content-type: application/json; charset=utf-8
        etag: a tag
        location: http://plinth.test/repos/mona/new
        referrer-policy: no-referrer
        vary: Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With
        x-accepted-oauth-scopes: public_repo
        x-content-type-options: nosniff
        x-frame-options: deny
        x-github-api-version-selected: 2026-03-10
        x-github-media-type: github.v3; format=json
        x-oauth-scopes: admin:org, delete_repo, repo
        x-ratelimit-limit: 5000
        x-ratelimit-remaining: 5000
        x-ratelimit-reset: 1772003600
        x-ratelimit-resource: core
        x-ratelimit-used: 0
        x-service-api-version-selected: 2026-03-10
        x-service-media-type: github.v3; format=json"#]].assert_eq(&headers(&mona.post("/user/repos", serde_json::json!({ "name": "new" })).await.expect(201)));
    expect![[r#"
        access-control-allow-origin: *
        access-control-expose-headers: ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Accepted-GitHub-Permissions, X-GitHub-Media-Type, X-GitHub-Request-Id, X-GitHub-Api-Version-Selected
        content-security-policy: default-src 'none'
        referrer-policy: no-referrer
        vary: Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With
        x-accepted-oauth-scopes: delete_repo
        x-content-type-options: nosniff
        x-frame-options: deny
        x-github-api-version-selected: 2026-03-10
        x-oauth-scopes: admin:org, delete_repo, repo
        x-ratelimit-limit: 5000
        x-ratelimit-remaining: 5000
        x-ratelimit-reset: 1772003600
        x-ratelimit-resource: core
        x-ratelimit-used: 0
        x-service-api-version-selected: 2026-03-10"#]].assert_eq(&headers(&mona.delete("/repos/mona/new").await.expect(204)));
}

/// A shared cache never serves one caller's response to another, and secrets are never stored.
#[tokio::test]
async fn vary_and_cache_control_separate_callers() {
    let service = service().await;
    for token in ["ghp_monamona", "github_pat_mona", "ghu_monamona", "ghs_helperhelper"] {
        let response = service.with_token(token).get("/repos/octo-org/secret").await.expect(200);
        assert!(response.header("cache-control").is_some_and(|value| value.starts_with("private")), "{token}");
        assert!(response.header("vary").is_some_and(|value| value.contains("Authorization")), "{token}");
    }
    // A cached anonymous response must not be served to a caller with a credential, whose response differs.
    let response = service.anonymous().get("/repos/octo-org/hello").await.expect(200);
    assert!(response.header("vary").is_some_and(|value| value.contains("Authorization")));
    let response = service.with_token("ghp_hubothubot").get("/repos/octo-org/secret").await.expect(404);
    assert!(response.header("vary").is_some_and(|value| value.contains("Authorization")));
    assert_eq!(service.anonymous().get("/rate_limit").await.expect(200).header("cache-control"), Some("no-cache"));
    let jwt = crate::support::jwt::sign(service.app_key(), &crate::support::jwt::claims("Iv23helper"));
    let made =
        service.with_token(&jwt).post("/app/installations/1/access_tokens", serde_json::json!({})).await.expect(201);
    assert_eq!(made.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn preflight_request_is_allowed() {
    let service = service().await;
    let client =
        service.anonymous().header("origin", "https://app.example").header("access-control-request-method", "PATCH");
    for path in ["/user", "/repos/octo-org/secret", "/nowhere"] {
        let response = client.send(Method::OPTIONS, path, "").await.expect(204);
        assert!(response.body.is_empty());
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.header("access-control-allow-credentials"), None);
        let methods = response.header("access-control-allow-methods").expect("methods");
        for method in ["GET", "POST", "PATCH", "PUT", "DELETE"] {
            assert!(methods.contains(method), "{method}");
        }
        let allowed = response.header("access-control-allow-headers").expect("headers");
        for name in ["Authorization", "Content-Type", "If-None-Match", "X-GitHub-Api-Version", "X-Service-Api-Version"]
        {
            assert!(allowed.split(", ").any(|known| known == name), "{name} in {allowed}");
        }
    }
    let response =
        service.with_token("ghp_monamona").header("origin", "https://app.example").get("/user").await.expect(200);
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    let exposed = response.header("access-control-expose-headers").expect("exposed headers");
    for name in
        ["ETag", "Link", "Location", "Retry-After", "X-RateLimit-Remaining", "X-OAuth-Scopes", "X-GitHub-Request-Id"]
    {
        assert!(exposed.split(", ").any(|known| known == name), "{name}");
    }
}

#[tokio::test]
async fn request_id_is_generated_for_each_request() {
    let service = service().await;
    let mut seen = BTreeSet::new();
    for hostile in ["../../etc/passwd", "a; b", "x\ty", "ghp_secret", &"a".repeat(4000)] {
        for name in ["x-request-id", "x-github-request-id", "x-service-request-id"] {
            let response = service.anonymous().header(name, hostile).get("/meta").await.expect(200);
            let id = response.header("x-github-request-id").expect("a request id").to_owned();
            assert_eq!(response.header("x-service-request-id"), Some(id.as_str()));
            assert!(id.len() == 20 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
            assert!(seen.insert(id), "an id came twice");
            for (other, value) in &response.headers {
                assert_ne!(value.as_bytes(), hostile.as_bytes(), "{other} echoes the request");
            }
        }
    }
}

#[tokio::test]
async fn every_response_has_security_headers() {
    let service = service().await;
    for (path, status) in [
        ("/meta", 200),
        ("/nowhere", 404),
        ("/user", 401),
        ("/healthz", 200),
        ("/readyz", 200),
        ("/?access_token=x", 400),
    ] {
        let response = service.anonymous().get(path).await.expect(status);
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(response.header("x-frame-options"), Some("deny"), "{path}");
        assert_eq!(response.header("content-security-policy"), Some("default-src 'none'"), "{path}");
        assert_eq!(response.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert!(response.header("content-type").is_some(), "{path}");
    }
}

#[tokio::test]
async fn scope_headers_match_kind_of_token() {
    let service = service().await;
    let path = "/repos/octo-org/hello";
    for (token, scopes, permissions) in [
        ("ghp_monamona", Some("admin:org, delete_repo, repo"), None),
        ("ghu_monamona", Some(""), Some("metadata=read")),
        ("github_pat_mona", None, Some("metadata=read")),
        ("ghs_helperhelper", None, Some("metadata=read")),
    ] {
        let response = service.with_token(token).get(path).await.expect(200);
        assert_eq!(response.header("x-oauth-scopes"), scopes, "{token}");
        assert_eq!(response.header("x-accepted-oauth-scopes").is_some(), scopes.is_some(), "{token}");
        assert_eq!(response.header("x-accepted-github-permissions"), permissions, "{token}");
        assert_eq!(response.header("github-authentication-token-expiration"), None, "{token}");
    }
    service.apply("tokens: [{ kind: classic, user: mona, scopes: [], expires_at: '2030-01-31T08:26:39Z', token: ghp_monaexpires }]").await;
    let response = service.with_token("ghp_monaexpires").get(path).await.expect(200);
    assert_eq!(response.header("github-authentication-token-expiration"), Some("2030-01-31 08:26:39 UTC"));
    assert_eq!(response.header("x-oauth-scopes"), Some(""));
}
