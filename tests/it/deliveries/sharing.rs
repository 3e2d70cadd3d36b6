//! Several workers on one store.

use std::collections::HashMap;

use plinth_api::app::App;
use plinth_git::Repositories;

use super::*;
use crate::support::receiver::Receiver;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_send_each_message_once() {
    const MESSAGES: usize = 400;
    let service = rocket().await;
    // A store on SQLite has one node, which ends all claims when it starts.
    if !service.app.is_shared_store() {
        return;
    }
    let receivers = [Receiver::ok(), Receiver::ok(), Receiver::ok()];
    for receiver in &receivers {
        add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &receiver.url()), None).await;
    }
    let repositories = Repositories::at(&service.directory().join("data")).expect("the directory exists");
    let (store, clock) = (service.store_elsewhere().await, service.app.clock.clone());
    let other = App::new(store, repositories, clock, service.app.settings.clone()).await.expect("a store opens again");
    let settings = settings(1);
    let second = Deliveries {
        core: other.core.clone(),
        renderer: Arc::new(TestRenderer),
        client: Client::new(settings.allowed.clone()),
        settings,
        metrics: Metrics::default(),
        faults: None,
    };
    let (first, second) = (start(&service), second.start());
    for start in (0..MESSAGES).step_by(40) {
        push(&service, ROCKET, start, 40).await;
    }
    wait_until_sent(&service).await;
    for receiver in &receivers {
        let received = receiver.received();
        let mut by_number = HashMap::<u64, usize>::new();
        numbers(&received).into_iter().for_each(|number| *by_number.entry(number).or_default() += 1);
        assert_eq!((received.len(), by_number.len()), (MESSAGES, MESSAGES));
    }
    first.stop().await;
    second.stop().await;
}
