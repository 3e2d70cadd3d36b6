//! New repositories: their names, and their first commits.

use plinth_base::ids::RepoId;
use serde_json::json;

use crate::accounts::STATE;
use crate::support::Service;

#[tokio::test]
async fn create_repository_normalizes_name() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    for (sent, name) in [("abc;def%()ghi!", "abc-def-ghi-"), ("tool.git", "tool"), ("\u{c5}str\u{f6}m", "-str-m")] {
        let made = mona.post("/user/repos", json!({ "name": sent })).await.expect(201).json();
        assert_eq!(made["name"], name);
    }
    let empty = mona.post("/user/repos", json!({ "name": "" })).await.expect(422).json();
    assert_eq!(empty["message"], "Repository creation failed.");
    assert_eq!(empty["errors"][0], json!({ "resource": "Repository", "field": "name", "code": "missing_field" }));
}

#[tokio::test]
async fn create_repository_with_first_commit() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let body = json!({
        "name": "Started", "description": "A start", "homepage": "https://example.com", "auto_init": true,
        "license_template": "mit", "gitignore_template": "Rust",
    });
    let made = mona.post("/user/repos", body).await.expect(201).json();
    assert_eq!(made["homepage"], "https://example.com");
    assert!(made["pushed_at"].is_string(), "{made}");
    assert_eq!(mona.get("/repos/mona/started").await.expect(200).json()["homepage"], "https://example.com");
    let commit = mona.get("/repos/mona/started/commits/main").await.expect(200).json();
    assert_eq!((&commit["commit"]["message"], &commit["parents"]), (&json!("Initial commit"), &json!([])));
    let patches: Vec<_> = commit["files"].as_array().expect("files").iter().map(|file| &file["patch"]).collect();
    assert_eq!(patches[0], "@@ -0,0 +1,2 @@\n+/target/\n+**/*.rs.bk");
    assert!(patches[1].as_str().is_some_and(|patch| patch.contains("+MIT License\n+\n+Copyright (c) 2026 ")));
    assert_eq!(patches[2], "@@ -0,0 +1,2 @@\n+# Started\n+A start");

    let body = json!({ "name": "Plain", "auto_init": true, "license_template": "", "gitignore_template": null });
    mona.post("/user/repos", body).await.expect(201);
    let commit = mona.get("/repos/mona/plain/commits/main").await.expect(200).json();
    assert_eq!(commit["files"].as_array().map(Vec::len), Some(1));
    let body = json!({ "name": "Odd", "auto_init": true, "license_template": "own", "gitignore_template": "own" });
    let rejected = mona.post("/user/repos", body).await.expect(422).json();
    let field = |name: &str| json!({ "resource": "Repository", "field": name, "code": "invalid" });
    assert_eq!(rejected["errors"], json!([field("gitignore_template"), field("license_template")]));
    mona.get("/repos/mona/odd").await.expect(404);
}

/// A process that is killed during an import may leave a directory, and SQLite gives its id to the next repository.
#[tokio::test]
async fn create_repository_removes_directory_that_has_its_id() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let before = mona.post("/user/repos", json!({ "name": "before" })).await.expect(201).json();
    let next = RepoId(before["id"].as_i64().expect("an id") + 1);
    let left = service.directory().join("data/repositories").join(plinth_git::pack_directory(next));
    std::fs::create_dir_all(&left).expect("a directory");
    std::fs::write(left.join("left.pack"), "no pack").expect("a file");
    let made = mona.post("/user/repos", json!({ "name": "after", "auto_init": true })).await.expect(201).json();
    assert!(made["id"].as_i64() >= Some(next.0), "{made}");
    mona.get("/repos/mona/after/commits/main").await.expect(200);
    if made["id"] == next.0 {
        assert!(!left.join("left.pack").exists(), "objects of another repository are left");
    }
}
