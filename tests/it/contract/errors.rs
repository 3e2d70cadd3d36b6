//! Every row of the error table, with the complete body.

use expect_test::expect;
use http::Method;
use serde_json::json;

use super::service;
use crate::support::Response;

/// Every error response has the same fields and reveals nothing about the implementation.
pub fn check_envelope(response: &Response) {
    let body = response.json();
    let keys: Vec<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
    let known = ["documentation_url", "errors", "message", "status"];
    assert!(keys.iter().all(|key| known.contains(key)), "{keys:?}");
    assert_eq!(body["status"], response.status.to_string());
    assert!(body["documentation_url"].as_str().is_some_and(|url| url.starts_with("http://plinth.test/docs")), "{body}");
    assert_eq!(response.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(response.header("etag"), None);
    assert_eq!(response.header("cache-control"), None);
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert!(response.header("x-github-request-id").is_some());
}

#[tokio::test]
async fn malformed_json_returns_400() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let response = mona.send(Method::POST, "/user/repos", "{\"name\": ").await;
    expect![[r#"
        400
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "message": "Problems parsing JSON",
          "status": "400"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
    let response = mona.send(Method::POST, "/user/repos", "[1]").await;
    expect![[r#"
        400
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "message": "Body should be a JSON object",
          "status": "400"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
}

#[tokio::test]
async fn missing_or_bad_credential_returns_401() {
    let service = service().await;
    let response = service.anonymous().get("/user").await;
    expect![[r#"
        401
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "Requires authentication",
          "status": "401"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
    let response = service.with_token("ghp_unknown").get("/user").await;
    expect![[r#"
        401
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "Bad credentials",
          "status": "401"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
    assert_eq!(response.header("x-ratelimit-limit"), Some("60"));
    let response = service.with_token("ghp_monamona").post("/app/installations/1/access_tokens", json!({})).await;
    expect![[r#"
        401
        {
          "documentation_url": "http://plinth.test/docs",
          "message": "A JSON web token could not be decoded",
          "status": "401"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
}

#[tokio::test]
async fn insufficient_permission_returns_403_and_names_required() {
    let service = service().await;
    let response = service.with_token("github_pat_mona").delete("/repos/octo-org/hello").await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#repos/delete",
          "message": "Resource not accessible by personal access token",
          "status": "403"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
    assert_eq!(response.header("x-accepted-github-permissions"), Some("administration=write"));
    assert_eq!(response.header("x-oauth-scopes"), None);
    let response = service.with_token("ghp_monasecond").delete("/repos/octo-org/hello").await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#repos/delete",
          "message": "Resource not accessible by personal access token",
          "status": "403"
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(response.header("x-oauth-scopes"), Some("repo"));
    service
        .apply("tokens: [{ kind: classic, user: hubot, scopes: [repo, delete_repo], token: ghp_hubotdeletes }]")
        .await;
    let response = service.with_token("ghp_hubotdeletes").delete("/repos/octo-org/hello").await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#repos/delete",
          "message": "Must have admin rights to Repository.",
          "status": "403"
        }"#]]
    .assert_eq(&response.to_string());
    let response = service.with_token("ghp_monamona").delete("/installation/token").await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#apps/revoke-installation-access-token",
          "message": "Resource not accessible by personal access token",
          "status": "403"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
}

#[tokio::test]
async fn unknown_resource_or_method_returns_404() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let response = mona.get("/repos/octo-org/nothing").await;
    expect![[r#"
        404
        {
          "documentation_url": "http://plinth.test/docs#repos/get",
          "message": "Not Found",
          "status": "404"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
    mona.put("/user").await.expect(404);
    mona.patch("/user", json!({ "name": "Lisa" })).await.expect(404);
    for (method, path) in [
        (Method::DELETE, "/"),
        (Method::TRACE, "/user"),
        (Method::GET, "/user/"),
        (Method::GET, "/nowhere"),
        (Method::GET, "//user"),
        (Method::GET, "/api/v2/user"),
        (Method::GET, "/api/v3user"),
    ] {
        let response = mona.send(method.clone(), path, "").await;
        assert_eq!(response.status, 404, "{method} {path}");
        assert_eq!(response.message(), "Not Found", "{method} {path}");
        check_envelope(&response);
    }
}

#[tokio::test]
async fn mistyped_body_returns_422_with_sentences() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let response = mona.post("/user/repos", json!({})).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "message": "Invalid request.\n\n\"name\" wasn't supplied.",
          "status": "422"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
    let response = mona.post("/user/repos", json!({ "name": 1, "private": "yes", "description": [] })).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "message": "Invalid request.\n\nFor 'properties/name', 1 is not a string.\nFor 'properties/description', [] is not a string or null.\nFor 'properties/private', yes is not a boolean.",
          "status": "422"
        }"#]].assert_eq(&response.to_string());
    check_envelope(&response);
}

#[tokio::test]
async fn validation_errors_name_each_field() {
    let service = service().await;
    let mona = service.with_token("ghp_monamona");
    let response = mona.post("/user/repos", json!({ "name": "z".repeat(101), "description": "x".repeat(351) })).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "errors": [
            {
              "code": "custom",
              "field": "name",
              "message": "name is too long (maximum is 100 characters)",
              "resource": "Repository"
            },
            {
              "code": "custom",
              "field": "description",
              "message": "description is too long (maximum is 350 characters)",
              "resource": "Repository"
            }
          ],
          "message": "Repository creation failed.",
          "status": "422"
        }"#]]
    .assert_eq(&response.to_string());
    check_envelope(&response);
    mona.post("/user/repos", json!({ "name": "twice" })).await.expect(201);
    let response = mona.post("/user/repos", json!({ "name": "TWICE" })).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "errors": [
            {
              "code": "custom",
              "field": "name",
              "message": "name already exists on this account",
              "resource": "Repository"
            }
          ],
          "message": "Repository creation failed.",
          "status": "422"
        }"#]]
    .assert_eq(&response.to_string());
}
