//! What hooks are rejected, and how.

use serde_json::{Value, json};

use super::{ORG_HOOKS, REPO_HOOKS, STATE, admin, create, new_hook, path_of};
use crate::support::Service;

/// The errors of a rejected body.
async fn errors_of(service: &Service, hooks: &str, body: Value) -> Value {
    let response = admin(service).post(hooks, body).await.expect(422);
    assert_eq!(response.message(), "Validation Failed");
    response.json()["errors"].clone()
}

#[tokio::test]
async fn create_hook_rejects_invalid_values() {
    let service = Service::with(&STATE).await;
    let custom = |message: &str| json!([{ "resource": "Hook", "code": "custom", "message": message }]);
    let invalid = "The URL you've entered is not valid. Please make sure that you encode all special characters first";
    for hooks in [REPO_HOOKS, ORG_HOOKS] {
        let with = |config: Value| json!({ "name": "web", "config": config });
        for url in ["example.com", "ftp://example.com", "http://", "http://a b/", "javascript:alert(1)"] {
            assert_eq!(errors_of(&service, hooks, with(json!({ "url": url }))).await, custom(invalid), "{url}");
        }
        let missing = errors_of(&service, hooks, with(json!({}))).await;
        assert_eq!(missing, custom("Config must contain URL for webhooks"));
        let long = format!("http://example.com/{}", "a".repeat(2048));
        let long = errors_of(&service, hooks, with(json!({ "url": long }))).await;
        assert_eq!(long, custom("URL is too long (maximum is 2048 characters)"));
        let password = errors_of(&service, hooks, with(json!({ "url": "http://me:password@example.com" }))).await;
        assert_eq!(password, custom("The URL must not contain a user name or a password"));
        let name = json!({ "name": "email", "config": { "url": "http://example.com" } });
        assert_eq!(
            errors_of(&service, hooks, name).await,
            json!([{ "resource": "Hook", "code": "invalid", "field": "name" }])
        );
        let mut event = new_hook("http://example.com");
        event["events"] = json!(["push", "pushes"]);
        assert_eq!(
            errors_of(&service, hooks, event).await,
            json!([{ "resource": "Hook", "code": "invalid", "field": "events", "message": "\"pushes\" is not the name of an event" }])
        );
    }
    let mut of_org = new_hook("http://example.com");
    of_org["events"] = json!(["organization"]);
    errors_of(&service, REPO_HOOKS, of_org.clone()).await;
    create(&service, ORG_HOOKS, of_org).await;
}

#[tokio::test]
async fn create_hook_rejects_other_shapes() {
    let service = Service::with(&STATE).await;
    let message = admin(&service).post(ORG_HOOKS, json!({})).await.expect(422).message();
    assert_eq!(message, "Invalid request.\n\n\"config\", \"name\" weren't supplied.");
    let config = |name: &str, value: Value| json!({ "config": { "url": "http://example.com", name: value } });
    for (body, expected) in [
        (
            config("content_type", json!("xml")),
            "For 'properties/config/properties/content_type', xml is not a member of [\"json\", \"form\"].",
        ),
        (
            config("insecure_ssl", json!("2")),
            "For 'properties/config/properties/insecure_ssl', 2 is not a member of [\"0\", \"1\"].",
        ),
        (
            config("insecure_ssl", json!(true)),
            "For 'properties/config/properties/insecure_ssl', true is not a string or a number.",
        ),
        (config("secret", json!(["hidden"])), "For 'properties/config/properties/secret', the value is not a string."),
        (json!({ "events": "push" }), "For 'properties/events', push is not an array."),
        (json!({ "active": "yes" }), "For 'properties/active', yes is not a boolean."),
    ] {
        let message = admin(&service).post(REPO_HOOKS, body).await.expect(422).message();
        assert_eq!(message, format!("Invalid request.\n\n{expected}"));
    }
}

#[tokio::test]
async fn same_configuration_with_same_event_exists_once() {
    let service = Service::with(&STATE).await;
    for (hooks, target) in [(REPO_HOOKS, "repository"), (ORG_HOOKS, "organization")] {
        let with = |url: &str, events: Value| {
            let mut body = new_hook(url);
            body["events"] = events;
            body
        };
        create(&service, hooks, with("http://example.com", json!(["push", "create"]))).await;
        let exists = json!([{ "resource": "Hook", "code": "custom", "message": format!("Hook already exists on this {target}") }]);
        for events in [json!(["create"]), json!(["delete", "push"]), json!(["*"])] {
            assert_eq!(errors_of(&service, hooks, with("http://example.com", events)).await, exists);
        }
        let other = create(&service, hooks, with("http://example.com", json!(["delete"]))).await;
        let changed = admin(&service).patch(&path_of(hooks, &other), json!({ "add_events": ["push"] })).await;
        assert_eq!(changed.expect(422).json()["errors"], exists);
        create(&service, hooks, with("http://example.com/2", json!(["push"]))).await;
    }
}

#[tokio::test]
async fn event_has_at_most_20_hooks() {
    let service = Service::with(&STATE).await;
    for number in 0..20 {
        create(&service, REPO_HOOKS, json!({ "config": { "url": format!("http://example.com/{number}") } })).await;
    }
    let body = json!({ "config": { "url": "http://example.com/more" } });
    let expected = json!([{ "resource": "Hook", "code": "custom", "message": "The \"push\" event cannot have more than 20 hooks" }]);
    assert_eq!(errors_of(&service, REPO_HOOKS, body).await, expected);
    create(&service, REPO_HOOKS, json!({ "events": ["delete"], "config": { "url": "http://example.com/more" } })).await;
    create(&service, "/repos/octo-org/empty/hooks", json!({ "config": { "url": "http://example.com" } })).await;
}

#[tokio::test]
async fn hook_keeps_at_least_one_event() {
    let service = Service::with(&STATE).await;
    let path =
        path_of(REPO_HOOKS, &create(&service, REPO_HOOKS, json!({ "config": { "url": "http://example.com" } })).await);
    admin(&service).patch(&path, json!({ "remove_events": ["push"] })).await.expect(422);
    admin(&service).patch(&path, json!({ "config": {} })).await.expect(422);
    admin(&service).patch(&path, json!({ "config": { "url": "x" } })).await.expect(422);
    admin(&service).patch(&format!("{path}/config"), json!({ "url": "x" })).await.expect(422);
    assert_eq!(admin(&service).get(&path).await.expect(200).json()["events"], json!(["push"]));
}
