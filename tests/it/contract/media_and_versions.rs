//! API versions and media types, under this service's names and those of existing clients.

use expect_test::expect;

use super::service;

#[tokio::test]
async fn api_version_is_accepted_and_echoed_in_both_headers() {
    let service = service().await;
    let client = service.anonymous();
    for (name, value, selected) in [
        ("x-nothing", "x", "2026-03-10"),
        ("x-service-api-version", "2026-03-10", "2026-03-10"),
        ("x-service-api-version", "2022-11-28", "2022-11-28"),
        ("x-github-api-version", "2022-11-28", "2022-11-28"),
        ("X-GitHub-Api-Version", "2026-03-10", "2026-03-10"),
    ] {
        let response = client.clone().header(name, value).get("/meta").await.expect(200);
        assert_eq!(response.header("x-github-api-version-selected"), Some(selected), "{name}: {value}");
        assert_eq!(response.header("x-service-api-version-selected"), Some(selected), "{name}: {value}");
    }
    for (token, path, status) in [
        ("ghp_bad", "/user", 401),
        ("ghp_monamona", "/nowhere", 404),
        ("ghp_hubothubot", "/repos/octo-org/secret", 404),
    ] {
        let response = service.with_token(token).get(path).await.expect(status);
        assert_eq!(response.header("x-github-api-version-selected"), Some("2026-03-10"), "{path}");
    }
}

#[tokio::test]
async fn unknown_api_version_returns_supported_versions() {
    let service = service().await;
    let client = service.anonymous();
    let response = client.clone().header("x-service-api-version", "2021-01-01").get("/meta").await;
    expect![[r#"
        400
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "The version you specified in the \"X-Service-Api-Version\" request header, \"2021-01-01\", is not a supported version. The following versions are currently supported: \"2026-03-10\" (most recent), \"2022-11-28\".",
          "status": "400"
        }"#]].assert_eq(&response.to_string());
    let response = client.clone().header("x-github-api-version", "v3").get("/meta").await;
    expect![[r#"
        400
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "The version you specified in the \"X-GitHub-Api-Version\" request header, \"v3\", is not a supported version. The following versions are currently supported: \"2026-03-10\" (most recent), \"2022-11-28\".",
          "status": "400"
        }"#]].assert_eq(&response.to_string());
    for odd in ["", " ", "2026-03-10, 2022-11-28", "2026-3-10", "\u{fc}"] {
        client.clone().header("x-service-api-version", odd).get("/meta").await.expect(400);
    }
}

#[tokio::test]
async fn older_api_version_has_removed_fields() {
    let service = service().await;
    let newer = service.anonymous().get("/rate_limit").await.expect(200);
    assert!(newer.json().get("rate").is_none());
    let older = service.anonymous().header("x-github-api-version", "2022-11-28").get("/rate_limit").await.expect(200);
    assert_eq!(older.json()["rate"], older.json()["resources"]["core"]);
    let versions = service.anonymous().get("/versions").await.expect(200);
    assert_eq!(versions.json(), serde_json::json!(["2026-03-10", "2022-11-28"]));
}

#[tokio::test]
async fn media_types_of_clients_are_accepted() {
    let service = service().await;
    let plain = "github.v3; format=json";
    for (accept, media) in [
        ("*/*", plain),
        ("application/*", plain),
        ("application/json", plain),
        ("application/vnd.plinth+json", plain),
        ("application/vnd.github+json", plain),
        ("application/vnd.github.v3+json", plain),
        ("application/vnd.github.machine-man-preview+json", plain),
        ("application/vnd.github.unknown+json", plain),
        ("text/html, application/json;q=0.9", plain),
        ("application/vnd.plinth.raw+json", "github.v3; param=raw; format=json"),
        ("application/vnd.github-commitcomment.text+json", "github.v3; param=text; format=json"),
        ("application/vnd.github.html+json", "github.v3; param=html; format=json"),
        ("application/vnd.github.v3.full+json", "github.v3; param=full; format=json"),
        ("APPLICATION/VND.GITHUB.V3.FULL+JSON", "github.v3; param=full; format=json"),
    ] {
        let response = service.anonymous().header("accept", accept).get("/meta").await.expect(200);
        assert_eq!(response.header("x-github-media-type"), Some(media), "{accept}");
        assert_eq!(response.header("x-service-media-type"), Some(media), "{accept}");
        assert_eq!(response.header("content-type"), Some("application/json; charset=utf-8"), "{accept}");
    }
    service.anonymous().get("/meta").await.expect(200);
}

#[tokio::test]
async fn unsupported_media_type_returns_415() {
    let service = service().await;
    let response = service.anonymous().header("accept", "text/html").get("/meta").await;
    expect![[r#"
        415
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "Unsupported 'Accept' header: 'text/html'. Must accept 'application/json'.",
          "status": "415"
        }"#]]
    .assert_eq(&response.to_string());
    for accept in ["text/html, image/png", "json", "application/xml"] {
        service.anonymous().header("accept", accept).get("/meta").await.expect(415);
    }
}

/// Many clients send JSON with another content type.
#[tokio::test]
async fn content_type_of_body_is_ignored() {
    let service = service().await;
    for (name, content_type) in [("a", "application/x-www-form-urlencoded"), ("b", "text/plain"), ("c", "")] {
        let client = service.with_token("ghp_monamona").header("content-type", content_type);
        client.post("/user/repos", serde_json::json!({ "name": name })).await.expect(201);
    }
}
