//! The state as a state file.

use serde_json::{Value, json};

use super::{BRANCH, TestServer, json_of};
use crate::process::{program_path, wait_until};
use crate::support::receiver::Receiver;

/// What the server has changed since its start: a merged and an open pull request, a review, issues, a release, a hook.
fn change_everything(server: &TestServer, hook_url: &str) {
    let create = |path: &str, body: Value| {
        let response = server.send("POST", &format!("/repos/mona/rocket/{path}"), body);
        assert!([200, 201].contains(&response.status()), "{path}: {}", response.0);
        json_of(&response)
    };
    let config = json!({ "url": hook_url, "content_type": "json", "secret": "forTestsOnly" });
    create("hooks", json!({ "events": ["issues"], "config": config }));
    create("pulls", json!({ "title": "First", "head": "next", "base": "main" }));
    create("pulls/1/comments", json!({ "body": "Why?", "commit_id": tip(server, "next"), "path": "a", "line": 1 }));
    create("pulls/1/comments/1/replies", json!({ "body": "Because" }));
    assert_eq!(server.send("PUT", "/repos/mona/rocket/pulls/1/merge", "{}").status(), 200);
    let content = json!({ "message": "more", "content": "dHdvCg==", "branch": "next" });
    assert_eq!(server.send("PUT", "/repos/mona/rocket/contents/b", content).status(), 201);
    create("issues", json!({ "title": "Second", "body": "with a \u{7f}\u{85}\u{1f600} character", "labels": ["bug"] }));
    create("issues/2/comments", json!({ "body": "A comment" }));
    create("pulls", json!({ "title": "Third", "head": "next", "base": "main" }));
    create("pulls/3/reviews", json!({ "body": "Fine", "event": "COMMENT" }));
    create("releases", json!({ "tag_name": "v1" }));
    create(&format!("statuses/{}", server.main_sha()), json!({ "state": "success", "context": "ci" }));
}

fn tip(server: &TestServer, branch: &str) -> Value {
    json_of(&server.get(&format!("/repos/mona/rocket/git/ref/heads/{branch}")))["object"]["sha"].take()
}

/// Responses that show ids, times, relations and positions.
fn everything(server: &TestServer) -> Vec<String> {
    const PATHS: [&str; 13] = [
        "",
        "/branches",
        "/commits",
        "/pulls?state=all",
        "/pulls/1",
        "/pulls/3",
        "/pulls/comments",
        "/pulls/3/reviews",
        "/issues?state=all",
        "/issues/comments",
        "/releases",
        "/commits/main/status",
        "/hooks",
    ];
    let show = |path: &&str| {
        let response = server.get(&format!("/repos/mona/rocket{path}"));
        assert_eq!(response.status(), 200, "{path}");
        response.body().replace(&server.address().to_string(), "HOST")
    };
    PATHS.iter().map(show).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn exported_state_applies_to_the_same_thing() {
    let (server, receiver) = (TestServer::start(), Receiver::ok());
    change_everything(&server, &receiver.url());
    server.control("GET", "wait?deliveries=true&timeout_ms=30000", "");
    // Until the results of background work are there.
    wait_for_mergeable(&server);
    let (expected, exported) = (everything(&server), server.control("GET", "state", ""));
    let started = TestServer::start_with(&exported.to_string(), &["--ephemeral"]);
    assert_eq!(everything(&started), expected);
    let applied = TestServer::start();
    applied.control("POST", "state", &exported);
    assert_eq!(everything(&applied), expected);
    for copy in [&started, &applied] {
        check_use(copy, &receiver);
    }
}

/// Test merges run in the background.
fn wait_for_mergeable(server: &TestServer) {
    wait_until("the test merge is known", || {
        json_of(&server.get("/repos/mona/rocket/pulls/3"))["mergeable"].is_boolean()
    });
}

/// New numbers and ids follow the old ones, webhooks are signed with the same secret, and git is served.
fn check_use(server: &TestServer, receiver: &Receiver) {
    let before = receiver.received().len();
    let created = server.send("POST", "/repos/mona/rocket/issues", json!({ "title": "Fourth" }));
    assert_eq!((created.status(), json_of(&created)["number"].clone()), (201, json!(4)), "{}", created.0);
    server.control("GET", "wait?deliveries=true&timeout_ms=30000", "");
    let received = receiver.received();
    assert_eq!(received.len(), before + 1);
    received[before].assert_signed("forTestsOnly");
    let clone = server.directory.path().join("clone");
    let url = format!("http://x:{}@{}/mona/rocket.git", super::TOKEN, server.address());
    for arguments in [vec!["clone", "-q", &url, "clone"], vec!["-C", "clone", "fsck", "--strict"]] {
        let git = std::process::Command::new("git").args(&arguments).current_dir(server.directory.path()).output();
        let git = git.expect("git runs");
        assert!(git.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&git.stderr));
    }
    assert!(clone.join("a").exists());
}

#[test]
fn other_sections_are_applied_after_the_snapshot() {
    let server = TestServer::start();
    server.create_branch();
    let mut exported = server.control("GET", "state", "");
    exported["users"] = json!([{ "login": "hubot" }]);
    server.control("POST", "reset", "");
    let report = server.control("POST", "state", &exported);
    assert_eq!(report["report"][0], "created  user hubot");
    assert_eq!((server.get(BRANCH).status(), server.get("/users/hubot").status()), (200, 200));
    // The initial state is still that of the start.
    server.control("POST", "reset", "");
    assert_eq!((server.get(BRANCH).status(), server.get("/users/hubot").status()), (404, 404));
}

#[test]
fn invalid_snapshot_changes_nothing() {
    let server = TestServer::start();
    server.create_branch();
    let exported = server.control("GET", "state", "");
    let config = "repositories/01/1/config";
    let cases: [(&str, Value, &str); 7] = [
        ("/snapshot/tables/nothing", json!([]), "there is no table nothing"),
        ("/snapshot/tables/account/0/nothing", json!(1), "no column nothing"),
        ("/snapshot/tables/repo/0/owner_id", json!(99), "rows that are not there"),
        ("/snapshot/schema_version", json!(10_000), "newer plinth"),
        ("/snapshot/files/..~1outside", json!(""), "only packs"),
        (&format!("/snapshot/files/{}", config.replace('/', "~1")), json!(""), "only packs"),
        ("/users", json!([{ "login": "hu bot" }]), "users.login"),
    ];
    for (pointer, value, message) in cases {
        let mut changed = exported.clone();
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let parent = changed.pointer_mut(parent).expect("the parent exists");
        parent[key.replace("~1", "/")] = value;
        let rejected = server.send("POST", "/_plinth/state", &changed);
        assert!([400, 409].contains(&rejected.status()), "{pointer}: {}", rejected.0);
        let why = json_of(&rejected)["message"].to_string().replace("\\\"", "");
        assert!(why.contains(message), "{pointer}: {why}");
        assert_eq!(server.get(BRANCH).status(), 200, "{pointer}");
    }
}

#[test]
fn snapshot_never_replaces_lasting_data() {
    let server = TestServer::start();
    let exported = server.control("GET", "state", "");
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let file = directory.path().join("exported.json");
    std::fs::write(&file, exported.to_string()).expect("the file can be written");
    let output = std::process::Command::new(program_path())
        .args(["apply", file.to_str().expect("a path"), "--data"])
        .arg(directory.path().join("data"))
        .output();
    let output = output.expect("the program runs");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--ephemeral"), "{output:?}");
}
