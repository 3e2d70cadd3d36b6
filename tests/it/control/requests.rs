//! The log of requests, and waiting for them.

use std::time::Duration;

use serde_json::json;

use super::{REFS, TestServer, state};

#[test]
fn log_says_who_asked_for_what() {
    let server = TestServer::start();
    server.control("POST", "clock", json!({ "now": "2030-01-01T00:00:00Z", "frozen": true }));
    let body = json!({ "ref": "refs/heads/new", "sha": server.main_sha() });
    server.send("POST", &format!("{REFS}?a=b"), &body);
    super::send_to(server.address(), ("GET", "/user", "authorization: Bearer ghp_unknown\r\n"), "");
    let log = server.control("GET", "requests", "");
    let mut created = log[1].clone();
    assert!(created["duration_ms"].as_f64().is_some_and(|duration| duration > 0.0));
    created["duration_ms"] = json!(0);
    assert_eq!(
        created,
        json!({
            "id": 2,
            "at": "2030-01-01T00:00:00Z",
            "method": "POST",
            "path": REFS,
            "query": "a=b",
            "operation": "git/create-ref",
            "route": "/repos/{owner}/{repo}/git/refs",
            "caller": { "name": "mona", "credential": "classic" },
            "status": 201,
            "duration_ms": 0,
            "fault": null,
            "body": body,
        })
    );
    assert_eq!((&log[2]["caller"], &log[2]["status"]), (&json!(null), &json!(401)));
    assert!(!log.to_string().contains("ghp_"), "{log}");
    server.control("DELETE", "requests", "");
    assert_eq!(server.control("GET", "requests", ""), json!([]));
}

#[test]
fn requests_without_a_route_are_listed_with_the_nearest_operation() {
    let server = TestServer::start();
    assert_eq!(server.get("/repos/mona/rocket/git/reffs").status(), 404);
    assert_eq!(server.get("/user").status(), 200);
    let unmatched = server.control("GET", "requests?unmatched=true", "");
    assert_eq!(unmatched.as_array().map(Vec::len), Some(1));
    assert_eq!(unmatched[0]["path"], "/repos/mona/rocket/git/reffs");
    let nearest = unmatched[0]["nearest"].as_str().expect("something is similar");
    assert!(nearest.starts_with("GET /repos/{owner}/{repo}/git/"), "{nearest}");
}

#[test]
fn wait_returns_a_request_that_arrives_later() {
    let server = TestServer::start();
    let address = server.address();
    let sender = std::thread::spawn(move || {
        // Long enough for the other request to wait; it is right in either order.
        std::thread::sleep(Duration::from_millis(100));
        super::send_to(address, ("GET", "/user", ""), "");
    });
    let found = server.control("GET", "wait?operation=users/get-authenticated&status=200&timeout_ms=20000", "");
    assert_eq!(found["path"], "/user");
    sender.join().expect("the request was sent");
    let after = format!("/_plinth/wait?path=/user&after={}&timeout_ms=50", found["id"]);
    assert_eq!(server.get(&after).status(), 408);
    for query in ["timeout_ms=60001", "timeout_ms=-1", "unknown=1", "status=abc"] {
        assert!([400, 422].contains(&server.get(&format!("/_plinth/wait?{query}")).status()), "{query}");
    }
}

#[test]
fn explanation_names_the_rule_and_the_caller() {
    let state = state().users(&["hubot"]).classic("hubot", "repo", "ghp_hubot").to_string();
    let server = TestServer::start_with(&state, &["--ephemeral", "--explain"]);
    let body = json!({ "ref": "refs/heads/new", "sha": server.main_sha() }).to_string();
    let headers = "authorization: Bearer ghp_hubot\r\n";
    let response = super::send_to(server.address(), ("POST", REFS, headers), &body);
    assert_eq!(response.status(), 403, "{}", response.0);
    let text = response.header("x-plinth-explanation").expect("an explanation");
    for part in ["git/create-ref", "the scope public_repo", "contents: write", "the role write", "hubot", "classic"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let unknown = server.get("/repos/mona/rocket/git/reffs");
    assert!(unknown.header("x-plinth-explanation").is_some_and(|text| text.contains("the nearest is GET /repos/")));
    assert_eq!(server.get("/user").header("x-plinth-explanation"), None);
    assert_eq!(TestServer::start().get("/nothing/here").header("x-plinth-explanation"), None);
}
