//! Attempts after a failure, claims, and the end of messages.

use super::*;
use crate::support::receiver::{Behaviour, Receiver};

const ATTEMPTS: &str = "select attempt, due_at from webhook_delivery order by id";
const HOUR: i64 = 60 * 60;

#[tokio::test]
async fn failed_delivery_is_sent_again_later_with_the_same_guid() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Status(503)));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start_with(&service, settings(3), |client| client);
    push(&service, ROCKET, 0, 1).await;
    receiver.wait_for(1).await;
    let has_second = async || all::<(i64, i64)>(&service.store, ATTEMPTS).await.len() == 2;
    wait_until_async("a second attempt is planned", has_second).await;
    let attempts = all::<(i64, i64)>(&service.store, ATTEMPTS).await;
    assert!((12..=18).contains(&(attempts[1].1 - START.0)), "{attempts:?}");
    receiver.set(Behaviour::Status(204));
    service.advance(HOUR);
    let received = receiver.wait_for(2).await;
    assert_eq!(received[0].header("x-github-delivery"), received[1].header("x-github-delivery"));
    assert_eq!(received[0].body, received[1].body);
    wait_until_sent(&service).await;
    let statuses = all::<(i64, i64)>(&service.store, "select attempt, status_code from webhook_delivery order by id");
    assert_eq!(statuses.await, [(1, 503), (2, 204)]);
}

#[tokio::test]
async fn number_of_attempts_is_limited() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Status(500)));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start_with(&service, settings(2), |client| client);
    push(&service, ROCKET, 0, 1).await;
    receiver.wait_for(1).await;
    let has_second = async || all::<(i64, i64)>(&service.store, ATTEMPTS).await.len() == 2;
    wait_until_async("a second attempt is planned", has_second).await;
    service.advance(HOUR);
    wait_until_sent(&service).await;
    assert_eq!((receiver.count(), all::<(i64, i64)>(&service.store, ATTEMPTS).await.len()), (2, 2));
}

#[tokio::test]
async fn rejection_by_the_receiver_is_final() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Status(410)));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start_with(&service, settings(7), |client| client);
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    assert_eq!(all::<(i64, i64)>(&service.store, ATTEMPTS).await.len(), 1);
}

#[tokio::test]
async fn stop_waits_for_requests_in_flight_and_releases_the_rest() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Silent));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let running = start(&service);
    push(&service, ROCKET, 0, 10).await;
    receiver.wait_for(1).await;
    let stopping = tokio::spawn(running.stop());
    receiver.set(Behaviour::Status(200));
    stopping.await.expect("it does not panic");
    let sent = receiver.count();
    let claimed = "select count(*) from webhook_delivery where claimed_until is not null";
    let done = "select count(*) from webhook_delivery where delivered_at is not null";
    assert_eq!(count(&service.store, claimed).await, 0);
    assert_eq!(count(&service.store, done).await, i64::try_from(sent).expect("a small number"));
    let _running = start(&service);
    receiver.wait_for(10).await;
    wait_until_sent(&service).await;
    assert_eq!(receiver.count(), 10, "each was sent once");
}

/// The process that had claimed a delivery was killed.
#[tokio::test]
async fn delivery_of_a_dead_process_is_sent_after_its_claim() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Silent));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let running = start(&service);
    push(&service, ROCKET, 0, 3).await;
    receiver.wait_for(1).await;
    running.abort();
    receiver.set(Behaviour::Status(200));
    // On PostgreSQL another node may have the claim, so it has to end.
    service.advance(31);
    let _running = start(&service);
    wait_until_sent(&service).await;
    let mut received = numbers(&receiver.received());
    received.sort_unstable();
    received.dedup();
    assert_eq!(received, [0, 1, 2]);
}

#[tokio::test]
async fn messages_are_deleted_after_three_days() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let running = start(&service);
    push(&service, ROCKET, 0, 300).await;
    wait_until_sent(&service).await;
    running.stop().await;
    let messages = "select count(*) from webhook_message";
    service.advance(3 * 24 * HOUR - 1);
    start(&service).stop().await;
    assert_eq!(count(&service.store, messages).await, 300);
    service.advance(2);
    let _running = start(&service);
    let is_empty = async || count(&service.store, messages).await == 0;
    wait_until_async("old messages are deleted", is_empty).await;
    assert_eq!(count(&service.store, "select count(*) from webhook_delivery").await, 0);
}
