//! Deliveries of one repository arrive in the order of the events.

use super::*;
use crate::support::receiver::{Behaviour, Receiver};

#[tokio::test]
async fn events_of_a_repository_arrive_in_order() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start(&service);
    for first in (0..200).step_by(20) {
        push(&service, ROCKET, first, 20).await;
    }
    assert_eq!(numbers(&receiver.wait_for(200).await), (0..200).collect::<Vec<u64>>());
    wait_until_sent(&service).await;
}

#[tokio::test]
async fn failed_delivery_does_not_stop_those_after_it() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Status(500)));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start_with(&service, settings(2), |client| client);
    push(&service, ROCKET, 0, 10).await;
    assert_eq!(numbers(&receiver.wait_for(10).await), (0..10).collect::<Vec<u64>>());
}

/// After a second without a response, the next delivery of the repository is sent, up to four at once.
#[tokio::test]
async fn silent_receiver_gets_a_few_deliveries_at_once() {
    let (service, receiver) = (rocket().await, Receiver::start(Behaviour::Silent));
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    let _running = start(&service);
    push(&service, ROCKET, 0, 10).await;
    receiver.wait_for(4).await;
    assert_eq!((receiver.count(), receiver.requests_open()), (4, 4));
    receiver.set(Behaviour::Status(200));
    let mut received = numbers(&receiver.wait_for(10).await);
    assert_eq!(received[..4], [0, 1, 2, 3]);
    received.sort_unstable();
    assert_eq!(received, (0..10).collect::<Vec<u64>>());
}
