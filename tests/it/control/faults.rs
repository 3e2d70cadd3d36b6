//! Faults on demand.

use serde_json::{Value, json};

use super::{BRANCH, REFS, TestServer, json_of};

fn add(server: &TestServer, fault: Value) -> Value {
    server.control("POST", "faults", fault)
}

#[test]
fn fault_responds_so_many_times_to_what_it_matches() {
    let server = TestServer::start();
    let respond = json!({ "status": 502, "headers": { "x-test": "a" }, "body": { "message": "bad" } });
    let matching = json!({ "operation": "git/get-ref", "method": "get", "path": "/repos/*/rocket/**" });
    add(&server, json!({ "match": matching, "times": 2, "respond": respond }));
    let main = "/repos/mona/rocket/git/ref/heads/main";
    let first = server.get(main);
    assert_eq!((first.status(), first.header("x-test"), first.body()), (502, Some("a"), "{\"message\":\"bad\"}"));
    assert_eq!(server.get("/user").status(), 200);
    assert_eq!([server.get(main).status(), server.get(main).status()], [502, 200]);
    assert_eq!(server.control("GET", "faults", "")[0]["used"], 2);
}

#[test]
fn fault_of_a_token_affects_no_other_token() {
    let server = TestServer::start();
    let respond = json!({ "status": 500, "body": "not JSON {" });
    let fault = add(&server, json!({ "match": { "token": "ghp_other" }, "respond": respond }));
    assert_eq!(fault["match"], json!({}), "tokens are not shown");
    assert_eq!(server.get("/user").status(), 200);
    let other = super::send_to(server.address(), ("GET", "/user", "authorization: Bearer ghp_other\r\n"), "");
    assert_eq!((other.status(), other.body()), (500, "not JSON {"));
}

#[test]
fn fault_that_responds_changes_nothing() {
    let server = TestServer::start();
    let body = json!({ "ref": "refs/heads/new", "sha": server.main_sha() });
    for fault in [json!({ "respond": { "status": 503 } }), json!({ "close": true }), json!({ "rate_limit": "primary" })]
    {
        add(&server, fault);
        assert_ne!(server.send("POST", REFS, &body).status(), 201);
        assert_eq!(server.get(BRANCH).status(), 404);
    }
}

#[test]
fn connection_is_closed_without_a_response_or_within_it() {
    let server = TestServer::start();
    add(&server, json!({ "close": true }));
    assert_eq!(server.get("/user").0, "");
    add(&server, json!({ "truncate_at": 10 }));
    let truncated = server.get("/user");
    let length: usize = truncated.header("content-length").and_then(|length| length.parse().ok()).expect("a length");
    assert_eq!((truncated.status(), truncated.body().len()), (200, 10));
    assert!(length > 100, "{length}");
    // What the request does has happened.
    let body = json!({ "ref": "refs/heads/new", "sha": server.main_sha() });
    add(&server, json!({ "truncate_at": 0 }));
    assert_eq!(server.send("POST", REFS, &body).body(), "");
    assert_eq!(server.get(BRANCH).status(), 200);
}

#[test]
fn rate_limits_look_as_the_api_sends_them() {
    let server = TestServer::start();
    server.control("POST", "clock", json!({ "now": "2030-01-01T00:00:00Z", "frozen": true }));
    add(&server, json!({ "rate_limit": "primary" }));
    let primary = server.get("/user");
    assert_eq!((primary.status(), primary.header("x-ratelimit-remaining")), (403, Some("0")));
    assert_eq!(primary.header("x-ratelimit-reset"), Some("1893459600"));
    assert!(json_of(&primary)["message"].as_str().is_some_and(|text| text.starts_with("API rate limit exceeded")));
    add(&server, json!({ "rate_limit": "secondary" }));
    let secondary = server.get("/user");
    assert_eq!((secondary.status(), secondary.header("retry-after")), (403, Some("60")));
}

#[test]
fn share_of_requests_is_the_same_for_the_same_seed() {
    let server = TestServer::start();
    let run = |seed: u64| -> Vec<u16> {
        server.control("DELETE", "faults", "");
        add(&server, json!({ "probability": 0.5, "seed": seed, "respond": { "status": 500 } }));
        (0..40).map(|_| server.get("/user").status()).collect()
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
    let failed = first.iter().filter(|status| **status == 500).count();
    assert!((8..=32).contains(&failed), "{failed}");
}

#[test]
fn delay_comes_before_the_response() {
    let server = TestServer::start();
    add(&server, json!({ "delay_ms": 300, "respond": { "status": 504 } }));
    assert_eq!(server.get("/user").status(), 504);
    let logged = server.control("GET", "requests?path=/user", "");
    assert!(logged[0]["duration_ms"].as_f64().is_some_and(|duration| duration >= 300.0), "{logged}");
}

#[test]
fn invalid_fault_is_rejected() {
    let server = TestServer::start();
    for fault in [
        json!({}),
        json!({ "close": true, "truncate_at": 1 }),
        json!({ "probability": 2.0, "close": true }),
        json!({ "respond": { "status": 99 } }),
        json!({ "respond": { "status": 200, "headers": { "bad name": "x" } } }),
        json!({ "delay_ms": 600_001 }),
        json!({ "close": true, "unknown": 1 }),
        json!({ "match": { "unknown": 1 }, "close": true }),
    ] {
        let rejected = server.send("POST", "/_plinth/faults", &fault);
        assert!([400, 422].contains(&rejected.status()), "{fault}: {}", rejected.0);
    }
    assert_eq!(server.control("GET", "faults", ""), json!([]));
}
