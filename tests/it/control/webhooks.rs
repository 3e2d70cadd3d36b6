//! Waiting for webhooks.

use serde_json::json;

use super::{REFS, TestServer};
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

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_are_lost_duplicated_and_reordered() {
    let (server, receiver) = (TestServer::start(), Receiver::ok());
    add_hook(&server, &receiver);
    server.control("GET", "wait?deliveries=true&timeout_ms=30000", "");
    let create = |name: &str| {
        let body = json!({ "ref": format!("refs/heads/{name}"), "sha": server.main_sha() });
        assert_eq!(server.send("POST", REFS, body).status(), 201);
    };
    let fault = |deliver: &str| {
        server.control("POST", "faults", json!({ "webhook": { "event": "create" }, "deliver": deliver }));
    };
    let received = || -> Vec<String> {
        server.control("GET", "wait?deliveries=true&timeout_ms=30000", "");
        let creates = receiver.received().into_iter().filter(|request| request.event() == "create");
        creates.map(|request| request.json()["ref"].as_str().expect("a name").to_owned()).collect()
    };
    fault("lost");
    create("a");
    assert_eq!(received(), Vec::<String>::new());
    fault("duplicated");
    create("b");
    assert_eq!(received(), ["b", "b"]);
    fault("reordered");
    create("c");
    create("d");
    assert_eq!(received(), ["b", "b", "d", "c"]);
    server.control("POST", "faults", json!({ "webhook": {}, "delay_ms": 1500 }));
    create("e");
    create("f");
    assert_eq!(received(), ["b", "b", "d", "c", "f", "e"]);
    for invalid in [
        json!({ "webhook": {} }),
        json!({ "deliver": "lost" }),
        json!({ "webhook": {}, "deliver": "lost", "delay_ms": 1 }),
        json!({ "webhook": {}, "close": true }),
        json!({ "webhook": {}, "match": { "method": "GET" }, "deliver": "lost" }),
    ] {
        assert_eq!(server.send("POST", "/_plinth/faults", &invalid).status(), 422, "{invalid}");
    }
}
