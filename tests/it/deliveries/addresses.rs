//! On default settings, no receiver on this machine or its networks is ever contacted.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use plinth_webhooks::target::Resolver;

use super::*;
use crate::support::receiver::Receiver;

const FORBIDDEN: &str = "the host has an address that is not public";

fn default_settings() -> DeliverySettings {
    DeliverySettings { allowed: AllowedAddresses::default(), ..settings(1) }
}

#[tokio::test]
async fn receiver_on_this_machine_is_not_contacted_by_any_spelling() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    let port = receiver.address.port();
    let hosts = [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "①②⑦.⓪.⓪.①",
    ];
    for host in hosts {
        add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &format!("http://{host}:{port}/hook")), None).await;
    }
    let _running = start_with(&service, default_settings(), |client| client);
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    let rows = all::<(String, String)>(
        &service.store,
        "select w.url, d.status from webhook_delivery d join webhook w on w.id = d.webhook_id order by w.id",
    );
    let rows = rows.await;
    assert_eq!(rows.len(), hosts.len());
    for (url, status) in rows {
        // Not every resolver knows this name in every spelling.
        let is_name = url.to_ascii_lowercase().contains("localhost");
        assert!(status == FORBIDDEN || is_name && status == "failed to resolve the host", "{url}: {status}");
    }
    assert_eq!((receiver.count(), receiver.connections_open()), (0, 0));
}

/// A name that has an allowed address when it is looked up first, and another one from then on.
struct Rebinding {
    lookups: AtomicUsize,
}

impl Resolver for Rebinding {
    fn resolve<'a>(&'a self, _: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        let number = self.lookups.fetch_add(1, Ordering::SeqCst);
        let address = if number == 0 { "127.0.0.2" } else { "127.0.0.1" };
        let address = SocketAddr::new(address.parse().expect("an address"), port);
        Box::pin(async move { Ok(vec![address]) })
    }
}

#[tokio::test]
async fn name_is_looked_up_once_and_its_next_address_is_checked_again() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    let url = format!("http://rebinding.example:{}/hook", receiver.address.port());
    add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &url), None).await;
    let resolver = Arc::new(Rebinding { lookups: AtomicUsize::new(0) });
    // Nobody listens there.
    let first = "127.0.0.2".parse::<PrivateTarget>().expect("an address");
    let allowed = AllowedAddresses { private_targets: vec![first] };
    let change = |client: Client| client.with_resolver(resolver.clone());
    let _running = start_with(&service, DeliverySettings { allowed, ..settings(1) }, change);
    for number in 0..2 {
        push(&service, ROCKET, number, 1).await;
        wait_until_sent(&service).await;
        assert_eq!(resolver.lookups.load(Ordering::SeqCst), number + 1, "one lookup for the check and the connection");
    }
    let rows = all::<(String,)>(&service.store, "select status from webhook_delivery order by id").await;
    assert_eq!(rows, [("failed to connect to host".to_owned(),), (FORBIDDEN.to_owned(),)]);
    assert_eq!((receiver.count(), receiver.connections_open()), (0, 0));
}

#[tokio::test]
async fn setting_allows_its_network_only() {
    let (service, receiver) = (rocket().await, Receiver::ok());
    for host in ["127.0.0.1", "[::ffff:127.0.0.1]", "10.0.0.1"] {
        let url = format!("http://{host}:{}/hook", receiver.address.port());
        add_hook(&service, hook(WebhookOwner::Repo(ROCKET), &url), None).await;
    }
    let network = "127.0.0.0/8".parse::<PrivateTarget>().expect("a network");
    let allowed = AllowedAddresses { private_targets: vec![network] };
    let _running = start_with(&service, DeliverySettings { allowed, ..settings(1) }, |client| client);
    push(&service, ROCKET, 0, 1).await;
    wait_until_sent(&service).await;
    let rows =
        all::<(i64, String)>(&service.store, "select webhook_id, status from webhook_delivery order by webhook_id");
    let statuses: Vec<String> = rows.await.into_iter().map(|(_, status)| status).collect();
    assert_eq!(statuses, ["OK", "OK", FORBIDDEN]);
}
