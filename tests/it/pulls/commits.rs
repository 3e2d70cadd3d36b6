//! One commit with its changed files.

use serde_json::{Value, json};

use crate::support::Service;
use crate::support::pull_request::PullRequestFixture;

const COMMITS: &str = "/repos/acme/rocket/commits";

async fn fixture() -> PullRequestFixture {
    let base = [("a", "1\n2\n3\n"), ("gone", "x\n")];
    PullRequestFixture::new(&base, &[("a", Some("1\ntwo\n3\n4\n")), ("gone", None), ("new", Some("n\n"))]).await
}

/// Each file with its status and the number of added and deleted lines.
fn files(commit: &Value) -> Vec<Value> {
    let files = commit["files"].as_array().expect("a list").iter();
    files.map(|file| json!([file["filename"], file["status"], file["additions"], file["deletions"]])).collect()
}

#[tokio::test]
async fn get_commit_compares_with_parent() {
    let fixture = fixture().await;
    let commit = fixture.user("guest").get(&format!("{COMMITS}/{}", fixture.head)).await.expect(200).json();
    assert_eq!(commit["sha"], json!(fixture.head));
    assert_eq!(commit["parents"][0]["sha"], json!(fixture.base));
    assert_eq!(commit["commit"]["author"]["name"], "hubot");
    assert_eq!(commit["url"], format!("http://plinth.test{COMMITS}/{}", fixture.head));
    assert_eq!(commit["stats"], json!({ "total": 5, "additions": 3, "deletions": 2 }));
    assert_eq!(
        files(&commit),
        [json!(["a", "modified", 2, 1]), json!(["gone", "removed", 0, 1]), json!(["new", "added", 1, 0])]
    );
    assert_eq!(commit["files"][0]["patch"], "@@ -1,3 +1,4 @@\n 1\n-2\n+two\n 3\n+4");
}

#[tokio::test]
async fn get_root_commit_compares_with_empty_tree() {
    let fixture = fixture().await;
    let commit = fixture.service.anonymous().get(&format!("{COMMITS}/{}", fixture.base)).await.expect(200).json();
    assert_eq!(commit["parents"], json!([]));
    assert_eq!(files(&commit), [json!(["a", "added", 3, 0]), json!(["gone", "added", 1, 0])]);
}

#[tokio::test]
async fn get_commit_accepts_branch_and_tag() {
    let fixture = fixture().await;
    let mona = fixture.user("mona");
    let head = &fixture.head;
    for name in ["refs/heads/deep/er", "refs/tags/light"] {
        mona.post("/repos/acme/rocket/git/refs", json!({ "ref": name, "sha": head })).await.expect(201);
    }
    let tag = json!({ "tag": "heavy", "message": "m", "object": head, "type": "commit" });
    let tag = mona.post("/repos/acme/rocket/git/tags", tag).await.expect(201).json();
    mona.post("/repos/acme/rocket/git/refs", json!({ "ref": "refs/tags/heavy", "sha": tag["sha"] })).await.expect(201);
    for name in ["feature", "heads/feature", "refs/heads/feature", "deep/er", "deep%2Fer", "light", "heavy"] {
        let commit = mona.get(&format!("{COMMITS}/{name}")).await.expect(200).json();
        assert_eq!(commit["sha"], json!(head), "{name}");
    }
}

#[tokio::test]
async fn get_commit_rejects_other_objects() {
    let fixture = fixture().await;
    let tree = fixture.work.git(&["rev-parse", "feature^{tree}"]);
    for name in ["nothing", "0123456789abcdef0123456789abcdef01234567", tree.trim(), "-x", "a..b"] {
        let response = fixture.user("mona").get(&format!("{COMMITS}/{name}")).await.expect(422);
        assert_eq!(response.message(), format!("No commit found for SHA: {name}"));
    }
    let empty = Service::with("users: [{ login: mona }]\nrepos: [{ name: mona/empty }]").await;
    let response = empty.anonymous().get("/repos/mona/empty/commits/main").await.expect(409);
    assert_eq!(response.message(), "Git Repository is empty.");
    empty.anonymous().get("/repos/mona/absent/commits/main").await.expect(404);
}

#[tokio::test]
async fn unchanged_commit_returns_304() {
    let fixture = fixture().await;
    let path = format!("{COMMITS}/{}", fixture.head);
    let response = fixture.user("guest").get(&path).await.expect(200);
    let tag = response.header("etag").expect("every representation has one");
    fixture.user("guest").header("if-none-match", tag).get(&path).await.expect(304);
}
