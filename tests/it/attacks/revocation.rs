//! Requests whose body is incomplete until the right was revoked, on the whole program.

use std::process::Command;

use super::support::Victim;
use crate::process::Raw;

const STATE: &str = "
users: [{ login: mallory }, { login: victor }]
orgs: [{ login: acme, members: [{ user: mallory, role: admin }, { user: victor, role: admin }] }]
repos:
  - { name: acme/code, private: true, commits: [{ branch: main, author: victor, message: one, files: { a.txt: one } }] }
  - { name: victor/quiet, commits: [{ branch: main, author: victor, message: one, files: { a.txt: one } }] }
tokens:
  - { kind: classic, user: victor, scopes: [repo], token: ghp_victor }
  - { kind: classic, user: mallory, scopes: [repo, 'admin:org'], token: ghp_mallory }
";

/// Runs a command on the same store, and waits until it is acknowledged.
fn plinth(victim: &Victim, words: &[&str]) -> String {
    let output = Command::new(crate::process::program_path())
        .arg("--data")
        .arg(victim.path().join("data"))
        .args(victim.database_flags())
        .args(words)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A request without its last byte, and that byte.
fn begin(victim: &Victim, path: &str, body: &serde_json::Value) -> (Raw, String) {
    let body = body.to_string();
    let (most, last) = body.split_at(body.len() - 1);
    let mut raw = victim.server().connect();
    raw.send(&format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_mallory\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{most}",
        body.len()
    ));
    (raw, last.to_owned())
}

fn requests(main: &str, tree: &str) -> Vec<(&'static str, serde_json::Value)> {
    use serde_json::json;
    vec![
        ("/user/repos", json!({ "name": "stolen" })),
        ("/orgs/acme/repos", json!({ "name": "stolen", "private": true })),
        ("/repos/acme/code/git/blobs", json!({ "content": "stolen" })),
        (
            "/repos/acme/code/git/trees",
            json!({ "tree": [{ "path": "x", "mode": "100644", "type": "blob", "content": "y" }] }),
        ),
        ("/repos/acme/code/git/commits", json!({ "message": "stolen", "tree": tree })),
        ("/repos/acme/code/git/tags", json!({ "tag": "v1", "message": "m", "object": main, "type": "commit" })),
        ("/repos/acme/code/git/refs", json!({ "ref": "refs/heads/stolen", "sha": main })),
    ]
}

/// Revokes a right while all requests wait for their last byte, and returns the status of each.
fn statuses(victim: &Victim, only: &str, take: &[&str]) -> Vec<(&'static str, u16)> {
    let main = victim.get("ghp_victor", "/repos/acme/code/commits/main");
    let main: serde_json::Value = serde_json::from_str(main.body()).expect("a commit");
    let (sha, tree) = (main["sha"].as_str().expect("an id"), main["commit"]["tree"]["sha"].as_str().expect("an id"));
    let wanted = requests(sha, tree).into_iter().filter(|(path, _)| path.contains(only));
    let begun: Vec<_> = wanted.map(|(path, body)| (path, begin(victim, path, &body))).collect();
    victim.server().wait_in_flight(u32::try_from(begun.len()).expect("a small number"));
    assert_eq!(victim.get("ghp_mallory", "/user").status(), 200, "the right is there");
    plinth(victim, take);
    let finish = |(path, (mut raw, last)): (&'static str, (Raw, String))| {
        raw.send(&last);
        (path, raw.response().status())
    };
    begun.into_iter().map(finish).collect()
}

#[test]
fn requests_in_flight_fail_after_token_is_revoked() {
    let victim = Victim::start_with(STATE, &[]);
    let listed = plinth(&victim, &["token", "list", "--user", "mallory"]);
    let id = listed.split_whitespace().find(|word| word.parse::<i64>().is_ok()).expect("a number").to_owned();
    for (path, status) in statuses(&victim, "/", &["token", "revoke", &id]) {
        assert_eq!(status, 401, "{path}");
    }
    let refs = victim.get("ghp_victor", "/repos/acme/code/git/matching-refs/heads/stolen");
    assert_eq!(refs.body().trim(), "[]");
    assert_eq!(victim.get("ghp_victor", "/repos/acme/stolen").status(), 404);
    assert_eq!(victim.get("ghp_victor", "/repos/mallory/stolen").status(), 404);
    victim.assert_unharmed();
}

#[test]
fn requests_in_flight_fail_after_member_is_removed() {
    let victim = Victim::start_with(STATE, &[]);
    for (path, status) in statuses(&victim, "acme", &["org", "remove-member", "acme", "mallory"]) {
        assert_eq!(status, 404, "{path}");
    }
    assert_eq!(victim.get("ghp_victor", "/repos/acme/stolen").status(), 404);
    victim.assert_unharmed();
}
