//! Licence, languages and size of repositories, which are computed after the default branch has moved.

use plinth_core::repos::statistics;
use serde_json::{Value, json};

use crate::support::Service;
use crate::support::fixtures::StateFile;
use crate::support::wait::wait_until_async;

const REPO: &str = "/repos/mona/hello";

fn state(files: &str) -> String {
    let commit = format!("{{ branch: main, author: mona, message: first, files: {{ {files} }} }}");
    StateFile::default()
        .users(&["mona"])
        .repo("mona/hello", &format!("commits: [{commit}]"))
        .classic("mona", "repo", "ghp_mona")
        .to_string()
}

async fn shown(service: &Service) -> Value {
    let repo = service.anonymous().get(REPO).await.expect(200).json();
    json!([repo["license"]["spdx_id"], repo["language"], repo["size"]])
}

#[tokio::test]
async fn maintenance_describes_repositories_of_a_state_file_once() {
    let service = Service::with(&state(r#"a.rs: "1234567", b.py: "123", README.md: "long text, but no code""#)).await;
    assert_eq!(shown(&service).await, json!([null, null, 0]));
    assert_eq!(service.anonymous().get(&format!("{REPO}/languages")).await.expect(200).json(), json!({}));
    let before = service.anonymous().get(REPO).await.expect(200).json();
    statistics::catch_up(&service.app).await.expect("maintenance succeeds");
    assert_eq!(shown(&service).await, json!([null, "Rust", 1]));
    let languages = service.anonymous().get(&format!("{REPO}/languages")).await.expect(200);
    assert_eq!(String::from_utf8_lossy(&languages.body), r#"{"Rust":7,"Python":3}"#, "the largest first");
    let after = service.anonymous().get(REPO).await.expect(200).json();
    assert_eq!((&after["updated_at"], &after["pushed_at"]), (&before["updated_at"], &before["pushed_at"]));
    let mut db = service.store.read().await.expect("the store can be read");
    assert!(statistics::store::list_outdated(&mut db, 10).await.expect("the store can be read").is_empty());
}

#[tokio::test]
async fn update_of_the_default_branch_describes_the_repository() {
    let service = Service::with(&state(r#"a.rs: "1""#)).await;
    let mona = service.with_token("ghp_mona");
    let created = json!({ "name": "own", "auto_init": true, "license_template": "mit" });
    mona.post("/user/repos", created).await.expect(201);
    let text =
        mona.clone().header("accept", "application/vnd.github.raw").get("/repos/mona/own/contents/LICENSE").await;
    let text = String::from_utf8_lossy(&text.expect(200).body).into_owned();
    let files = [("LICENSE", text.as_str()), ("main.go", "package main\n")];
    let entry =
        |(path, content): (&str, &str)| json!({ "path": path, "mode": "100644", "type": "blob", "content": content });
    let tree = json!({ "tree": files.map(entry) });
    let tree = mona.post(&format!("{REPO}/git/trees"), tree).await.expect(201).json()["sha"].clone();
    let body = json!({ "message": "next", "tree": tree });
    let commit = mona.post(&format!("{REPO}/git/commits"), body).await.expect(201).json()["sha"].clone();
    let body = json!({ "ref": "refs/heads/other", "sha": commit });
    mona.post(&format!("{REPO}/git/refs"), body).await.expect(201);
    assert_eq!(shown(&service).await, json!([null, null, 0]), "another branch does not count");
    let body = json!({ "sha": commit, "force": true });
    mona.patch(&format!("{REPO}/git/refs/heads/main"), body).await.expect(200);
    let is_described = async || shown(&service).await == json!(["MIT", "Go", 1]);
    wait_until_async("the repository is described", is_described).await;
    let license = service.anonymous().get(REPO).await.expect(200).json()["license"].clone();
    assert_eq!((&license["key"], &license["name"]), (&json!("mit"), &json!("MIT License")));
    let listed = mona.get("/user/repos").await.expect(200).json();
    let listed = listed.as_array().expect("a list").iter().find(|repo| repo["name"] == "hello").expect("it is listed");
    assert_eq!((&listed["license"], &listed["language"]), (&license, &json!("Go")));
}

#[tokio::test]
async fn another_default_branch_describes_the_repository() {
    let service = Service::with(&state(r#"a.rs: "1""#)).await;
    statistics::catch_up(&service.app).await.expect("maintenance succeeds");
    let mona = service.with_token("ghp_mona");
    let blob = json!({ "tree": [{ "path": "a.py", "mode": "100644", "type": "blob", "content": "1" }] });
    let tree = mona.post(&format!("{REPO}/git/trees"), blob).await.expect(201).json()["sha"].clone();
    let body = json!({ "message": "next", "tree": tree });
    let commit = mona.post(&format!("{REPO}/git/commits"), body).await.expect(201).json()["sha"].clone();
    mona.post(&format!("{REPO}/git/refs"), json!({ "ref": "refs/heads/py", "sha": commit })).await.expect(201);
    mona.patch(REPO, json!({ "default_branch": "py" })).await.expect(200);
    let is_described = async || shown(&service).await[1] == "Python";
    wait_until_async("the repository is described", is_described).await;
}

#[tokio::test]
async fn unknown_licence_is_other_and_hidden_languages_are_not_found() {
    let service = Service::with(&state(r#"LICENSE.md: "All rights reserved.""#)).await;
    statistics::catch_up(&service.app).await.expect("maintenance succeeds");
    assert_eq!(shown(&service).await, json!(["NOASSERTION", null, 1]));
    service.apply("repos: [{ name: mona/hello, private: true }]").await;
    service.anonymous().get(&format!("{REPO}/languages")).await.expect(404);
    service.with_token("ghp_mona").get(&format!("{REPO}/languages")).await.expect(200);
}
