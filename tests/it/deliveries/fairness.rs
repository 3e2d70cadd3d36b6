//! A slow receiver, or a large backlog, delays nobody else.

use super::*;
use crate::support::receiver::{Behaviour, Receiver};
use crate::support::wait::wait_until;

/// No request to a silent receiver ends during the test, so nothing that arrives has waited for such an end.
fn start_without_timeouts(service: &Service) -> Running {
    start_with(service, settings(1), |client| client.with_timeout(Duration::from_secs(600)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backlog_of_a_silent_receiver_does_not_delay_another_hook() {
    let service = Service::with(&fixtures::rocket().repo("mona/other", "").to_string()).await;
    let (silent, good) = (Receiver::start(Behaviour::Silent), Receiver::ok());
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &silent.url()), None).await;
    add_hook(&service, hook(WebhookOwner::Repo(RepoId(2)), &good.url()), None).await;
    push(&service, ROCKET, 0, 2_000).await;
    let _running = start_without_timeouts(&service);
    silent.wait_for(1).await;
    push(&service, RepoId(2), 0, 20).await;
    assert_eq!(numbers(&good.wait_for(20).await), (0..20).collect::<Vec<u64>>());
    assert!(silent.count() <= 4 && silent.requests_open() == silent.count(), "none has a response");
}

/// More silent receivers than may be sent to at once. They time out, and are then known to be slow.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_silent_receivers_leave_room_for_a_good_one() {
    const SILENT: usize = 150;
    let (service, silent, good) = (rocket().await, Receiver::start(Behaviour::Silent), Receiver::ok());
    for _ in 0..SILENT {
        add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &silent.url()), None).await;
    }
    let _running = start_with(&service, settings(1), |client| client.with_timeout(Duration::from_millis(2_500)));
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    // Now all of them are known to be slow, and have more to get than fits.
    push(&service, ROCKET, 1, 3).await;
    silent.wait_for(SILENT + 60).await;
    let id = add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &good.url()), None).await;
    push(&service, ROCKET, 4, 1).await;
    assert_eq!(good.wait_for(1).await[0].header("x-github-hook-id"), id.to_string());
    wait_until("some still wait", || silent.requests_open() > 0);
}

/// More silent receivers than may be sent to at once, and none of them is known to be slow.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn good_receiver_does_not_wait_for_the_timeout_of_new_silent_ones() {
    const SILENT: usize = 150;
    let (service, silent, good) = (rocket().await, Receiver::start(Behaviour::Silent), Receiver::ok());
    for _ in 0..SILENT {
        add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &silent.url()), None).await;
    }
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &good.url()), None).await;
    push(&service, ROCKET, 0, 1).await;
    let _running = start_without_timeouts(&service);
    good.wait_for(1).await;
    let sent = silent.count();
    assert!(sent >= SILENT / 2 && silent.requests_open() >= sent, "none of {sent} has timed out");
}
