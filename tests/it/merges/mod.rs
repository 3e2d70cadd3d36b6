//! Merges: test merges in the background, merges of pull requests and branches, and merges by push.

mod branches;
mod mergeability;
mod methods;
mod pushes;
mod races;
mod rejections;

use http::Method;
use serde_json::{Value, json};

use crate::support::Response;
use crate::support::pull_request::{PULL, PullRequestFixture};

const MERGE: &str = "/repos/acme/rocket/pulls/1/merge";
const ROCKET: &str = "/repos/acme/rocket";

/// Base and head change different lines of one file.
const FILE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n";
const HEAD_FILE: &str = "1\n2\n3\n4\n5\n6\n7\neight\n";
const BASE_FILE: &str = "one\n2\n3\n4\n5\n6\n7\n8\n";
const MERGED_FILE: &str = "one\n2\n3\n4\n5\n6\n7\neight\n";
const CONFLICTING_FILE: &str = "1\n2\n3\n4\n5\n6\n7\nacht\n";

/// A pull request whose base has not moved.
async fn ahead() -> PullRequestFixture {
    let fixture = PullRequestFixture::new(&[("file", FILE)], &[("file", Some(HEAD_FILE))]).await;
    fixture.service.settled().await;
    fixture
}

/// A pull request whose base has moved, with that base.
async fn diverged(base_file: &str) -> (PullRequestFixture, String) {
    let fixture = ahead().await;
    let base = fixture.commit_on(&fixture.base, &[("file", Some(base_file))]);
    fixture.push("main", &base).await;
    fixture.service.settled().await;
    (fixture, base)
}

async fn pull(fixture: &PullRequestFixture) -> Value {
    fixture.user("guest").get(PULL).await.expect(200).json()
}

async fn merge(fixture: &PullRequestFixture, body: Value) -> Response {
    fixture.user("hubot").send(Method::PUT, MERGE, body.to_string()).await
}

/// The commit that a branch points at.
async fn tip(fixture: &PullRequestFixture, branch: &str) -> String {
    let found = fixture.user("mona").get(&format!("{ROCKET}/git/ref/heads/{branch}")).await.expect(200).json();
    found["object"]["sha"].as_str().expect("a ref has a target").to_owned()
}

/// A commit, with its message, tree and parents.
async fn commit(fixture: &PullRequestFixture, sha: &str) -> Value {
    fixture.user("mona").get(&format!("{ROCKET}/git/commits/{sha}")).await.expect(200).json()
}

fn parents(commit: &Value) -> Vec<&str> {
    let parents = commit["parents"].as_array().expect("a list");
    parents.iter().map(|parent| parent["sha"].as_str().expect("an id")).collect()
}

/// The text of `file` in a commit.
async fn file(fixture: &PullRequestFixture, sha: &str) -> String {
    let commit = commit(fixture, sha).await;
    let tree = commit["tree"]["sha"].as_str().expect("an id");
    let tree = fixture.user("mona").get(&format!("{ROCKET}/git/trees/{tree}")).await.expect(200).json();
    let entries = tree["tree"].as_array().expect("a list");
    let entry = entries.iter().find(|entry| entry["path"] == "file").expect("the file");
    let path = format!("{ROCKET}/git/blobs/{}", entry["sha"].as_str().expect("an id"));
    let raw = fixture.user("mona").header("accept", "application/vnd.github.raw").get(&path).await.expect(200);
    String::from_utf8_lossy(&raw.body).into_owned()
}

/// What a client sees of a merge.
fn outcome(pull: &Value) -> Value {
    json!([pull["state"], pull["merged"], pull["merged_by"]["login"], pull["merge_commit_sha"]])
}
