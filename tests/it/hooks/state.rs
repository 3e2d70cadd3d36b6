//! Hooks of a state file.

use serde_json::json;

use super::{ORG_HOOKS, REPO_HOOKS, STATE, admin, events};
use crate::support::Service;

const HOOKS: &str = r#"
orgs:
  - login: octo-org
    hooks:
      - { url: "https://example.com/org", events: ["*"], content_type: json, secret: org secret }
repos:
  - name: octo-org/hello
    hooks:
      - { url: "https://example.com/a", events: [push, pull_request], secret: "first secret", active: false, insecure_ssl: true }
      - { url: "https://example.com/b" }
apps:
  - { slug: helper, owner: octo-org, webhook_url: "https://example.com/app", webhook_secret: app secret }
"#;

#[tokio::test]
async fn state_file_creates_hooks_once() {
    let service = Service::with(&STATE).await;
    service.apply(HOOKS).await;
    let hooks = admin(&service).get(REPO_HOOKS).await.expect(200).json();
    assert_eq!(hooks.as_array().expect("a list").len(), 2);
    assert_eq!(hooks[0]["events"], json!(["push", "pull_request"]));
    assert_eq!(
        (&hooks[0]["active"], &hooks[0]["config"]),
        (
            &json!(false),
            &json!({ "content_type": "form", "insecure_ssl": "1", "secret": "********", "url": "https://example.com/a" })
        )
    );
    assert_eq!(hooks[1]["events"], json!(["push"]));
    let of_org = admin(&service).get(ORG_HOOKS).await.expect(200).json();
    assert_eq!((&of_org[0]["events"], &of_org[0]["config"]["content_type"]), (&json!(["*"]), &json!("json")));
    assert_eq!(events(&service).await.iter().filter(|(name, _)| name == "ping").count(), 4);
    service.advance(60);
    service.apply(HOOKS).await;
    assert_eq!(admin(&service).get(REPO_HOOKS).await.expect(200).json(), hooks, "nothing changes");
    assert_eq!(admin(&service).get(ORG_HOOKS).await.expect(200).json(), of_org, "nothing changes");
    service.apply(&HOOKS.replace("first secret", "second secret")).await;
    let changed = admin(&service).get(REPO_HOOKS).await.expect(200).json();
    assert_ne!(changed[0]["updated_at"], hooks[0]["updated_at"], "the secret changed");
    assert_eq!(changed[1], hooks[1]);
}

#[tokio::test]
async fn state_file_rejects_invalid_hooks_with_their_line() {
    let service = Service::with(&STATE).await;
    for (hook, expected) in [
        ("{ url: nowhere }", "line 1, repos.hooks: "),
        ("{ url: \"http://example.com\", events: [nothing] }", "line 1, repos.hooks: "),
        ("{ url: \"http://example.com\", content_type: xml }", "\"xml\" is neither json nor form"),
    ] {
        let text = format!("repos: [{{ name: octo-org/hello, hooks: [{hook}] }}]");
        let error = service.try_apply(&text).await.expect_err(hook);
        assert!(error.contains(expected), "{error}");
    }
    let error = service.try_apply("apps: [{ slug: helper, owner: octo-org, webhook_secret: hidden }]").await;
    let error = error.expect_err("there is no URL");
    assert!(error.contains("apps.webhook_secret") && !error.contains("hidden"), "{error}");
}
