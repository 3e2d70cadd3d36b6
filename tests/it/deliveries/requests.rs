//! What a receiver gets.

use aws_lc_rs::digest;
use plinth_core::webhooks::model::{ContentType, Webhook, WebhookOwner};

use super::*;
use crate::support::receiver::{Received, Receiver};

/// HMAC as RFC 2104 defines it, over the bytes that arrived.
fn hmac(algorithm: &'static digest::Algorithm, key: &[u8], message: &[u8]) -> String {
    const BLOCK: usize = 64;
    assert!(key.len() <= BLOCK);
    let pad = |byte: u8| -> Vec<u8> { (0..BLOCK).map(|i| key.get(i).copied().unwrap_or(0) ^ byte).collect() };
    let inner = digest::digest(algorithm, &[pad(0x36), message.to_vec()].concat());
    let outer = digest::digest(algorithm, &[pad(0x5c), inner.as_ref().to_vec()].concat());
    outer.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn assert_signed(request: &Received) {
    let sha1 = hmac(&digest::SHA1_FOR_LEGACY_USE_ONLY, SECRET.as_bytes(), &request.body);
    let sha256 = hmac(&digest::SHA256, SECRET.as_bytes(), &request.body);
    assert_eq!(request.header("x-hub-signature"), format!("sha1={sha1}"));
    assert_eq!(request.header("x-hub-signature-256"), format!("sha256={sha256}"));
}

#[tokio::test]
async fn delivery_has_the_headers_and_signatures_of_github() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    let id = add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), Some(SECRET)).await;
    let _running = start(&service);
    push(&service, ROCKET, 7, 1).await;
    let request = receiver.wait_for(1).await.remove(0);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/hook"));
    assert_eq!(request.json(), json!({ "action": null, "data": { "number": 7 }, "installation": null }));
    assert_signed(&request);
    assert_eq!(request.header("host"), receiver.address.to_string());
    assert_eq!(request.header("content-length"), request.body.len().to_string());
    for (name, value) in [
        ("accept", "*/*"),
        ("content-type", "application/json"),
        ("x-github-event", "push"),
        ("x-github-hook-id", &id.to_string()),
        ("x-github-hook-installation-target-type", "repository"),
        ("x-github-hook-installation-target-id", "1"),
    ] {
        assert_eq!(request.header(name), value, "{name}");
    }
    assert!(request.header("user-agent").starts_with("GitHub-Hookshot/"));
    assert_eq!(request.header("x-github-delivery").len(), 36);
    assert_eq!(request.headers.len(), 12, "{:?}", request.headers);
}

#[tokio::test]
async fn form_delivery_is_encoded_and_signed_as_sent() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    let form = Webhook { content_type: ContentType::Form, ..hook(WebhookOwner::Repo(ROCKET), &receiver.url()) };
    add_hook(&service, form, Some(SECRET)).await;
    let _running = start(&service);
    push(&service, ROCKET, 7, 1).await;
    let request = receiver.wait_for(1).await.remove(0);
    assert_eq!(request.header("content-type"), "application/x-www-form-urlencoded");
    assert_signed(&request);
    let body = std::str::from_utf8(&request.body).expect("a form is ASCII");
    let (name, value) = body.split_once('=').expect("a form has names and values");
    let value = percent_encoding::percent_decode_str(value).decode_utf8().expect("UTF-8");
    assert_eq!((name, as_json(&value)["data"]["number"].as_u64()), ("payload", Some(7)));
}

#[tokio::test]
async fn hook_without_secret_sends_no_signature_and_shares_the_guid_of_the_event() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    for _ in 0..2 {
        add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    }
    let _running = start(&service);
    push(&service, ROCKET, 0, 1).await;
    let received = receiver.wait_for(2).await;
    assert!(received.iter().all(|request| !request.headers.keys().any(|name| name.starts_with("x-hub-"))));
    assert_eq!(received[0].header("x-github-delivery"), received[1].header("x-github-delivery"));
    assert_ne!(received[0].header("x-github-hook-id"), received[1].header("x-github-hook-id"));
}

#[tokio::test]
async fn result_shows_request_and_response() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), Some(SECRET)).await;
    let _running = start(&service);
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    let sql = "select status, response_body, request_headers, response_headers from webhook_delivery \
               where status_code = 200 and attempt = 1 and claimed_until is null and duration_ms >= 0";
    let rows = all::<(String, String, String, String)>(&service.store, sql).await;
    let (status, body, request, response) = rows.into_iter().next().expect("a delivery");
    assert_eq!((status.as_str(), body.as_str()), ("OK", "ok"));
    let request = as_json(&request);
    assert_eq!((&request["X-GitHub-Event"], &request["X-GitHub-Hook-ID"]), (&json!("push"), &json!("1")));
    assert_eq!(as_json(&response)["Content-Length"], "2");
    assert!(!request.to_string().contains(SECRET));
}

#[tokio::test]
async fn connection_is_used_again() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start(&service);
    push(&service, ROCKET, 0, 50).await;
    receiver.wait_for(50).await;
    assert_eq!(receiver.connections_open(), 1);
}
