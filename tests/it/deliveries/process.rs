//! The whole program: what a kill, a stop and default settings mean for deliveries.

use std::collections::BTreeSet;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::process::Server;
use crate::support::fixtures;
use crate::support::receiver::{Behaviour, Received, Receiver};
use crate::support::wait::wait_until;

pub const LOOPBACK: &[&str] = &["--webhook-private-targets", "loopback"];
const SECRET: &str = "a-secret-of-a-hook";

/// The repository `mona/rocket`, whose branch `main` has one commit.
pub fn state() -> String {
    fixtures::mona().repo("mona/rocket", &fixtures::two_branches("")).to_string()
}

/// A server with [`state`].
fn start(directory: &Path, flags: &[&str]) -> Server {
    std::fs::write(directory.join("state.yaml"), state()).expect("the file can be written");
    Server::start(directory, flags)
}

pub fn post(server: &Server, path: &str, body: &Value) -> (u16, Value) {
    let head = format!("POST {path} HTTP/1.1\r\nauthorization: Bearer ghp_monamona");
    let response = server.request(&head, &body.to_string());
    (response.status(), serde_json::from_str(response.body()).unwrap_or_default())
}

fn get(server: &Server, path: &str) -> Value {
    serde_json::from_str(server.get(path).body()).expect("JSON")
}

pub fn add_hook(server: &Server, url: &str, events: &[&str]) -> Value {
    let config = json!({ "url": url, "content_type": "json", "secret": SECRET });
    let (status, hook) = post(server, "/repos/mona/rocket/hooks", &json!({ "config": config, "events": events }));
    assert_eq!(status, 201, "{hook}");
    hook
}

/// Creates branches, and returns the names of those that were acknowledged.
pub fn create_branches(server: &Server, prefix: &str, count: usize) -> Vec<String> {
    let main = get(server, "/repos/mona/rocket/git/ref/heads/main");
    let sha = main["object"]["sha"].as_str().expect("main exists").to_owned();
    let names = (0..count).map(|number| format!("{prefix}-{number}"));
    let create = |name: &String| {
        let body = json!({ "ref": format!("refs/heads/{name}"), "sha": sha });
        post(server, "/repos/mona/rocket/git/refs", &body).0 == 201
    };
    names.filter(create).collect()
}

/// The branches in received `create` events.
pub fn created(received: &[Received]) -> Vec<String> {
    let creations = received.iter().filter(|request| request.event() == "create");
    creations.map(|request| request.json()["ref"].as_str().expect("a ref").to_owned()).collect()
}

pub fn deliveries(server: &Server, hook: &Value) -> Vec<Value> {
    let list = get(server, &format!("/repos/mona/rocket/hooks/{}/deliveries", hook["id"]));
    list.as_array().expect("a list").clone()
}

#[test]
fn killed_server_delivers_every_acknowledged_change_after_restart() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let receiver = Receiver::start(Behaviour::Silent);
    let mut server = start(directory.path(), LOOPBACK);
    add_hook(&server, &receiver.url(), &["create"]);
    let mut acknowledged = create_branches(&server, "first", 20);
    assert_eq!(acknowledged.len(), 20);
    wait_until("a delivery is in flight", || !created(&receiver.received()).is_empty());
    server.signal(Signal::KILL);
    assert_eq!(server.wait(), None, "killed, not ended");
    receiver.set(Behaviour::Status(200));
    let server = start(directory.path(), LOOPBACK);
    acknowledged.extend(create_branches(&server, "second", 5));
    let expected: BTreeSet<String> = acknowledged.into_iter().collect();
    let all = || created(&receiver.received()).into_iter().collect::<BTreeSet<_>>();
    wait_until("every change is delivered", || all() == expected);
}

#[test]
fn stopping_server_finishes_its_deliveries_and_sends_the_rest_after_restart() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let receiver = Receiver::start(Behaviour::Silent);
    let mut server = start(directory.path(), LOOPBACK);
    add_hook(&server, &receiver.url(), &["create"]);
    create_branches(&server, "branch", 10);
    wait_until("a delivery is in flight", || !created(&receiver.received()).is_empty());
    server.signal(Signal::TERM);
    wait_until("the server is stopping", || server.log().contains("stopping"));
    receiver.set(Behaviour::Status(200));
    assert_eq!(server.wait(), Some(0));
    let _server = start(directory.path(), LOOPBACK);
    wait_until("every change is delivered", || created(&receiver.received()).len() >= 10);
    let mut received = created(&receiver.received());
    received.sort();
    assert_eq!(received, (0..10).map(|number| format!("branch-{number}")).collect::<Vec<_>>(), "each once");
}

#[test]
fn default_settings_contact_no_receiver_on_this_machine() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let receiver = Receiver::ok();
    let server = start(directory.path(), &[]);
    let hook = add_hook(&server, &receiver.url(), &["create"]);
    create_branches(&server, "branch", 1);
    wait_until("the attempt is recorded", || !deliveries(&server, &hook).is_empty());
    for delivery in deliveries(&server, &hook) {
        assert_eq!(delivery["status"], "the host has an address that is not public");
    }
    assert_eq!((receiver.count(), receiver.connections_open()), (0, 0));
}

#[test]
fn deliveries_are_counted_and_neither_payload_nor_secret_is_logged() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let receiver = Receiver::start(Behaviour::Status(418));
    let server = start(directory.path(), &["--webhook-private-targets", "loopback", "--log", "debug"]);
    let hook = add_hook(&server, &receiver.url(), &["create"]);
    create_branches(&server, "conspicuous-branch", 2);
    wait_until("both attempts are recorded", || {
        let list = deliveries(&server, &hook);
        list.iter().filter(|delivery| delivery["event"] == "create").count() == 2
    });
    assert!(server.metric("plinth_webhook_deliveries_total{outcome=\"4xx\"}") >= 2.0);
    assert!(server.metric("plinth_webhook_delivery_seconds_count") >= 2.0);
    let log = server.log();
    assert!(log.contains("sent a webhook"), "{log}");
    assert!(!log.contains(SECRET) && !log.contains("conspicuous-branch") && !log.contains(&receiver.url()), "{log}");
}

#[test]
fn silent_receiver_does_not_make_the_service_unready() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let receiver = Receiver::start(Behaviour::Silent);
    let server = start(directory.path(), LOOPBACK);
    add_hook(&server, &receiver.url(), &["create"]);
    create_branches(&server, "branch", 20);
    receiver.wait_for_blocking(1);
    assert_eq!(server.get("/readyz").status(), 200);
    assert!(receiver.requests_open() > 0);
}

#[test]
fn paused_server_stores_events_and_the_next_start_sends_them() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let receiver = Receiver::ok();
    let mut server = start(directory.path(), &["--webhook-private-targets", "loopback", "--webhook-attempts-max", "0"]);
    let hook = add_hook(&server, &receiver.url(), &["create"]);
    create_branches(&server, "branch", 3);
    server.signal(Signal::TERM);
    assert_eq!(server.wait(), Some(0));
    assert!(server.log().contains("webhooks are paused"), "{}", server.log());
    assert_eq!(receiver.count(), 0);
    let server = start(directory.path(), LOOPBACK);
    wait_until("every change is delivered", || created(&receiver.received()).len() == 3);
    wait_until("all are recorded", || deliveries(&server, &hook).len() == 4);
}
