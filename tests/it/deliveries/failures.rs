//! What receivers do that they should not.

use super::*;
use crate::support::receiver::{Behaviour, Receiver};

/// Status code and text of the only delivery, with the size of the stored body.
async fn outcome(behaviour: Behaviour) -> (i64, String, i64) {
    let (service, receiver) = (rocket().await, Receiver::start(behaviour));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start_with(&service, settings(1), |client| client.with_timeout(Duration::from_secs(2)));
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    let sql = "select coalesce(status_code, 0), status, cast(coalesce(length(response_body), 0) as bigint) \
               from webhook_delivery";
    let mut rows = all::<(i64, String, i64)>(&service.store, sql).await;
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

#[tokio::test]
async fn redirect_is_a_failed_delivery_and_is_not_followed() {
    let target = Receiver::ok();
    let (code, status, _) = outcome(Behaviour::RedirectTo(target.url())).await;
    assert_eq!((code, status.as_str()), (302, "Invalid HTTP Response: 302"));
    assert_eq!((target.count(), target.connections_open()), (0, 0));
}

#[tokio::test]
async fn endless_body_is_stored_up_to_a_limit() {
    assert_eq!(outcome(Behaviour::EndlessBody).await, (200, "OK".into(), 64 * 1024));
}

#[tokio::test]
async fn responses_that_are_not_http_are_failed_deliveries() {
    const NO_RESPONSE: &str = "the host did not send a valid response";
    for (behaviour, expected) in [
        (Behaviour::EndlessHeaders, NO_RESPONSE),
        (Behaviour::Garbage, NO_RESPONSE),
        (Behaviour::Closed, NO_RESPONSE),
        (Behaviour::Silent, "timed out"),
    ] {
        let (code, status, _) = outcome(behaviour.clone()).await;
        assert_eq!((code, status.as_str()), (0, expected), "{behaviour:?}");
    }
}

#[tokio::test]
async fn receiver_that_is_not_there_is_a_failed_delivery() {
    let service = rocket().await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/", listener.local_addr().expect("a listener has an address"));
    drop(listener);
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &url), None).await;
    let _running = start(&service);
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    let rows = all::<(String,)>(&service.store, "select status from webhook_delivery").await;
    assert_eq!(rows, [("failed to connect to host".to_owned(),)]);
}

/// A receiver may close an idle connection at any time.
#[tokio::test]
async fn closed_idle_connection_is_replaced() {
    let service = rocket().await;
    let first = Receiver::ok();
    let address = first.address;
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &first.url()), None).await;
    let _running = start(&service);
    push(&service, ROCKET, 0, 1).await;
    first.wait_for(1).await;
    wait_until_sent(&service).await;
    drop(first);
    let second = Receiver::at(address, Behaviour::Status(200));
    push(&service, ROCKET, 1, 1).await;
    assert_eq!(numbers(&second.wait_for(1).await), [1]);
}

#[tokio::test]
async fn secret_that_cannot_be_decrypted_sends_nothing() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    let mut copied = hook(WebhookOwner::Repo(ROCKET), &receiver.url());
    copied.secret = Some(secret::seal(&key(&service), WebhookOwner::Repo(RepoId(9)), &Secret::new(SECRET)));
    add_hook(&service, copied, None).await;
    let _running = start(&service);
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    let rows = all::<(String,)>(&service.store, "select status from webhook_delivery").await;
    assert_eq!(rows, [("the secret of the hook cannot be decrypted".to_owned(),)]);
    assert_eq!(receiver.count(), 0);
}
