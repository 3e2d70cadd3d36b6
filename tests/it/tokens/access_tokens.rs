//! Installation tokens: created by an app, narrowed on request, and ended by expiry or revocation.

use expect_test::expect;
use serde_json::{Value, json};

use super::{HELPER_ON_OCTO, HELPER_ON_OTHER, RIVAL_ON_OCTO, helper, service};
use crate::support::{Response, Service, Tester};

/// The response without the secret.
fn shown(response: &Response) -> String {
    let mut body = response.json();
    let token = body["token"].as_str().expect("a token").to_owned();
    assert!(token.starts_with("ghs_") && token.len() == 40, "{}", token.len());
    body["token"] = "ghs_…".into();
    if let Some(repositories) = body.get_mut("repositories") {
        let names = repositories.as_array().expect("a list").iter().map(|repo| repo["full_name"].clone()).collect();
        *repositories = Value::Array(names);
    }
    format!("{}\n{body:#}", response.status)
}

async fn token(service: &Service, asked: Value) -> String {
    let made = helper(service).post(HELPER_ON_OCTO, asked).await.expect(201).json();
    made["token"].as_str().expect("a token").to_owned()
}

/// The repositories that a token can read.
async fn sees(service: &Service, token: &str) -> Vec<u16> {
    let mut seen = Vec::new();
    for name in ["one", "two", "three"] {
        seen.push(service.with_token(token).get(&format!("/repos/octo-org/{name}")).await.status);
    }
    seen
}

#[tokio::test]
async fn token_has_all_rights_of_installation_by_default() {
    let service = service().await;
    let response = helper(&service).send(http::Method::POST, HELPER_ON_OCTO, "").await.expect(201);
    expect![[r#"
        201
        {
          "expires_at": "2026-02-25T07:13:20Z",
          "permissions": {
            "administration": "write",
            "contents": "write",
            "issues": "read",
            "metadata": "read"
          },
          "repository_selection": "selected",
          "token": "ghs_…"
        }"#]]
    .assert_eq(&shown(&response));
    assert_eq!(response.header("location"), None);
    let token = token(&service, json!({})).await;
    assert_eq!(sees(&service, &token).await, [200, 200, 404]);
}

#[tokio::test]
async fn token_is_narrowed_by_names_ids_and_permissions() {
    let service = service().await;
    let asked = json!({ "repositories": ["TWO"], "permissions": { "contents": "read" } });
    expect![[r#"
        201
        {
          "expires_at": "2026-02-25T07:13:20Z",
          "permissions": {
            "contents": "read",
            "metadata": "read"
          },
          "repositories": [
            "octo-org/two"
          ],
          "repository_selection": "selected",
          "token": "ghs_…"
        }"#]]
    .assert_eq(&shown(&helper(&service).post(HELPER_ON_OCTO, asked).await));
    let by_name = token(&service, json!({ "repositories": ["one"] })).await;
    assert_eq!(sees(&service, &by_name).await, [200, 404, 404]);
    let number = service.with_token("ghp_monamona").get("/repos/octo-org/two").await.json()["id"].clone();
    let by_number = token(&service, json!({ "repository_ids": [number, number] })).await;
    assert_eq!(sees(&service, &by_number).await, [404, 200, 404]);
    let both = token(&service, json!({ "repositories": ["one"], "repository_ids": [number] })).await;
    assert_eq!(sees(&service, &both).await, [200, 200, 404]);
    let reads = token(&service, json!({ "permissions": { "contents": "read" } })).await;
    service.with_token(&reads).delete("/repos/octo-org/one").await.expect(403);
    let writes = token(&service, json!({})).await;
    service.with_token(&writes).delete("/repos/octo-org/one").await.expect(204);
}

#[tokio::test]
async fn token_beyond_installation_rights_is_rejected() {
    let service = service().await;
    let permissions = "The permissions requested are not granted to this installation.";
    let repositories =
        "There is at least one repository that does not exist or is not accessible to the parent installation.";
    for (asked, message) in [
        (json!({ "permissions": { "issues": "write" } }), permissions),
        (json!({ "permissions": { "contents": "write", "members": "read" } }), permissions),
        (json!({ "permissions": { "contents": "admin" } }), permissions),
        (json!({ "repositories": ["one", "three"] }), repositories),
        (json!({ "repositories": ["nothing"] }), repositories),
        (json!({ "repositories": ["octo-org/one"] }), repositories),
        (json!({ "repositories": [""] }), repositories),
        (json!({ "repositories": ["one\u{0}"] }), repositories),
        (json!({ "repository_ids": [4] }), repositories),
        (json!({ "repository_ids": [999_999] }), repositories),
        (json!({ "repository_ids": [-1] }), repositories),
        (json!({ "repositories": vec!["one"; 501] }), "At most 500 repositories can be named."),
    ] {
        let response = helper(&service).post(HELPER_ON_OCTO, asked.clone()).await.expect(422);
        assert_eq!(response.message(), message, "{asked}");
        assert!(response.json().get("errors").is_none(), "{asked}");
    }
    for (asked, message) in [
        (json!({ "repositories": "one" }), "For 'properties/repositories', one is not an array."),
        (json!({ "repositories": [1] }), "For 'properties/repositories/items', 1 is not a string."),
        (json!({ "repository_ids": ["1"] }), "For 'properties/repository_ids/items', 1 is not an integer."),
        (json!({ "permissions": [] }), "For 'properties/permissions', [] is not an object."),
        (
            json!({ "permissions": { "contents": "own" } }),
            "For 'properties/permissions/properties/contents', own is not a member of [\"read\", \"write\", \"admin\"].",
        ),
    ] {
        let response = helper(&service).post(HELPER_ON_OCTO, asked.clone()).await.expect(422);
        assert_eq!(response.message(), format!("Invalid request.\n\n{message}"), "{asked}");
    }
}

#[tokio::test]
async fn token_of_foreign_installation_is_404_and_of_suspended_one_403() {
    let service = service().await;
    let absent = helper(&service).post("/app/installations/99/access_tokens", json!({})).await.expect(404);
    let foreign = helper(&service).post(RIVAL_ON_OCTO, json!({})).await.expect(404);
    assert_eq!(foreign.comparable(), absent.comparable());
    let suspended = helper(&service).post(HELPER_ON_OTHER, json!({})).await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#apps/create-installation-access-token",
          "message": "This installation has been suspended",
          "status": "403"
        }"#]]
    .assert_eq(&suspended.to_string());
}

#[tokio::test]
async fn token_expires_after_one_hour() {
    let service = service().await;
    let token = token(&service, json!({})).await;
    service.advance(3599);
    assert_eq!(sees(&service, &token).await, [200, 200, 404]);
    service.advance(1);
    let response = service.with_token(&token).get("/repos/octo-org/one").await.expect(401);
    assert_eq!(response.message(), "Bad credentials");
    service.with_token(&token).delete("/installation/token").await.expect(401);
}

#[tokio::test]
async fn token_revokes_only_itself() {
    let service = service().await;
    let (first, second) = (token(&service, json!({})).await, token(&service, json!({})).await);
    let response = service.with_token(&first).delete("/installation/token").await.expect(204);
    assert!(response.body.is_empty());
    service.with_token(&first).delete("/installation/token").await.expect(401);
    service.with_token(&first).get("/repos/other-org/theirs").await.expect(401);
    assert_eq!(sees(&service, &second).await, [200, 200, 404]);
}

/// Tokens lose at once what their installation loses.
#[tokio::test]
async fn token_rights_follow_current_installation() {
    let service = service().await;
    let token = token(&service, json!({ "repositories": ["one", "two"] })).await;
    service
        .apply("installations: [{ app: helper, account: octo-org, repositories: [octo-org/one, octo-org/two], permissions: { contents: read } }]")
        .await;
    service.with_token(&token).delete("/repos/octo-org/one").await.expect(403);
    assert_eq!(sees(&service, &token).await, [200, 200, 404]);
    let taken = service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move { Ok(tx.execute("delete from installation_repo where repo_id = 2", &[]).await?) })
    });
    assert_eq!(taken.await.expect("the store accepts the change"), 1);
    assert_eq!(sees(&service, &token).await, [200, 404, 404]);
}

/// The database contains neither the token nor a part of it.
#[tokio::test]
async fn store_contains_no_token_or_private_key() {
    let service = service().await;
    let token = token(&service, json!({})).await;
    let mut db = service.store.read().await.expect("the store can be read");
    let hints: Vec<(String, Vec<u8>)> =
        db.all("select hint, hash from token", &[]).await.expect("the store can be read");
    let body = token.strip_prefix("ghs_").expect("an installation token");
    for (hint, hash) in &hints {
        assert!(hint.chars().count() <= 5 && hash.len() == 32, "{hint}");
        assert!(!hash.windows(8).any(|part| body.as_bytes().starts_with(part)));
    }
    let keys: Vec<(Vec<u8>,)> = db.all("select public_key from app_key", &[]).await.expect("the store can be read");
    assert!(keys.iter().all(|(key,)| !String::from_utf8_lossy(key).contains("PRIVATE") && key.len() < 1000));
    let hash = plinth_core::tokens::hash(&token);
    assert!(hints.iter().any(|(_, stored)| stored[..] == hash[..]));
    let shown: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    service.with_token(&shown).get("/meta").await.expect(401);
}
