//! Waiting for webhooks.

use serde_json::json;

use super::TestServer;
use crate::support::receiver::{Behaviour, Receiver};

fn add_hook(server: &TestServer, receiver: &Receiver) {
    let hook =
        json!({ "name": "web", "events": ["create"], "config": { "url": receiver.url(), "content_type": "json" } });
    let created = server.send("POST", "/repos/mona/rocket/hooks", hook);
    assert_eq!(created.status(), 201, "{}", created.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_ends_when_every_webhook_was_responded_to() {
    let (server, receiver) = (TestServer::start(), Receiver::ok());
    add_hook(&server, &receiver);
    server.create_branch();
    assert_eq!(server.control("GET", "wait?deliveries=true&timeout_ms=30000", "")["pending_deliveries"], 0);
    let events: Vec<String> = receiver.received().iter().map(|request| request.event().to_owned()).collect();
    assert_eq!(events, ["ping", "create"]);
    receiver.set(Behaviour::Silent);
    assert_eq!(server.send("DELETE", "/repos/mona/rocket/git/refs/heads/new", "").status(), 204);
    server.create_branch();
    assert_eq!(server.get("/_plinth/wait?deliveries=true&timeout_ms=100").status(), 408);
}

#[tokio::test(flavor = "multi_thread")]
async fn response_can_come_after_its_webhooks() {
    let (server, receiver) = (TestServer::start(), Receiver::ok());
    add_hook(&server, &receiver);
    server.control("POST", "faults", json!({ "match": { "operation": "git/create-ref" }, "after_deliveries": true }));
    server.create_branch();
    assert!(receiver.received().iter().any(|request| request.event() == "create"));
}

#[tokio::test(flavor = "multi_thread")]
async fn reset_ends_deliveries() {
    let (server, receiver) = (TestServer::start(), Receiver::ok());
    add_hook(&server, &receiver);
    server.control("GET", "wait?deliveries=true&timeout_ms=30000", "");
    receiver.set(Behaviour::Silent);
    server.create_branch();
    server.control("POST", "reset", "");
    receiver.set(Behaviour::Status(200));
    server.create_branch();
    server.control("GET", "wait?deliveries=true&timeout_ms=30000", "");
    // The hook is gone with the state that had it.
    let creates = receiver.received().iter().filter(|request| request.event() == "create").count();
    assert!(creates <= 1, "{creates}");
}
