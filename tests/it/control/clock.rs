//! The clock of a test server.

use serde_json::json;

use super::{TestServer, json_of, state};
use crate::process::HttpResponse;

#[test]
fn clock_is_stopped_set_and_advanced() {
    let server = TestServer::start();
    assert_eq!(server.control("GET", "clock", "")["frozen"], false);
    let set = server.control("POST", "clock", json!({ "now": "2030-01-01T00:00:00Z", "frozen": true }));
    assert_eq!(set, json!({ "now": "2030-01-01T00:00:00Z", "frozen": true }));
    let advanced = server.control("POST", "clock", json!({ "advance_seconds": 90 }));
    assert_eq!(advanced["now"], "2030-01-01T00:01:30Z");
    let response = server.send("POST", "/user/repos", json!({ "name": "later" }));
    assert_eq!(json_of(&response)["created_at"], "2030-01-01T00:01:30Z");
    assert_eq!(response.header("date"), Some("Tue, 01 Jan 2030 00:01:30 GMT"));
    for body in [
        json!({ "now": "2030-01-01T00:00:00Z", "advance_seconds": 1 }),
        json!({ "now": "tomorrow" }),
        json!({ "speed": 2 }),
    ] {
        let rejected = server.send("POST", "/_plinth/clock", &body);
        assert!([400, 422].contains(&rejected.status()), "{body}: {}", rejected.0);
    }
    assert_eq!(server.control("GET", "clock", "")["now"], "2030-01-01T00:01:30Z");
}

#[test]
fn token_expires_with_the_clock() {
    let state = state().entry(
        "tokens",
        "kind: classic, user: mona, scopes: [repo], expires_at: 2031-01-01T00:00:00Z, token: ghp_expiring",
    );
    let server = TestServer::start_with(&state.to_string(), &["--ephemeral"]);
    let get = || -> HttpResponse {
        super::send_to(server.address(), ("GET", "/user", "authorization: Bearer ghp_expiring\r\n"), "")
    };
    assert_eq!(get().status(), 200);
    server.control("POST", "clock", json!({ "now": "2031-01-01T00:00:01Z" }));
    assert_eq!(get().status(), 401);
}

#[test]
fn rate_limit_is_restored_when_the_clock_advances() {
    let server =
        TestServer::start_with(&state().to_string(), &["--ephemeral", "--limits", "true", "--requests-per-hour", "2"]);
    server.control("POST", "clock", json!({ "frozen": true }));
    assert_eq!([server.get("/user").status(), server.get("/user").status()], [200, 200]);
    assert_eq!(server.get("/user").status(), 403);
    server.control("POST", "clock", json!({ "advance_seconds": 3601 }));
    assert_eq!(server.get("/user").status(), 200);
}
