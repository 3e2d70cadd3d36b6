//! Reset, snapshots and state files.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::{BRANCH, REFS, TestServer, json_of, send_to};

#[test]
fn reset_returns_to_the_state_file() {
    let server = TestServer::start();
    let before = json_of(&server.get("/repos/mona/rocket/pulls?state=all"));
    server.create_branch();
    server.control("POST", "faults", json!({ "match": { "path": "/user" }, "close": true }));
    server.control("POST", "clock", json!({ "advance_seconds": 3600 }));
    let pull = json!({ "title": "New", "head": "next", "base": "main" });
    assert_eq!(server.send("POST", "/repos/mona/rocket/pulls", pull).status(), 201);
    server.control("POST", "reset", "");
    assert_eq!(server.get(BRANCH).status(), 404);
    assert_eq!(json_of(&server.get("/repos/mona/rocket/pulls?state=all")), before);
    assert_eq!(server.control("GET", "faults", ""), json!([]));
    assert_eq!(server.get("/user").status(), 200);
    // The log begins again, too.
    assert_eq!(server.control("GET", "requests?path=/repos/**&method=POST", ""), json!([]));
}

#[test]
fn reset_server_accepts_pushes_and_clones() {
    let server = TestServer::start();
    server.control("POST", "reset", "");
    let clone = server.directory.path().join("clone");
    let url = format!("http://x:{}@{}/mona/rocket.git", super::TOKEN, server.address());
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=m", "-c", "user.email=m@example.com"])
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let path = clone.to_str().expect("a path");
    git(&["clone", "-q", &url, path]);
    git(&["-C", path, "commit", "-q", "--allow-empty", "-m", "more"]);
    git(&["-C", path, "push", "-q", "origin", "HEAD:refs/heads/new"]);
    assert_eq!(server.get(BRANCH).status(), 200);
    server.control("POST", "snapshots", json!({ "name": "pushed" }));
    server.control("POST", "reset", "");
    assert_eq!(server.get(BRANCH).status(), 404);
    server.control("POST", "snapshots/pushed/restore", "");
    let again = server.directory.path().join("again");
    git(&["clone", "-q", "-b", "new", &url, again.to_str().expect("a path")]);
    git(&["-C", again.to_str().expect("a path"), "fsck", "--strict"]);
}

#[test]
fn snapshots_are_restored_listed_and_deleted() {
    let server = TestServer::start();
    server.create_branch();
    server.control("POST", "clock", json!({ "now": "2030-01-01T00:00:00Z", "frozen": true }));
    server.control("POST", "snapshots", json!({ "name": "with-branch" }));
    assert_eq!(server.send("DELETE", "/repos/mona/rocket/git/refs/heads/new", "").status(), 204);
    server.control("POST", "clock", json!({ "advance_seconds": 60 }));
    server.control("POST", "snapshots", json!({ "name": "without" }));
    assert_eq!(server.control("GET", "snapshots", ""), json!(["with-branch", "without"]));
    server.control("POST", "snapshots/with-branch/restore", "");
    assert_eq!(server.get(BRANCH).status(), 200);
    assert_eq!(server.control("GET", "clock", "")["now"], "2030-01-01T00:00:00Z");
    server.control("POST", "snapshots/without/restore", "");
    assert_eq!(server.get(BRANCH).status(), 404);
    // A snapshot can be restored again, and what happens after that does not change it.
    server.control("POST", "snapshots/with-branch/restore", "");
    assert_eq!(server.send("DELETE", "/repos/mona/rocket/git/refs/heads/new", "").status(), 204);
    server.control("POST", "snapshots/with-branch/restore", "");
    assert_eq!(server.get(BRANCH).status(), 200);
    server.control("DELETE", "snapshots/with-branch", "");
    assert_eq!(server.send("POST", "/_plinth/snapshots/with-branch/restore", "").status(), 404);
    for name in ["", "a/b", "a b", &"x".repeat(65)] {
        assert_eq!(server.send("POST", "/_plinth/snapshots", json!({ "name": name })).status(), 422, "{name}");
    }
}

#[test]
fn another_state_file_is_applied() {
    let server = TestServer::start();
    let report = server.control("POST", "state", "users: [{ login: hubot }]\n");
    assert_eq!(report["report"][0], "created  user hubot");
    assert_eq!(server.get("/users/hubot").status(), 200);
    let rejected = server.send("POST", "/_plinth/state", "users: [{ login: hu bot }]\n");
    assert_eq!(rejected.status(), 400, "{}", rejected.0);
    server.control("POST", "reset", "");
    assert_eq!(server.get("/users/hubot").status(), 404);
}

#[test]
fn reset_under_load_lets_requests_end_and_leaks_nothing() {
    let server = TestServer::start();
    let (address, sha) = (server.address(), server.main_sha());
    let rounds = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (rounds, sha) = (&rounds, &sha);
            scope.spawn(move || {
                let mut number = 0;
                while rounds.load(Ordering::SeqCst) < 20 {
                    number += 1;
                    let body = json!({ "ref": format!("refs/heads/c{client}-{number}"), "sha": sha }).to_string();
                    let created = send_to(address, ("POST", REFS, ""), &body);
                    assert_eq!(created.status(), 201, "{}", created.0);
                }
            });
        }
        for _ in 0..20 {
            server.control("POST", "reset", "");
            rounds.fetch_add(1, Ordering::SeqCst);
        }
    });
    server.control("POST", "reset", "");
    let refs = json_of(&server.get("/repos/mona/rocket/git/matching-refs/heads/"));
    let names: BTreeSet<&str> =
        refs.as_array().expect("a list").iter().filter_map(|found| found["ref"].as_str()).collect();
    assert_eq!(names, BTreeSet::from(["refs/heads/main", "refs/heads/next"]));
    // Work in the background that had begun still found its files.
    assert!(!server.server.log().contains("ERROR"), "{}", server.server.log());
}

#[test]
fn reset_state_has_what_the_server_derives_from_the_state_file() {
    let state = TestServer::start_with(
        &super::state().to_string().replace("files: { a: ", "files: { main.rs: "),
        &["--ephemeral"],
    );
    // The first reset may come before the server has looked at the files; the later ones have a template that is complete.
    state.control("POST", "reset", "");
    let language = |server: &TestServer| json_of(&server.get("/repos/mona/rocket"))["language"].clone();
    crate::support::wait::wait_until("the language is known after a reset", || {
        state.control("POST", "reset", "");
        language(&state) == "Rust"
    });
    for _ in 0..20 {
        state.control("POST", "reset", "");
        assert_eq!(language(&state), "Rust");
    }
}

#[test]
fn ephemeral_server_compresses_only_if_asked_to() {
    for (flags, encoding) in [(&["--ephemeral"][..], None), (&["--ephemeral", "--compression", "true"], Some("gzip"))] {
        let server = TestServer::start_with(&super::state().to_string(), flags);
        let response = send_to(server.address(), ("GET", "/repos/mona/rocket", "accept-encoding: gzip\r\n"), "");
        assert_eq!(response.status(), 200);
        assert_eq!(response.header("content-encoding"), encoding, "{flags:?}");
    }
}
