//! Changes of files, each by one commit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};

use super::{Fixture, NewCommit, REPO, entry, file};
use crate::support::pull_request::{PULL, PullRequestFixture};
use crate::support::{Client, Response};

async fn fixture() -> Fixture {
    let changes =
        file("README.md", "read me\n") + &file("src/lib.rs", "lib\n") + &entry("100755", "run", "#!/bin/sh\n");
    let commit = NewCommit { branch: "main", mark: 1, parents: &[], author: "mona", seconds: 1, changes };
    Fixture::new(&(commit.write() + "reset refs/heads/other\nfrom :1\n\n")).await
}

fn mona(fixture: &Fixture) -> Client<'_> {
    fixture.service.with_token("ghp_mona")
}

async fn put(client: &Client<'_>, path: &str, body: Value) -> Response {
    client.send(Method::PUT, &format!("{REPO}/contents/{path}"), body.to_string()).await
}

async fn delete(client: &Client<'_>, path: &str, body: Value) -> Response {
    client.send(Method::DELETE, &format!("{REPO}/contents/{path}"), body.to_string()).await
}

fn body(text: &str) -> Value {
    json!({ "message": "change", "content": STANDARD.encode(text) })
}

fn with(mut body: Value, key: &str, value: impl Into<Value>) -> Value {
    body[key] = value.into();
    body
}

async fn sha_of(fixture: &Fixture, path: &str) -> String {
    let found = fixture.get(&format!("/contents/{path}")).await.expect(200).json();
    found["sha"].as_str().expect("an id").to_owned()
}

async fn tip(fixture: &Fixture, branch: &str) -> String {
    let found = fixture.get(&format!("/branches/{branch}")).await.expect(200).json();
    found["commit"]["sha"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn put_creates_a_file_with_one_commit() {
    let fixture = fixture().await;
    let before = tip(&fixture, "main").await;
    let created = put(&mona(&fixture), "docs/a%20b/new.txt", body("hello\n")).await.expect(201);
    let (shown, after) = (created.json(), tip(&fixture, "main").await);
    assert_eq!(created.header("location"), shown["content"]["url"].as_str());
    let content = &shown["content"];
    assert_eq!(
        json!([content["name"], content["path"], content["type"], content["size"]]),
        json!(["new.txt", "docs/a b/new.txt", "file", 6])
    );
    let commit = &shown["commit"];
    assert_eq!(json!([commit["sha"], commit["message"]]), json!([after, "change"]));
    assert_eq!(commit["parents"][0]["sha"], before);
    assert_eq!(
        json!([commit["author"]["name"], commit["author"]["email"], commit["committer"]["name"]]),
        json!(["Mona Lisa", "mona@example.com", "Mona Lisa"])
    );
    let found = fixture.get("/contents/docs/a%20b/new.txt").await.expect(200).json();
    assert_eq!((&found["sha"], &found["content"]), (&content["sha"], &json!("aGVsbG8K\n")));
    assert_eq!(found["url"], content["url"]);
    fixture.get("/contents/src/lib.rs").await.expect(200);
}

#[tokio::test]
async fn put_updates_a_file_and_keeps_its_mode() {
    let fixture = fixture().await;
    let sha = sha_of(&fixture, "run").await;
    let updated = put(&mona(&fixture), "run", with(body("#!/bin/bash\n"), "sha", sha)).await.expect(200).json();
    let tree = updated["commit"]["tree"]["sha"].as_str().expect("an id").to_owned();
    let tree = fixture.get(&format!("/git/trees/{tree}")).await.expect(200).json();
    let entries = tree["tree"].as_array().expect("a list");
    let run = entries.iter().find(|entry| entry["path"] == "run").expect("the file");
    assert_eq!(json!([run["mode"], run["sha"]]), json!(["100755", updated["content"]["sha"]]));
}

#[tokio::test]
async fn put_writes_on_the_branch_with_the_given_people() {
    let fixture = fixture().await;
    let main = tip(&fixture, "main").await;
    let committer = json!({ "name": "Bot", "email": "bot@example.com", "date": "2026-01-02T03:04:05+01:00" });
    let sent = with(with(body("x"), "branch", "other"), "committer", committer);
    let shown = put(&mona(&fixture), "new", sent).await.expect(201).json();
    let person = json!({ "name": "Bot", "email": "bot@example.com", "date": "2026-01-02T02:04:05Z" });
    assert_eq!((&shown["commit"]["author"], &shown["commit"]["committer"]), (&person, &person));
    assert_eq!((tip(&fixture, "main").await, tip(&fixture, "other").await), (main, text(&shown["commit"]["sha"])));
    assert!(text(&shown["content"]["url"]).ends_with("/contents/new?ref=other"));
    let author = json!({ "name": "Ann", "email": "ann@example.com" });
    let shown = put(&mona(&fixture), "new2", with(body("x"), "author", author)).await.expect(201).json();
    assert_eq!(
        json!([shown["commit"]["author"]["name"], shown["commit"]["committer"]["name"]]),
        json!(["Ann", "Mona Lisa"])
    );
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned()
}

#[tokio::test]
async fn put_and_delete_report_what_is_wrong() {
    let fixture = fixture().await;
    let readme = sha_of(&fixture, "README.md").await;
    let before = tip(&fixture, "main").await;
    let wrong = "0".repeat(40);
    let mismatch = format!("README.md does not match {wrong}");
    for (path, sent, status, message) in [
        ("README.md", body("x"), 422, "Invalid request.\n\n\"sha\" wasn't supplied."),
        ("README.md", with(body("x"), "sha", wrong.as_str()), 409, mismatch.as_str()),
        ("README.md", with(body("x"), "sha", "x"), 409, "README.md does not match x"),
        ("new", with(body("x"), "sha", readme.as_str()), 409, &format!("new does not match {readme}")),
        ("new", json!({ "message": "m", "content": "*" }), 422, "content is not valid Base64"),
        ("new", json!({ "content": "" }), 422, "Invalid request.\n\n\"message\" wasn't supplied."),
        ("new", with(body("x"), "branch", "nothing"), 404, "Branch nothing not found"),
        ("new", with(body("x"), "branch", ".."), 404, "Branch .. not found"),
        ("src", body("x"), 422, "src is a directory"),
        ("README.md/new", body("x"), 422, "README.md is not a directory"),
        ("%2Fnew", body("x"), 422, "path cannot start with a slash"),
        ("a/../b", body("x"), 422, "path contains a malformed path component"),
        ("a/.git/config", body("x"), 422, "path contains a malformed path component"),
    ] {
        let response = put(&mona(&fixture), path, sent.clone()).await;
        assert_eq!((response.status, response.message()), (status, message.to_owned()), "{path} {sent}");
    }
    for (path, sent, status, message) in [
        ("README.md", json!({ "message": "m" }), 422, "Invalid request.\n\n\"sha\" wasn't supplied."),
        ("README.md", json!({ "message": "m", "sha": wrong }), 409, mismatch.as_str()),
        ("nothing", json!({ "message": "m", "sha": readme }), 404, "Not Found"),
        ("src", json!({ "message": "m", "sha": readme }), 422, "src is a directory"),
    ] {
        let response = delete(&mona(&fixture), path, sent.clone()).await;
        assert_eq!((response.status, response.message()), (status, message.to_owned()), "{path} {sent}");
    }
    assert_eq!(tip(&fixture, "main").await, before);
}

#[tokio::test]
async fn delete_removes_the_file_and_its_empty_directory() {
    let fixture = fixture().await;
    let sent = json!({ "message": "remove", "sha": sha_of(&fixture, "src/lib.rs").await });
    let deleted = delete(&mona(&fixture), "src/lib.rs", sent).await.expect(200).json();
    assert_eq!(json!([deleted["content"], deleted["commit"]["message"]]), json!([null, "remove"]));
    fixture.get("/contents/src").await.expect(404);
    // Clients that send no body with DELETE have the keys in the query.
    let query = format!("README.md?message=gone&branch=main&sha={}", sha_of(&fixture, "README.md").await);
    let deleted = mona(&fixture).delete(&format!("{REPO}/contents/{query}")).await.expect(200).json();
    assert_eq!(deleted["commit"]["message"], "gone");
    let sent = json!({ "message": "last", "sha": sha_of(&fixture, "run").await });
    delete(&mona(&fixture), "run", sent).await.expect(200);
    assert_eq!(fixture.get("/contents").await.expect(200).json(), json!([]));
}

#[tokio::test]
async fn put_makes_the_first_commit_of_an_empty_repository() {
    let fixture = fixture().await;
    let path = "/repos/acme/empty/contents/README.md";
    let sent = with(body("first\n"), "branch", "trunk").to_string();
    let shown = mona(&fixture).send(Method::PUT, path, sent).await.expect(201).json();
    assert_eq!(shown["commit"]["parents"], json!([]));
    let repo = mona(&fixture).get("/repos/acme/empty").await.expect(200).json();
    assert_eq!(repo["default_branch"], "trunk");
    let found = mona(&fixture).get(path).await.expect(200).json();
    assert_eq!(found["sha"], shown["content"]["sha"]);
    // Now it has a branch, so that others must exist.
    let sent = with(body("second\n"), "branch", "more").to_string();
    mona(&fixture).send(Method::PUT, "/repos/acme/empty/contents/x", sent).await.expect(404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_puts_of_one_file_succeed_once() {
    let fixture = fixture().await;
    let (sha, client) = (sha_of(&fixture, "README.md").await, mona(&fixture));
    let changes = (0..8).map(|number| put(&client, "README.md", with(body(&number.to_string()), "sha", sha.as_str())));
    let statuses: Vec<u16> = join_all(changes).await.iter().map(|response| response.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_puts_of_different_files_lose_no_change() {
    let fixture = fixture().await;
    let client = mona(&fixture);
    let changes = (0..8).map(async |number| (number, put(&client, &format!("new{number}"), body("x")).await.status));
    for (number, status) in join_all(changes).await {
        let found = fixture.get(&format!("/contents/new{number}")).await.status;
        assert!([(201, 200), (409, 404)].contains(&(status, found)), "new{number}: {status}, then {found}");
    }
}

#[tokio::test]
async fn put_needs_push_access_and_the_right_to_change_workflows() {
    let fixture = fixture().await;
    let hidden = "/repos/acme/hidden/contents/new";
    for (token, public, private) in
        [("ghp_guest", 403, 404), ("ghp_stranger", 403, 404), ("github_pat_contents", 403, 403)]
    {
        let client = fixture.service.with_token(token);
        put(&client, "new", body("x")).await.expect(public);
        client.send(Method::PUT, hidden, body("x").to_string()).await.expect(private);
        client.send(Method::DELETE, hidden, "").await.expect(private);
    }
    fixture.service.anonymous().send(Method::PUT, &format!("{REPO}/contents/new"), "").await.expect(401);
    let state = crate::support::pull_request::acme().classic("mona", "repo", "ghp_without_workflow");
    fixture.service.apply(&state.to_string()).await;
    let client = fixture.service.with_token("ghp_without_workflow");
    put(&client, ".github/workflows/ci.yml", body("on: push\n")).await.expect(403);
    put(&client, ".github/dependabot.yml", body("version: 2\n")).await.expect(201);
    put(&mona(&fixture), ".github/workflows/ci.yml", body("on: push\n")).await.expect(201);
}

#[tokio::test]
async fn put_moves_the_head_of_a_pull_request() {
    let fixture = PullRequestFixture::new(&[("file", "1\n")], &[("file", Some("2\n"))]).await;
    let path = "/repos/acme/rocket/contents/more";
    let sent = with(body("more\n"), "branch", "feature").to_string();
    let shown = fixture.user("hubot").send(Method::PUT, path, sent).await.expect(201).json();
    let pull = fixture.user("mona").get(PULL).await.expect(200).json();
    assert_eq!(pull["head"]["sha"], shown["commit"]["sha"]);
    let files = fixture.user("mona").get(&format!("{PULL}/files")).await.expect(200).json();
    assert_eq!(super::values(&files, "filename"), ["file", "more"]);
}
