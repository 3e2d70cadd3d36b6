//! Deliveries as the API shows them.

use expect_test::expect;
use plinth_base::ids::WebhookId;
use plinth_core::webhooks::model::{NewDelivery, NewMessage};
use plinth_core::webhooks::store;
use plinth_store::params;
use serde_json::{Value, json};

use super::{ORG_HOOKS, REPO_HOOKS, STATE, admin, create, new_hook, path_of};
use crate::support::{Service, Tester};

/// Stores a delivery to a hook as if it had been sent, and returns its id. Without a status there was no response.
pub async fn deliver(service: &Service, hook: i64, event: &str, status: Option<i64>) -> i64 {
    let message = NewMessage {
        webhook: WebhookId(hook),
        guid: "0b989ba4-242f-11e5-81e1-c7b6966d2516".into(),
        event: event.into(),
        action: (event == "pull_request").then(|| "opened".into()),
        repo: None,
        installation: None,
        payload: r#"{"zen":"Keep it simple."}"#.into(),
    };
    let now = service.app.clock.now();
    let stored = service.store.write(Tester, (message, status, now), |tx, (message, status, now)| {
        Box::pin(async move {
            let id = store::insert_message(tx, message, *now).await?;
            let new =
                NewDelivery { message: id, webhook: message.webhook, redelivery: false, attempt: 1, due_at: *now };
            let delivery = store::insert_delivery(tx, &new).await?;
            let sql = "update webhook_delivery set delivered_at = $2, duration_ms = 30, status = $3, status_code = $4, \
                       request_headers = $5, response_headers = $6, response_body = $7 where id = $1";
            let text = if status.is_some() { "OK" } else { "timed out" };
            let (sent, received) = (r#"{"X-GitHub-Event":"ping"}"#, r#"{"Server":"nginx"}"#);
            let (received, body) = (status.map(|_| received), status.map(|_| "ok"));
            let values = params![delivery, *now, text, *status, sent, received, body];
            // A statement that may change rights would run the transaction twice on PostgreSQL, and leave gaps between ids.
            tx.content_only().execute(sql, values).await?;
            Ok(delivery.0)
        })
    });
    stored.await.expect("the store accepts the rows")
}

async fn service_with_hook() -> (Service, String) {
    let service = Service::with(&STATE).await;
    let path = path_of(REPO_HOOKS, &create(&service, REPO_HOOKS, new_hook("https://example.com/hook")).await);
    (service, path)
}

#[tokio::test]
async fn delivery_shows_request_and_response() {
    let (service, path) = service_with_hook().await;
    let id = deliver(&service, 1, "ping", Some(200)).await;
    let response = admin(&service).get(&format!("{path}/deliveries/{id}")).await;
    expect![[r#"
        200
        {
          "action": null,
          "delivered_at": "2026-02-25T06:13:20Z",
          "duration": 0.03,
          "event": "ping",
          "guid": "0b989ba4-242f-11e5-81e1-c7b6966d2516",
          "id": 1,
          "installation_id": null,
          "redelivery": false,
          "repository_id": null,
          "request": {
            "headers": {
              "X-GitHub-Event": "ping"
            },
            "payload": {
              "zen": "Keep it simple."
            }
          },
          "response": {
            "headers": {
              "Server": "nginx"
            },
            "payload": "ok"
          },
          "status": "OK",
          "status_code": 200,
          "throttled_at": null,
          "url": "https://example.com/hook"
        }"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn delivery_without_response_has_status_code_0() {
    let (service, path) = service_with_hook().await;
    let id = deliver(&service, 1, "pull_request", None).await;
    let delivery = admin(&service).get(&format!("{path}/deliveries/{id}")).await.expect(200).json();
    assert_eq!((&delivery["status"], &delivery["status_code"]), (&json!("timed out"), &json!(0)));
    assert_eq!(delivery["action"], "opened");
    assert_eq!(delivery["response"], json!({ "headers": null, "payload": null }));
    let hook = admin(&service).get(&path).await.expect(200).json();
    assert_eq!(hook["last_response"], json!({ "code": null, "status": "misconfigured", "message": "timed out" }));
    deliver(&service, 1, "push", Some(200)).await;
    let hook = admin(&service).get(REPO_HOOKS).await.expect(200).json()[0].clone();
    assert_eq!(hook["last_response"], json!({ "code": 200, "status": "active", "message": "OK" }));
}

fn ids(page: &Value) -> Vec<i64> {
    page.as_array().expect("a list").iter().map(|item| item["id"].as_i64().expect("an id")).collect()
}

/// The path and query behind a relation of a `Link` header.
fn link(header: Option<&str>, relation: &str) -> Option<String> {
    let part = header?.split(", ").find(|part| part.ends_with(&format!("rel=\"{relation}\"")))?;
    Some(part.split(['<', '>']).nth(1)?.strip_prefix("http://plinth.test")?.to_owned())
}

#[tokio::test]
async fn deliveries_are_listed_by_cursor_newest_first() {
    let (service, path) = service_with_hook().await;
    for _ in 0..5 {
        deliver(&service, 1, "push", Some(200)).await;
    }
    let first = admin(&service).get(&format!("{path}/deliveries?per_page=2")).await.expect(200);
    assert_eq!(ids(&first.json()), [5, 4]);
    assert_eq!(link(first.header("link"), "prev"), None);
    let next = link(first.header("link"), "next").expect("there are more");
    assert_eq!(next, "/repos/octo-org/hello/hooks/1/deliveries?per_page=2&cursor=v1_3");
    let second = admin(&service).get(&next).await.expect(200);
    assert_eq!(ids(&second.json()), [3, 2]);
    let last = admin(&service).get(&link(second.header("link"), "next").expect("there is more")).await.expect(200);
    assert_eq!(ids(&last.json()), [1]);
    assert_eq!(link(last.header("link"), "next"), None);
    let back = admin(&service).get(&link(last.header("link"), "prev").expect("there are others")).await.expect(200);
    assert_eq!(ids(&back.json()), [3, 2]);
    let item = &first.json()[0];
    assert!(item.get("request").is_none() && item["duration"] == json!(0.03), "{item}");
    for cursor in ["v1_", "v2_1", "1", "v1_x"] {
        admin(&service).get(&format!("{path}/deliveries?cursor={cursor}")).await.expect(422);
    }
}

#[tokio::test]
async fn deliveries_are_filtered() {
    let (service, path) = service_with_hook().await;
    for status in [Some(200), Some(500), None, Some(302)] {
        deliver(&service, 1, "push", status).await;
    }
    admin(&service).post(&format!("{path}/deliveries/2/attempts"), json!({})).await.expect(202);
    let sql = "update webhook_delivery set delivered_at = 1, status = 'OK', status_code = 204 where id = 5";
    let sent = service.store.write(Tester, (), move |tx, ()| Box::pin(async move { Ok(tx.execute(sql, &[]).await?) }));
    assert_eq!(sent.await.expect("the store accepts the change"), 1);
    for (query, expected) in [
        ("", vec![5, 4, 3, 2, 1]),
        ("?redelivery=true", vec![5]),
        ("?redelivery=false", vec![4, 3, 2, 1]),
        ("?status=success", vec![5, 4, 1]),
        ("?status=failure", vec![3, 2]),
        ("?status=failure&redelivery=true", vec![]),
    ] {
        let page = admin(&service).get(&format!("{path}/deliveries{query}")).await.expect(200).json();
        assert_eq!(ids(&page), expected, "{query}");
    }
    for query in ["?redelivery=maybe", "?status=pending"] {
        admin(&service).get(&format!("{path}/deliveries{query}")).await.expect(422);
    }
}

#[tokio::test]
async fn redelivery_is_a_new_delivery_of_the_same_message() {
    let (service, path) = service_with_hook().await;
    let id = deliver(&service, 1, "push", Some(500)).await;
    let response = admin(&service).post(&format!("{path}/deliveries/{id}/attempts"), json!({})).await.expect(202);
    assert_eq!(response.json(), json!({}));
    let mut db = service.store.read().await.expect("readable");
    let sql = "select id, message_id, redelivery, attempt from webhook_delivery order by id desc limit 1";
    let new = db.one::<(i64, i64, bool, i64)>(sql, &[]).await.expect("readable");
    assert_eq!(new, (2, 1, true, 1));
    drop(db);
    // It has not been sent yet.
    admin(&service).get(&format!("{path}/deliveries/2")).await.expect(404);
    admin(&service).post(&format!("{path}/deliveries/2/attempts"), json!({})).await.expect(404);
    assert_eq!(ids(&admin(&service).get(&format!("{path}/deliveries")).await.expect(200).json()), [1]);
}

#[tokio::test]
async fn delivery_is_found_through_its_hook_only() {
    let (service, path) = service_with_hook().await;
    let id = deliver(&service, 1, "push", Some(200)).await;
    let other = path_of(REPO_HOOKS, &create(&service, REPO_HOOKS, new_hook("https://example.com/other")).await);
    admin(&service).get(&format!("{other}/deliveries/{id}")).await.expect(404);
    admin(&service).post(&format!("{other}/deliveries/{id}/attempts"), json!({})).await.expect(404);
    assert_eq!(admin(&service).get(&format!("{other}/deliveries")).await.expect(200).json(), json!([]));
    admin(&service).delete(&path).await.expect(204);
    let mut db = service.store.read().await.expect("readable");
    for sql in ["select count(*) from webhook_message", "select count(*) from webhook_delivery"] {
        assert_eq!(db.one::<(i64,)>(sql, &[]).await.expect("readable"), (0,), "{sql}");
    }
}

#[tokio::test]
async fn deliveries_to_an_organization_are_shown_and_repeated() {
    let service = Service::with(&STATE).await;
    let path = path_of(ORG_HOOKS, &create(&service, ORG_HOOKS, new_hook("https://example.com/org")).await);
    let id = deliver(&service, 1, "push", Some(200)).await;
    assert_eq!(ids(&admin(&service).get(&format!("{path}/deliveries")).await.expect(200).json()), [id]);
    let delivery = admin(&service).get(&format!("{path}/deliveries/{id}")).await.expect(200).json();
    assert_eq!((&delivery["url"], &delivery["event"]), (&json!("https://example.com/org"), &json!("push")));
    admin(&service).post(&format!("{path}/deliveries/{id}/attempts"), json!({})).await.expect(202);
    admin(&service).post(&format!("{path}/deliveries/99/attempts"), json!({})).await.expect(404);
}
