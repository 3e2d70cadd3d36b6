//! Hostile input is rejected with a message, quickly, and never with a 500.

use std::time::{Duration, Instant};

use expect_test::expect;
use http::Method;
use serde_json::json;

use super::service;
use crate::support::jwt;
use plinth_api::request::body::BYTES_MAX;

const URI_BYTES_MAX: usize = 8 * 1024;
const HEADER_BYTES_MAX: usize = 16 * 1024;

/// A body of exactly so many bytes: a valid name and ignored padding.
fn body_of(name: &str, bytes: usize) -> String {
    let begin = format!("{{\"name\":\"{name}\",\"more\":\"");
    format!("{begin}{}\"}}", "x".repeat(bytes - begin.len() - 2))
}

#[tokio::test]
async fn body_is_limited_to_one_mebibyte() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    mona.send(Method::POST, "/user/repos", body_of("below", BYTES_MAX - 1)).await.expect(201);
    mona.send(Method::POST, "/user/repos", body_of("at", BYTES_MAX)).await.expect(201);
    let response = mona.send(Method::POST, "/user/repos", body_of("above", BYTES_MAX + 1)).await;
    expect![[r#"
        413
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "message": "The request body is larger than 1048576 bytes.",
          "status": "413"
        }"#]]
    .assert_eq(&response.to_string());
    mona.get("/repos/mona/above").await.expect(404);
}

#[tokio::test]
async fn body_nesting_is_limited_to_64() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let nested = |name: &str, depth: usize| {
        // The object itself is the first level.
        format!("{{\"name\":\"{name}\",\"more\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1))
    };
    mona.send(Method::POST, "/user/repos", nested("at", 64)).await.expect(201);
    let response = mona.send(Method::POST, "/user/repos", nested("above", 65)).await.expect(400);
    assert_eq!(response.message(), "Problems parsing JSON");
    let started = Instant::now();
    mona.send(Method::POST, "/user/repos", "[".repeat(100_000)).await.expect(400);
    service.anonymous().send(Method::POST, "/user/repos", "[".repeat(1_000_000)).await.expect(401);
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn target_is_limited_to_eight_kibibytes() {
    let service = service().await;
    let target = |bytes: usize| format!("/meta?{}", "x".repeat(bytes - "/meta?".len()));
    service.anonymous().get(&target(URI_BYTES_MAX - 1)).await.expect(200);
    service.anonymous().get(&target(URI_BYTES_MAX)).await.expect(200);
    let response = service.anonymous().get(&target(URI_BYTES_MAX + 1)).await;
    expect![[r#"
        414
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "The request target is longer than 8192 bytes.",
          "status": "414"
        }"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn headers_are_limited_to_sixteen_kibibytes() {
    let service = service().await;
    let rest = "host".len() + "plinth.test".len() + "x-long".len();
    let with = |bytes: usize| service.anonymous().header("x-long", &"x".repeat(bytes - rest));
    with(HEADER_BYTES_MAX - 1).get("/meta").await.expect(200);
    with(HEADER_BYTES_MAX).get("/meta").await.expect(200);
    let response = with(HEADER_BYTES_MAX + 1).get("/meta").await;
    expect![[r#"
        431
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "The request headers are larger than 16384 bytes.",
          "status": "431"
        }"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn token_in_query_is_rejected_even_with_valid_header() {
    let service = service().await;
    let response = service.anonymous().get("/user?access_token=ghp_monamona").await;
    expect![[r#"
        400
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "Tokens are not accepted in the query, where logs would keep them: use the Authorization header",
          "status": "400"
        }"#]]
    .assert_eq(&response.to_string());
    for path in [
        "/user?access_token=ghp_monamona",
        "/user?a=1&access_token=",
        "/user?access%5Ftoken=x",
        "/nowhere?access_token=x",
    ] {
        let response = service.with_token("ghp_monamona").get(path).await.expect(400);
        assert!(!String::from_utf8_lossy(&response.body).contains("ghp_"), "{path}");
    }
    service.with_token("ghp_monamona").get("/user?token=access_token").await.expect(200);
}

/// Invalid escapes, NUL and the like match no name on either database.
#[tokio::test]
async fn unusual_path_names_return_404() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    for odd in [
        "%ff",
        "%c3%28",
        "%00",
        "a%00b",
        "%",
        "%zz",
        "..",
        "..%2f..",
        "%2e%2e",
        ".git",
        "hello.git.git",
        "a%0ab",
        "a%0d%0ab",
        "-h",
        "--output=x",
        "'%20or%201=1",
        "%F0%9F%92%A9",
        "%E2%80%AE",
        "x;y",
        "*",
        "{org}",
        "HELLO%20",
    ] {
        for path in [
            format!("/users/{odd}"),
            format!("/orgs/{odd}"),
            format!("/repos/octo-org/{odd}"),
            format!("/repos/{odd}/hello"),
        ] {
            let response = mona.get(&path).await;
            assert_eq!(response.status, 404, "{path}: {response}");
        }
    }
    for odd in ["0", "-1", "99999999999999999999", "1.0", "1e1", "%31%00", "one", "+1", "0x1", "1%20"] {
        let jwt = jwt::sign(service.app_key(), &jwt::claims("Iv23helper"));
        let response =
            service.with_token(&jwt).post(&format!("/app/installations/{odd}/access_tokens"), json!({})).await;
        assert_eq!(response.status, 404, "{odd}: {response}");
    }
    let long = "a".repeat(7000);
    mona.get(&format!("/users/{long}")).await.expect(404);
}

/// Names are compared without case and shown as they were created.
#[tokio::test]
async fn names_are_case_insensitive() {
    let service = service().await;
    let response = service.anonymous().get("/repos/OCTO-ORG/HELLO").await.expect(200);
    assert_eq!(response.json()["full_name"], "octo-org/hello");
    service.anonymous().get("/users/MONA").await.expect(200);
    // Only ASCII letters are folded: elsewhere these two fold to k and s.
    service.anonymous().get("/users/%E2%84%AA").await.expect(404);
    service.anonymous().get("/orgs/octo-org%C5%BF").await.expect(404);
}

#[tokio::test]
async fn unusual_bodies_are_rejected_with_messages() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    for (body, status) in [
        ("null", 400),
        ("true", 400),
        ("\"name\"", 400),
        ("{\"name\":\"a\"", 400),
        ("{'name':'a'}", 400),
        ("{\"name\":\"a\",}", 400),
        ("{\"name\":NaN}", 400),
        ("{\"name\":\"\u{0}\"}", 400),
        ("{\"name\":\"\\u0000\"}", 422),
        ("{\"name\":\"a\",\"description\":\"\\u0000\"}", 422),
        ("{\"name\":\"ignored\",\"\\u0000\":[[\"\\u0000\"]]}", 201),
        ("{\"name\":\"\\ud800\"}", 400),
        ("{\"name\":\"a\",\"private\":1}", 422),
        ("{\"name\":{}}", 422),
        ("{\"name\":\"\"}", 422),
        ("{\"name\":\"../x\"}", 201),
        ("{\"name\":\"..\"}", 422),
        ("{\"name\":\"x.git\"}", 201),
        ("{\"name\":\"caf\u{e9}\"}", 201),
        ("{\"name\":\"a\",\"visibility\":\"internal\"}", 422),
        ("{\"name\":\"a\",\"description\":\"one\\ntwo\"}", 422),
        ("", 422),
        ("   ", 400),
    ] {
        let response = mona.send(Method::POST, "/user/repos", body).await;
        assert_eq!(response.status, status, "{body}: {response}");
    }
    let bytes = b"{\"name\":\"\xff\"}".to_vec();
    mona.send(Method::POST, "/user/repos", bytes).await.expect(400);
    let harmless = "{\"name\":\"backslash\",\"more\":\"\\\\u0000\"}";
    mona.send(Method::POST, "/user/repos", harmless).await.expect(201);
}

#[tokio::test]
async fn unusual_credentials_return_401() {
    let service = service().await;
    let long = format!("Bearer {}", "x".repeat(8000));
    for odd in [
        "",
        " ",
        "Bearer",
        "Bearer ",
        "bearer",
        "token",
        "Basic",
        "Basic !!",
        "Basic OnA=",
        "ghp_monamona",
        "Bearer a b",
        "Bearer ghp_monamona, x",
        "Negotiate x",
        &long,
    ] {
        let response = service.anonymous().header("authorization", odd).get("/meta").await;
        assert_eq!((response.status, response.message()), (401, "Bad credentials".into()), "{odd:.20}");
    }
    let twice = service.with_token("ghp_monamona").header("authorization", "Bearer ghp_monamona");
    twice.get("/user").await.expect(401);
    service.anonymous().header("cookie", "user_session=ghp_monamona").get("/user").await.expect(401);
}
