//! The hook of an app, which signs requests with its own key.

use std::sync::LazyLock;

use serde_json::json;

use super::deliveries::deliver;
use super::events;
use crate::support::fixtures::octo_org;
use crate::support::{Client, Service, jwt};

const CONFIG: &str = "/app/hook/config";

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona"])
        .helper("contents: read")
        .classic("mona", "repo, \"admin:org_hook\"", "ghp_mona_admin")
        .to_string()
});

async fn service() -> Service {
    let service = Service::with("").await;
    service.write_app_key("helper.pem");
    service.apply(&STATE).await;
    service
}

fn helper(service: &Service) -> Client<'_> {
    service.with_token(&jwt::sign(service.app_key(), &jwt::claims("Iv23helper")))
}

#[tokio::test]
async fn first_url_creates_the_hook_of_an_app() {
    let service = service().await;
    let absent = json!({ "content_type": "json", "insecure_ssl": "0" });
    assert_eq!(helper(&service).get(CONFIG).await.expect(200).json(), absent);
    assert_eq!(helper(&service).patch(CONFIG, json!({ "secret": "s" })).await.expect(200).json(), absent);
    assert_eq!(helper(&service).get("/app/hook/deliveries").await.expect(200).json(), json!([]));
    let body = json!({ "url": "https://example.com/app", "secret": "a secret" });
    let config =
        json!({ "content_type": "json", "insecure_ssl": "0", "secret": "********", "url": "https://example.com/app" });
    assert_eq!(helper(&service).patch(CONFIG, body).await.expect(200).json(), config);
    assert_eq!(events(&service).await, [("ping".to_owned(), Some(1))]);
    let body = json!({ "content_type": "form", "secret": "" });
    let config = json!({ "content_type": "form", "insecure_ssl": "0", "url": "https://example.com/app" });
    assert_eq!(helper(&service).patch(CONFIG, body).await.expect(200).json(), config);
    assert_eq!(helper(&service).get(CONFIG).await.expect(200).json(), config);
    assert_eq!(events(&service).await.len(), 1);
    helper(&service).patch(CONFIG, json!({ "url": "nowhere" })).await.expect(422);
}

#[tokio::test]
async fn app_sees_and_repeats_its_own_deliveries() {
    let service = service().await;
    helper(&service).get("/app/hook/deliveries/1").await.expect(404);
    helper(&service).post("/app/hook/deliveries/1/attempts", json!({})).await.expect(404);
    helper(&service).patch(CONFIG, json!({ "url": "https://example.com/app" })).await.expect(200);
    let delivery = deliver(&service, 1, "push", Some(200)).await;
    let listed = helper(&service).get("/app/hook/deliveries").await.expect(200).json();
    assert_eq!(listed[0]["id"], delivery);
    let path = format!("/app/hook/deliveries/{delivery}");
    assert_eq!(helper(&service).get(&path).await.expect(200).json()["url"], "https://example.com/app");
    helper(&service).post(&format!("{path}/attempts"), json!({})).await.expect(202);
}

#[tokio::test]
async fn hook_of_an_app_needs_a_json_web_token() {
    let service = service().await;
    let mona = service.with_token("ghp_mona_admin");
    for client in [mona, service.anonymous()] {
        for path in [CONFIG, "/app/hook/deliveries", "/app/hook/deliveries/1"] {
            assert_eq!(client.get(path).await.expect(401).message(), "A JSON web token could not be decoded");
        }
        client.patch(CONFIG, json!({})).await.expect(401);
        client.post("/app/hook/deliveries/1/attempts", json!({})).await.expect(401);
    }
}
