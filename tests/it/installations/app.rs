//! What an app can do with its own key.

use expect_test::expect;
use serde_json::json;

use super::{names, service};
use crate::support::{Client, Service, jwt};

/// The service with a key for `helper`, and that key.
pub async fn service_with_key() -> (Service, String) {
    let service = service().await;
    service.apply("apps: [{ slug: helper, owner: octo-org, permissions: { contents: write, issues: read }, events: [push], private_key_file: helper.pem }]").await;
    let pem = std::fs::read_to_string(service.directory().join("helper.pem")).expect("the key was made");
    (service, pem)
}

/// A client with a JWT of `helper`.
pub fn helper<'a>(service: &'a Service, pem: &str) -> Client<'a> {
    service.with_token(&jwt::sign(pem, &jwt::claims("Iv23helper")))
}

#[tokio::test]
async fn get_app_returns_caller() {
    let (service, pem) = service_with_key().await;
    let response = helper(&service, &pem).get("/app").await.expect(200);
    expect![[r#"
        200
        {
          "client_id": "Iv23helper",
          "created_at": "2026-02-25T06:13:20Z",
          "description": null,
          "events": [
            "push"
          ],
          "external_url": "http://plinth.test/apps/helper",
          "html_url": "http://plinth.test/apps/helper",
          "id": 1,
          "installations_count": 2,
          "name": "helper",
          "node_id": "A_kgAB",
          "owner": {
            "avatar_url": "http://plinth.test/avatars/5",
            "events_url": "http://plinth.test/users/octo-org/events{/privacy}",
            "followers_url": "http://plinth.test/users/octo-org/followers",
            "following_url": "http://plinth.test/users/octo-org/following{/other_user}",
            "gists_url": "http://plinth.test/users/octo-org/gists{/gist_id}",
            "gravatar_id": "",
            "html_url": "http://plinth.test/octo-org",
            "id": 5,
            "login": "octo-org",
            "node_id": "O_kgAF",
            "organizations_url": "http://plinth.test/users/octo-org/orgs",
            "received_events_url": "http://plinth.test/users/octo-org/received_events",
            "repos_url": "http://plinth.test/users/octo-org/repos",
            "site_admin": false,
            "starred_url": "http://plinth.test/users/octo-org/starred{/owner}{/repo}",
            "subscriptions_url": "http://plinth.test/users/octo-org/subscriptions",
            "type": "Organization",
            "url": "http://plinth.test/users/octo-org",
            "user_view_type": "public"
          },
          "permissions": {
            "contents": "write",
            "issues": "read",
            "metadata": "read"
          },
          "slug": "helper",
          "updated_at": "2026-02-25T06:13:20Z"
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(response.header("x-ratelimit-limit"), None);
    let by_number = service.with_token(&jwt::sign(&pem, &jwt::claims(1))).get("/app").await.expect(200);
    let by_text = service.with_token(&jwt::sign(&pem, &jwt::claims("1"))).get("/app").await.expect(200);
    assert_eq!((by_number.body, by_text.body), (response.body.clone(), response.body));
}

#[tokio::test]
async fn app_lists_its_installations() {
    let (service, pem) = service_with_key().await;
    let app = helper(&service, &pem);
    let list = app.get("/app/installations").await.expect(200);
    let ids: Vec<_> = list.json().as_array().expect("a plain list").iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(2)]);
    let page = app.get("/app/installations?per_page=1&page=2").await.expect(200);
    assert_eq!(page.json()[0]["account"]["login"], "mona");
    assert!(page.header("link").expect("links").contains("rel=\"prev\""));
}

#[tokio::test]
async fn app_finds_installation_by_every_url() {
    let (service, pem) = service_with_key().await;
    let app = helper(&service, &pem);
    let on_org = app.get("/app/installations/1").await.expect(200);
    expect![[r#"
        200
        {
          "access_tokens_url": "http://plinth.test/app/installations/1/access_tokens",
          "account": {
            "avatar_url": "http://plinth.test/avatars/5",
            "events_url": "http://plinth.test/users/octo-org/events{/privacy}",
            "followers_url": "http://plinth.test/users/octo-org/followers",
            "following_url": "http://plinth.test/users/octo-org/following{/other_user}",
            "gists_url": "http://plinth.test/users/octo-org/gists{/gist_id}",
            "gravatar_id": "",
            "html_url": "http://plinth.test/octo-org",
            "id": 5,
            "login": "octo-org",
            "node_id": "O_kgAF",
            "organizations_url": "http://plinth.test/users/octo-org/orgs",
            "received_events_url": "http://plinth.test/users/octo-org/received_events",
            "repos_url": "http://plinth.test/users/octo-org/repos",
            "site_admin": false,
            "starred_url": "http://plinth.test/users/octo-org/starred{/owner}{/repo}",
            "subscriptions_url": "http://plinth.test/users/octo-org/subscriptions",
            "type": "Organization",
            "url": "http://plinth.test/users/octo-org",
            "user_view_type": "public"
          },
          "app_id": 1,
          "app_slug": "helper",
          "client_id": "Iv23helper",
          "created_at": "2026-02-25T06:13:20Z",
          "events": [
            "push"
          ],
          "has_multiple_single_files": false,
          "html_url": "http://plinth.test/organizations/octo-org/settings/installations/1",
          "id": 1,
          "permissions": {
            "contents": "write",
            "issues": "read",
            "metadata": "read"
          },
          "repositories_url": "http://plinth.test/installation/repositories",
          "repository_selection": "selected",
          "single_file_name": null,
          "single_file_paths": [],
          "suspended_at": null,
          "suspended_by": null,
          "target_id": 5,
          "target_type": "Organization",
          "updated_at": "2026-02-25T06:13:20Z"
        }"#]]
    .assert_eq(&on_org.to_string());
    let keys: Vec<_> = String::from_utf8_lossy(&on_org.body).split(['{', ',']).map(str::to_owned).collect();
    assert_eq!(keys[1..3], [r#""id":1"#, r#""client_id":"Iv23helper""#], "the order that clients print");
    for path in ["/orgs/octo-org/installation", "/repos/octo-org/hello/installation", "/users/OCTO-ORG/installation"] {
        assert_eq!(app.get(path).await.expect(200).body, on_org.body, "{path}");
    }
    let on_mona = app.get("/users/mona/installation").await.expect(200);
    assert_eq!(on_mona.json()["html_url"], "http://plinth.test/settings/installations/2");
    assert_eq!(on_mona.json()["target_type"], "User");
    for path in [
        "/app/installations/3",
        "/app/installations/99",
        "/app/installations/x",
        "/orgs/empty-org/installation",
        "/orgs/mona/installation",
        "/repos/octo-org/extra/installation",
        "/repos/octo-org/absent/installation",
        "/users/zoe/installation",
    ] {
        let response = app.get(path).await.expect(404);
        assert_eq!(response.message(), "Not Found", "{path}");
    }
}

#[tokio::test]
async fn app_suspends_and_unsuspends_its_installation() {
    let (service, pem) = service_with_key().await;
    let app = helper(&service, &pem);
    app.put("/app/installations/1/suspended").await.expect(204);
    let shown = app.get("/app/installations/1").await.expect(200);
    assert_eq!(shown.json()["suspended_at"], "2026-02-25T06:13:20Z");
    assert_eq!(shown.json()["suspended_by"]["login"], "helper[bot]");
    service.with_token("ghs_helper00").get("/installation/repositories").await.expect(403);
    let rejected = app.post("/app/installations/1/access_tokens", json!({ "permissions": 1 })).await.expect(403);
    assert_eq!(rejected.message(), "This installation has been suspended");
    app.delete("/app/installations/1/suspended").await.expect(204);
    let shown = app.get("/app/installations/1").await.expect(200);
    assert_eq!(
        (shown.json()["suspended_at"].clone(), shown.json()["suspended_by"].clone()),
        (json!(null), json!(null))
    );
    service.with_token("ghs_helper00").get("/installation/repositories").await.expect(200);
    for path in ["/app/installations/3/suspended", "/app/installations/99/suspended"] {
        app.put(path).await.expect(404);
        app.delete(path).await.expect(404);
    }
}

/// Without the installation, the token has no rights at all.
#[tokio::test]
async fn delete_installation_revokes_its_tokens() {
    let (service, pem) = service_with_key().await;
    let app = helper(&service, &pem);
    app.delete("/app/installations/3").await.expect(404);
    app.delete("/app/installations/1").await.expect(204);
    app.delete("/app/installations/1").await.expect(404);
    service.with_token("ghs_helper00").get("/installation/repositories").await.expect(401);
    service.with_token("ghs_narrow00").get("/repos/octo-org/hello").await.expect(401);
    let mona = service.with_token("ghu_mona0000");
    mona.get("/repos/octo-org/secret").await.expect(404);
    mona.get("/user/installations/1/repositories").await.expect(404);
    assert_eq!(super::ids(&mona.get("/user/installations").await.expect(200)), [2]);
    app.post("/app/installations/1/access_tokens", json!({})).await.expect(404);
}

#[tokio::test]
async fn app_creates_uses_and_revokes_token() {
    let (service, pem) = service_with_key().await;
    let app = helper(&service, &pem);
    let made = app.post("/app/installations/1/access_tokens", json!({ "permissions": {} })).await.expect(201);
    let body = made.json();
    assert_eq!(body["expires_at"], "2026-02-25T07:13:20Z");
    assert_eq!(body["permissions"], json!({ "contents": "write", "issues": "read", "metadata": "read" }));
    assert_eq!((body["repository_selection"].as_str(), body.get("repositories")), (Some("selected"), None));
    let token = body["token"].as_str().expect("a token").to_owned();
    assert!(token.starts_with("ghs_") && token.len() == 40);
    let client = service.with_token(&token);
    assert_eq!(
        names(&client.get("/installation/repositories").await.expect(200)),
        ["octo-org/hello", "octo-org/secret"]
    );
    client.get("/repos/octo-org/secret").await.expect(200);
    client.delete("/installation/token").await.expect(204);
    client.get("/repos/octo-org/hello").await.expect(401);
}

#[tokio::test]
async fn installation_token_can_be_narrowed_but_not_widened() {
    let (service, pem) = service_with_key().await;
    let app = helper(&service, &pem);
    let path = "/app/installations/1/access_tokens";
    let narrow = json!({ "repositories": ["secret"], "permissions": { "contents": "read" } });
    let made = app.post(path, narrow).await.expect(201).json();
    assert_eq!(made["permissions"], json!({ "contents": "read", "metadata": "read" }));
    assert_eq!(made["repositories"][0]["full_name"], "octo-org/secret");
    let client = service.with_token(made["token"].as_str().expect("a token"));
    assert_eq!(names(&client.get("/installation/repositories").await.expect(200)), ["octo-org/secret"]);

    let wider = "The permissions requested are not granted to this installation.";
    for permissions in [json!({ "contents": "admin" }), json!({ "issues": "write" }), json!({ "checks": "read" })] {
        let rejected = app.post(path, json!({ "permissions": permissions })).await.expect(422);
        assert_eq!(rejected.message(), wider);
    }
    let foreign =
        "There is at least one repository that does not exist or is not accessible to the parent installation.";
    for asked in [
        json!({ "repository_ids": [super::EXTRA] }),
        json!({ "repository_ids": [super::OWN] }),
        json!({ "repository_ids": [99] }),
        json!({ "repositories": ["extra"] }),
        json!({ "repositories": ["hello", "absent"] }),
    ] {
        assert_eq!(app.post(path, asked).await.expect(422).message(), foreign);
    }
    let shape = app.post(path, json!({ "permissions": { "contents": "all" } })).await.expect(422);
    assert!(shape.message().starts_with("Invalid request.\n\n"), "{}", shape.message());
    app.post("/app/installations/3/access_tokens", json!({ "permissions": 1 })).await.expect(404);
}
