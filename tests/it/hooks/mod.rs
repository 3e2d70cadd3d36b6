//! Hooks of repositories, organizations and apps.

mod apps;
mod commands;
pub mod deliveries;
mod end_to_end;
mod rights;
mod secrets;
mod state;
mod validation;

use std::sync::LazyLock;

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::fixtures::two_orgs;
use crate::support::{Client, Service};

static STATE: LazyLock<String> = LazyLock::new(|| {
    two_orgs()
        .repo(
            "octo-org/hello",
            "commits: [{ branch: main, author: mona, message: one, files: { a: one } }, \
             { branch: main, author: mona, message: two, files: { a: two } }]",
        )
        .repo("octo-org/empty", "private: true")
        .classic("mona", "repo, \"admin:org_hook\"", "ghp_mona_admin")
        .to_string()
});
const REPO_HOOKS: &str = "/repos/octo-org/hello/hooks";
const ORG_HOOKS: &str = "/orgs/octo-org/hooks";

fn admin(service: &Service) -> Client<'_> {
    service.with_token("ghp_mona_admin")
}

fn new_hook(url: &str) -> Value {
    json!({ "name": "web", "events": ["push", "pull_request"], "config": { "url": url, "content_type": "json" } })
}

/// Creates a hook and returns it.
async fn create(service: &Service, hooks: &str, body: Value) -> Value {
    admin(service).post(hooks, body).await.expect(201).json()
}

/// The events that wait for their dispatch: name and subject.
async fn events(service: &Service) -> Vec<(String, Option<i64>)> {
    let mut db = service.store.read().await.expect("the store can be read");
    db.all("select name, subject_id from event order by id", &[]).await.expect("the store can be read")
}

fn path_of(hooks: &str, hook: &Value) -> String {
    format!("{hooks}/{}", hook["id"])
}

#[tokio::test]
async fn create_repo_hook_returns_it_and_sends_a_ping() {
    let service = Service::with(&STATE).await;
    let mut body = new_hook("https://example.com/hook");
    body["config"]["secret"] = json!("It's a Secret to Everybody");
    body["config"]["insecure_ssl"] = json!(1);
    let response = admin(&service).post(REPO_HOOKS, body).await;
    assert_eq!(response.header("location"), Some("http://plinth.test/repos/octo-org/hello/hooks/1"));
    expect![[r#"
        201
        {
          "active": true,
          "config": {
            "content_type": "json",
            "insecure_ssl": "1",
            "secret": "********",
            "url": "https://example.com/hook"
          },
          "created_at": "2026-02-25T06:13:20Z",
          "deliveries_url": "http://plinth.test/repos/octo-org/hello/hooks/1/deliveries",
          "events": [
            "push",
            "pull_request"
          ],
          "id": 1,
          "last_response": {
            "code": null,
            "message": null,
            "status": "unused"
          },
          "name": "web",
          "ping_url": "http://plinth.test/repos/octo-org/hello/hooks/1/pings",
          "test_url": "http://plinth.test/repos/octo-org/hello/hooks/1/test",
          "type": "Repository",
          "updated_at": "2026-02-25T06:13:20Z",
          "url": "http://plinth.test/repos/octo-org/hello/hooks/1"
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(events(&service).await, [("ping".to_owned(), Some(1))]);
    assert_eq!(admin(&service).get(REPO_HOOKS).await.expect(200).json()[0], response.json());
    assert_eq!(admin(&service).get(&format!("{REPO_HOOKS}/1")).await.expect(200).json(), response.json());
}

#[tokio::test]
async fn create_org_hook_returns_it_and_sends_a_ping() {
    let service = Service::with(&STATE).await;
    let response = admin(&service).post(ORG_HOOKS, new_hook("https://example.com/org")).await;
    expect![[r#"
        201
        {
          "active": true,
          "config": {
            "content_type": "json",
            "insecure_ssl": "0",
            "url": "https://example.com/org"
          },
          "created_at": "2026-02-25T06:13:20Z",
          "deliveries_url": "http://plinth.test/orgs/octo-org/hooks/1/deliveries",
          "events": [
            "push",
            "pull_request"
          ],
          "id": 1,
          "name": "web",
          "ping_url": "http://plinth.test/orgs/octo-org/hooks/1/pings",
          "type": "Organization",
          "updated_at": "2026-02-25T06:13:20Z",
          "url": "http://plinth.test/orgs/octo-org/hooks/1"
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(events(&service).await, [("ping".to_owned(), Some(1))]);
    assert_eq!(admin(&service).get(ORG_HOOKS).await.expect(200).json()[0], response.json());
    assert_eq!(admin(&service).get(&format!("{ORG_HOOKS}/1")).await.expect(200).json(), response.json());
}

#[tokio::test]
async fn new_hook_has_defaults() {
    let service = Service::with(&STATE).await;
    let hook = create(&service, REPO_HOOKS, json!({ "config": { "url": "http://example.com" } })).await;
    assert_eq!(hook["events"], json!(["push"]));
    let config = json!({ "content_type": "form", "insecure_ssl": "0", "url": "http://example.com" });
    assert_eq!((&hook["active"], &hook["config"]), (&json!(true), &config));
    let body = json!({ "config": { "url": "http://example.com/2" }, "active": false, "events": ["*", "*"] });
    let hook = create(&service, REPO_HOOKS, body).await;
    assert_eq!((&hook["active"], &hook["events"]), (&json!(false), &json!(["*"])));
}

#[tokio::test]
async fn update_hook_changes_what_it_names() {
    let service = Service::with(&STATE).await;
    for hooks in [REPO_HOOKS, ORG_HOOKS] {
        let mut hook = create(&service, hooks, new_hook("https://example.com/hook")).await;
        let path = path_of(hooks, &hook);
        service.advance(60);
        let body = json!({ "active": false, "add_events": ["delete"], "remove_events": ["push"] });
        let changed = admin(&service).patch(&path, body).await.expect(200).json();
        hook["active"] = json!(false);
        hook["events"] = json!(["pull_request", "delete"]);
        hook["updated_at"] = changed["updated_at"].clone();
        assert_eq!(changed, hook);
        assert_ne!(changed["updated_at"], changed["created_at"]);
        service.advance(60);
        assert_eq!(admin(&service).patch(&path, json!({})).await.expect(200).json(), hook, "nothing changed");
        let body = json!({ "events": ["push"], "active": true });
        let changed = admin(&service).patch(&path, body).await.expect(200).json();
        assert_eq!((&changed["events"], &changed["active"]), (&json!(["push"]), &json!(true)));
    }
}

#[tokio::test]
async fn config_of_an_update_replaces_the_whole_configuration() {
    let service = Service::with(&STATE).await;
    let mut body = new_hook("https://example.com/hook");
    body["config"]["secret"] = json!("a secret");
    body["config"]["insecure_ssl"] = json!("1");
    let path = path_of(REPO_HOOKS, &create(&service, REPO_HOOKS, body).await);
    let masked = json!({ "config": { "url": "https://example.com/b", "secret": "********" } });
    let changed = admin(&service).patch(&path, masked).await.expect(200).json();
    let config =
        json!({ "content_type": "form", "insecure_ssl": "0", "secret": "********", "url": "https://example.com/b" });
    assert_eq!(changed["config"], config, "the mask leaves the secret unchanged");
    let without = json!({ "config": { "url": "https://example.com/b" } });
    let changed = admin(&service).patch(&path, without).await.expect(200).json();
    assert_eq!(changed["config"].get("secret"), None);
}

#[tokio::test]
async fn update_of_a_configuration_changes_what_it_names() {
    let service = Service::with(&STATE).await;
    for hooks in [REPO_HOOKS, ORG_HOOKS] {
        let path =
            format!("{}/config", path_of(hooks, &create(&service, hooks, new_hook("https://example.com/hook")).await));
        let config = admin(&service).get(&path).await.expect(200).json();
        assert_eq!(config, json!({ "content_type": "json", "insecure_ssl": "0", "url": "https://example.com/hook" }));
        let changed = admin(&service).patch(&path, json!({ "secret": "a secret" })).await.expect(200).json();
        assert_eq!(changed["secret"], "********");
        let body = json!({ "content_type": "form", "insecure_ssl": 1, "url": "https://example.com/b" });
        let changed = admin(&service).patch(&path, body).await.expect(200).json();
        let config = json!({ "content_type": "form", "insecure_ssl": "1", "secret": "********", "url": "https://example.com/b" });
        assert_eq!(changed, config);
        assert_eq!(admin(&service).get(&path).await.expect(200).json(), config);
        let changed = admin(&service).patch(&path, json!({ "secret": "" })).await.expect(200).json();
        assert_eq!(changed.get("secret"), None);
    }
}

#[tokio::test]
async fn list_hooks_has_pages() {
    let service = Service::with(&STATE).await;
    for number in 0..3 {
        create(&service, REPO_HOOKS, new_hook(&format!("https://example.com/{number}"))).await;
    }
    let page = admin(&service).get(&format!("{REPO_HOOKS}?per_page=2&page=2")).await.expect(200);
    assert_eq!(page.json().as_array().expect("a list").len(), 1);
    assert!(page.header("link").expect("there is a page before").contains("rel=\"prev\""));
}

#[tokio::test]
async fn deleted_hook_is_not_found() {
    let service = Service::with(&STATE).await;
    for hooks in [REPO_HOOKS, ORG_HOOKS] {
        let path = path_of(hooks, &create(&service, hooks, new_hook("https://example.com/hook")).await);
        admin(&service).delete(&path).await.expect(204);
        admin(&service).get(&path).await.expect(404);
        admin(&service).delete(&path).await.expect(404);
        assert_eq!(admin(&service).get(hooks).await.expect(200).json(), json!([]));
    }
}

#[tokio::test]
async fn hook_is_found_through_its_owner_only() {
    let service = Service::with(&STATE).await;
    let of_repo = create(&service, REPO_HOOKS, new_hook("https://example.com/hook")).await;
    let of_org = create(&service, ORG_HOOKS, new_hook("https://example.com/hook")).await;
    let wrong = [
        path_of("/repos/octo-org/empty/hooks", &of_repo),
        path_of(ORG_HOOKS, &of_repo),
        path_of(REPO_HOOKS, &of_org),
        path_of("/orgs/other-org/hooks", &of_org),
        format!("{REPO_HOOKS}/x"),
        format!("{REPO_HOOKS}/99"),
    ];
    for path in wrong {
        admin(&service).get(&path).await.expect(404);
        admin(&service).patch(&path, json!({ "active": false })).await.expect(404);
        admin(&service).delete(&path).await.expect(404);
        admin(&service).get(&format!("{path}/config")).await.expect(404);
        admin(&service).patch(&format!("{path}/config"), json!({})).await.expect(404);
        admin(&service).get(&format!("{path}/deliveries")).await.expect(404);
        admin(&service).post(&format!("{path}/pings"), json!({})).await.expect(404);
    }
}

#[tokio::test]
async fn ping_is_recorded_for_every_hook() {
    let service = Service::with(&STATE).await;
    let mut body = new_hook("https://example.com/hook");
    body["active"] = json!(false);
    for (hooks, id) in [(REPO_HOOKS, 1), (ORG_HOOKS, 2)] {
        let path = path_of(hooks, &create(&service, hooks, body.clone()).await);
        admin(&service).post(&format!("{path}/pings"), json!({})).await.expect(204);
        let pings =
            events(&service).await.into_iter().filter(|(name, hook)| name == "ping" && *hook == Some(id)).count();
        assert_eq!(pings, 2, "one of the creation, and this one");
    }
}

#[tokio::test]
async fn test_records_a_push_for_subscribed_hooks_of_repositories_with_commits() {
    let service = Service::with(&STATE).await;
    let hook = create(&service, REPO_HOOKS, new_hook("https://example.com/hook")).await;
    for path in ["tests", "test"] {
        admin(&service).post(&format!("{}/{path}", path_of(REPO_HOOKS, &hook)), json!({})).await.expect(204);
    }
    let pushes: Vec<_> = events(&service).await.into_iter().filter(|(name, _)| name == "push").collect();
    assert_eq!(pushes, [("push".to_owned(), Some(1)), ("push".to_owned(), Some(1))]);
    let body = json!({ "events": ["delete"], "config": { "url": "https://example.com/2" } });
    let deaf = create(&service, REPO_HOOKS, body).await;
    admin(&service).post(&format!("{}/tests", path_of(REPO_HOOKS, &deaf)), json!({})).await.expect(204);
    let empty = create(&service, "/repos/octo-org/empty/hooks", new_hook("https://example.com/hook")).await;
    let path = format!("{}/tests", path_of("/repos/octo-org/empty/hooks", &empty));
    admin(&service).post(&path, json!({})).await.expect(204);
    let pushes = events(&service).await.into_iter().filter(|(name, _)| name == "push").count();
    assert_eq!(pushes, 2);
}
