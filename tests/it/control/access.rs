//! Who can use the control interface, and where it is absent.

use serde_json::{Value, json};

use super::{TestServer, send_to, state};

const RESET: (&str, &str) = ("POST", "/_plinth/reset");

#[test]
fn server_with_lasting_data_has_no_control_interface() {
    let server = TestServer::start_with(&state().to_string(), &[]);
    for path in ["reset", "state", "clock", "faults", "requests", "namespaces"] {
        for method in ["GET", "POST"] {
            assert_eq!(server.send(method, &format!("/_plinth/{path}"), "").status(), 404, "{method} {path}");
        }
    }
    // A header for namespaces means nothing there.
    assert_eq!(send_to(server.address(), ("GET", "/user", "x-plinth-namespace: a\r\n"), "").status(), 200);
}

#[test]
fn pages_in_a_browser_are_rejected() {
    let server = TestServer::start();
    server.create_branch();
    for headers in ["origin: http://localhost\r\n", "host: plinth.example\r\n", "host: 192.0.2.1\r\n"] {
        assert_eq!(send_to(server.address(), (RESET.0, RESET.1, headers), "").status(), 403, "{headers}");
    }
    assert_eq!(server.get(super::BRANCH).status(), 200);
    for host in ["localhost", "localhost:1", "127.0.0.1:8080", "[::1]:80"] {
        let headers = format!("host: {host}\r\n");
        assert_eq!(send_to(server.address(), ("GET", "/_plinth/clock", &headers), "").status(), 200, "{host}");
    }
}

#[test]
fn listener_of_its_own_requires_its_token() {
    let flags = ["--ephemeral", "--control", "127.0.0.1:0", "--control-token", "secret-of-the-test"];
    let server = TestServer::start_with(&state().to_string(), &flags);
    assert_eq!(server.send(RESET.0, RESET.1, "").status(), 404, "it is not at the address of the API");
    let control = server.server.control.expect("it says where it is");
    let reset = |authorization: &str| send_to(control, (RESET.0, RESET.1, authorization), "").status();
    server.create_branch();
    assert_eq!([reset("authorization: Bearer wrong\r\n"), reset("authorization: Bearer \r\n")], [401, 401]);
    assert_eq!(reset(&format!("authorization: Bearer {}\r\n", super::TOKEN)), 401);
    assert_eq!(server.get(super::BRANCH).status(), 200);
    assert_eq!(reset("authorization: Bearer secret-of-the-test\r\n"), 204);
    assert_eq!(server.get(super::BRANCH).status(), 404);
    assert_eq!(send_to(control, ("GET", "/user", "authorization: Bearer secret-of-the-test\r\n"), "").status(), 404);
}

#[test]
fn lasting_data_are_never_replaced() {
    let flags = ["--control", "127.0.0.1:0", "--control-token", "secret-of-the-test"];
    let server = TestServer::start_with(&state().to_string(), &flags);
    let control = server.server.control.expect("it says where it is");
    let send = |method: &str, path: &str, body: Value| {
        let headers = "authorization: Bearer secret-of-the-test\r\n";
        send_to(control, (method, path, headers), &body.to_string()).status()
    };
    assert_eq!(send("POST", "/_plinth/reset", json!({})), 409);
    assert_eq!(send("POST", "/_plinth/snapshots", json!({ "name": "a" })), 409);
    assert_eq!(send("POST", "/_plinth/namespaces", json!({})), 409);
    assert_eq!(send("GET", "/_plinth/state", json!({})), 409);
    let snapshot = json!({ "schema_version": 1, "tables": {}, "files": {} });
    assert_eq!(send("POST", "/_plinth/state", json!({ "snapshot": snapshot })), 409);
    assert_eq!(send("POST", "/_plinth/faults", json!({ "respond": { "status": 500 } })), 201);
    assert_eq!([server.get("/user").status(), server.get("/user").status()], [500, 200]);
}

#[test]
fn description_names_operations_that_exist() {
    let server = TestServer::start();
    let document = server.control("GET", "openapi.json", "");
    let paths = document["paths"].as_object().expect("it has paths");
    let guide =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/control.md")).expect("a guide");
    let mut count = 0;
    for (path, operations) in paths {
        for method in operations.as_object().expect("operations").keys() {
            let method = method.to_uppercase();
            let line = format!("`{method} {path}`");
            assert!(guide.contains(&line), "docs/control.md does not have {line}");
            // Nothing has this name; other errors say that the operation exists.
            let response = server.send(&method, &path.replace("{name}", "none"), "[]");
            let is_missing = response.status() == 404 && !path.contains("{name}");
            assert!(!is_missing, "{line}: {}", response.0);
            count += 1;
        }
    }
    let listed = guide.lines().filter(|line| line.starts_with("| `") && line.contains(" /_plinth/")).count();
    assert_eq!(listed, count, "docs/control.md has an operation that the description lacks");
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
    }
}
