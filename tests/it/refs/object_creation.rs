//! Creating git objects.

use expect_test::expect;
use plinth_base::ids::RepoId;
use serde_json::json;

use super::{GIT, git, hubot, mona, rocket, sha_of, text};

#[tokio::test]
async fn commit_created_from_objects_is_valid_in_git() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let base = text(&mona(&service).get(&format!("{GIT}/commits/{main}")).await.json()["tree"]["sha"]);
    let blob = hubot(&service).post(&format!("{GIT}/blobs"), json!({ "content": "aGkK", "encoding": "base64" })).await;
    expect![[r#"
        201
        {
          "sha": "45b983be36b73c0788dc9cbcb76cbb80fc7bb057",
          "url": "http://plinth.test/repos/acme/rocket/git/blobs/45b983be36b73c0788dc9cbcb76cbb80fc7bb057"
        }"#]]
    .assert_eq(&blob.to_string());
    let tree = hubot(&service)
        .post(
            &format!("{GIT}/trees"),
            json!({ "base_tree": base, "tree": [
                { "path": "bin/run", "mode": "100755", "type": "blob", "sha": blob.json()["sha"] },
                { "path": "docs/x.md", "mode": "100644", "type": "blob", "content": "# x\n" },
                { "path": "README.md", "mode": "100644", "type": "blob", "sha": null },
            ] }),
        )
        .await;
    expect![[r#"
        201
        {
          "sha": "82c22698aa945b6452ff772a2afb271a3e84f9cc",
          "tree": [
            {
              "mode": "040000",
              "path": "bin",
              "sha": "28438de185f1b301202d0600702f17c07cd769fc",
              "type": "tree",
              "url": "http://plinth.test/repos/acme/rocket/git/trees/28438de185f1b301202d0600702f17c07cd769fc"
            },
            {
              "mode": "040000",
              "path": "docs",
              "sha": "c96081ebb28307b09e0b991b58e6a9a7021b7784",
              "type": "tree",
              "url": "http://plinth.test/repos/acme/rocket/git/trees/c96081ebb28307b09e0b991b58e6a9a7021b7784"
            },
            {
              "mode": "040000",
              "path": "src",
              "sha": "6bb557a5ba248fcc3395a047abf10da845058941",
              "type": "tree",
              "url": "http://plinth.test/repos/acme/rocket/git/trees/6bb557a5ba248fcc3395a047abf10da845058941"
            }
          ],
          "truncated": false,
          "url": "http://plinth.test/repos/acme/rocket/git/trees/82c22698aa945b6452ff772a2afb271a3e84f9cc"
        }"#]]
    .assert_eq(&tree.to_string());
    let commit = hubot(&service)
        .post(
            &format!("{GIT}/commits"),
            json!({
                "message": "By hand", "tree": tree.json()["sha"], "parents": [main],
                "author": { "name": "Ann", "email": "ann@example.com", "date": "2026-03-10T10:09:10+02:00" },
            }),
        )
        .await;
    expect![[r#"
        201
        {
          "author": {
            "date": "2026-03-10T08:09:10Z",
            "email": "ann@example.com",
            "name": "Ann"
          },
          "committer": {
            "date": "2026-03-10T08:09:10Z",
            "email": "ann@example.com",
            "name": "Ann"
          },
          "html_url": "http://plinth.test/acme/rocket/commit/8acd77af8db30cc8d3bb3bcf7d7179577a0d23f0",
          "message": "By hand",
          "node_id": "C_kwAB2gAoOGFjZDc3YWY4ZGIzMGNjOGQzYmIzYmNmN2Q3MTc5NTc3YTBkMjNmMA",
          "parents": [
            {
              "html_url": "http://plinth.test/acme/rocket/commit/eef1bfddd3885abce41f3a5170474789ec515115",
              "sha": "eef1bfddd3885abce41f3a5170474789ec515115",
              "url": "http://plinth.test/repos/acme/rocket/git/commits/eef1bfddd3885abce41f3a5170474789ec515115"
            }
          ],
          "sha": "8acd77af8db30cc8d3bb3bcf7d7179577a0d23f0",
          "tree": {
            "sha": "82c22698aa945b6452ff772a2afb271a3e84f9cc",
            "url": "http://plinth.test/repos/acme/rocket/git/trees/82c22698aa945b6452ff772a2afb271a3e84f9cc"
          },
          "url": "http://plinth.test/repos/acme/rocket/git/commits/8acd77af8db30cc8d3bb3bcf7d7179577a0d23f0",
          "verification": {
            "payload": null,
            "reason": "unsigned",
            "signature": null,
            "verified": false,
            "verified_at": null
          }
        }"#]]
    .assert_eq(&commit.to_string());
    let sha = text(&commit.json()["sha"]);
    let moved = hubot(&service).patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": sha })).await.expect(200);
    assert_eq!(moved.json()["object"]["sha"], sha.as_str());
    let tag = hubot(&service)
        .post(&format!("{GIT}/tags"), json!({ "tag": "v2", "message": "two", "object": sha, "type": "commit" }))
        .await;
    expect![[r#"
        201
        {
          "message": "two\n",
          "node_id": "TA_kwAB2gAoNGQ2ZTFlODFmNDlkZWY0ZGNmYTc4MDVlY2E2YmUyOGYxZGQ4ODg5MA",
          "object": {
            "sha": "8acd77af8db30cc8d3bb3bcf7d7179577a0d23f0",
            "type": "commit",
            "url": "http://plinth.test/repos/acme/rocket/git/commits/8acd77af8db30cc8d3bb3bcf7d7179577a0d23f0"
          },
          "sha": "4d6e1e81f49def4dcfa7805eca6be28f1dd88890",
          "tag": "v2",
          "tagger": {
            "date": "2026-02-25T06:13:20Z",
            "email": "hubot@users.noreply.localhost",
            "name": "hubot"
          },
          "url": "http://plinth.test/repos/acme/rocket/git/tags/4d6e1e81f49def4dcfa7805eca6be28f1dd88890",
          "verification": {
            "payload": null,
            "reason": "unsigned",
            "signature": null,
            "verified": false,
            "verified_at": null
          }
        }"#]]
    .assert_eq(&tag.to_string());
    assert!(!git(&service, 1, &["cat-file", "-e", &sha]).0, "no pack has it yet");
    assert_eq!(service.app.objects.flush(RepoId(1)).await.expect("flushes"), 7);
    assert_eq!(service.app.objects.flush(RepoId(1)).await.expect("flushes"), 0);
    let (good, shown) = git(&service, 1, &["cat-file", "-p", &sha]);
    assert!(good, "{shown}");
    assert!(shown.contains("author Ann <ann@example.com> 1773130150 +0200\n"), "{shown}");
    assert!(git(&service, 1, &["cat-file", "-p", &format!("{sha}:bin/run")]).1 == "hi\n");
    let (good, complaint) = git(&service, 1, &["fsck", "--strict", "--no-dangling", &sha, &text(&tag.json()["sha"])]);
    assert!(good, "{complaint}");
    assert_eq!(mona(&service).get(&format!("{GIT}/commits/{sha}")).await.body, commit.body);
}

#[tokio::test]
async fn create_object_reports_every_invalid_field() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let tree = text(&mona(&service).get(&format!("{GIT}/commits/{main}")).await.json()["tree"]["sha"]);
    let entry = |entry: serde_json::Value| json!({ "base_tree": tree, "tree": [entry] });
    let mut seen = String::new();
    for (kind, body) in [
        ("blobs", json!({})),
        ("blobs", json!({ "content": "x", "encoding": 1 })),
        ("trees", json!({ "tree": 1 })),
        ("trees", json!({ "tree": [1, { "path": "a", "type": "thing" }] })),
        ("trees", json!({ "base_tree": "0".repeat(40), "tree": [] })),
        ("trees", entry(json!({ "path": "a", "mode": "100644" }))),
        ("trees", entry(json!({ "path": "a", "mode": "777", "content": "" }))),
        ("trees", entry(json!({ "path": "a", "mode": "100644", "content": "", "sha": tree }))),
        ("trees", entry(json!({ "path": "a", "mode": "100644", "sha": tree }))),
        ("trees", entry(json!({ "path": "a", "mode": "100644", "sha": "HEAD" }))),
        ("trees", entry(json!({ "path": "a", "sha": null }))),
        ("trees", entry(json!({ "path": "../a", "mode": "100644", "content": "" }))),
        ("trees", entry(json!({ "path": ".git/config", "mode": "100644", "content": "" }))),
        ("trees", entry(json!({ "path": "git~1", "mode": "100644", "content": "" }))),
        ("trees", entry(json!({ "path": "/a", "mode": "100644", "content": "" }))),
        ("commits", json!({ "message": "m" })),
        ("commits", json!({ "message": "m", "tree": main })),
        ("commits", json!({ "message": "m", "tree": tree, "parents": [tree] })),
        ("commits", json!({ "message": "m", "tree": tree, "parents": [1] })),
        ("commits", json!({ "message": "a\0b", "tree": tree })),
        ("commits", json!({ "message": "m", "tree": tree, "author": { "name": "<", "email": "e" } })),
        ("commits", json!({ "message": "m", "tree": tree, "committer": { "date": "soon" } })),
        ("tags", json!({ "tag": "t", "message": "m", "object": main, "type": "tree" })),
        ("tags", json!({ "tag": "a..b", "message": "m", "object": main, "type": "commit" })),
        ("tags", json!({ "tag": "t", "message": "m", "object": main, "type": "ghost" })),
    ] {
        let response = hubot(&service).post(&format!("{GIT}/{kind}"), body).await;
        seen += &format!("{} {}\n", response.status, response.message());
    }
    expect![[r#"
        422 Invalid request.

        "content" wasn't supplied.
        422 Invalid request.

        For 'properties/encoding', 1 is not a string.
        422 Invalid request.

        For 'properties/tree', 1 is not an array.
        422 Invalid request.

        For 'properties/tree/items', 1 is not an object.
        For 'properties/tree/items/properties/type', thing is not a member of ["blob", "tree", "commit"].
        422 base_tree is not a valid tree oid
        422 Must supply either tree.sha or tree.content. Request will be rejected if both are present.
        422 Must supply a valid tree.mode
        422 Must supply either tree.sha or tree.content. Request will be rejected if both are present.
        422 tree.sha 8752898f48d40f13d4cc175784f279ee7d13d2e3 is not a valid blob
        422 tree.sha HEAD is not a valid blob
        422 GitRPC::BadObjectState
        422 tree.path contains a malformed path component
        422 tree.path contains a malformed path component
        422 tree.path contains a malformed path component
        422 tree.path cannot start with a slash
        422 Invalid request.

        "tree" wasn't supplied.
        422 Tree SHA does not exist
        422 Parent SHA does not exist or is not a commit object
        422 Invalid request.

        For 'properties/parents/items', not every item is a string.
        422 A commit message may not contain a NUL byte.
        422 The name of an author, committer or tagger is empty or not allowed.
        422 Invalid request.

        soon is not a valid date-time.
        422 object eef1bfddd3885abce41f3a5170474789ec515115 does not exist or is not a tree
        422 The name of the tag is not well formed.
        422 Invalid request.

        For 'properties/type', ghost is not a member of ["commit", "tree", "blob", "tag"].
    "#]]
    .assert_eq(&seen);
    for kind in ["blobs", "trees", "commits", "tags"] {
        let body = json!({
            "content": "x", "tree": if kind == "trees" { json!([]) } else { json!("x") }, "message": "m",
            "tag": "t", "object": "x", "type": "commit",
        });
        let response = mona(&service).post(&format!("/repos/acme/empty/git/{kind}"), body).await;
        assert_eq!((response.status, response.message().as_str()), (409, "Git Repository is empty."), "{kind}");
    }
}

#[tokio::test]
async fn create_tree_rejects_hostile_gitmodules() {
    let service = rocket().await;
    let evil = "[submodule \"../../x\"]\n\tpath = x\n\turl = -u./payload\n";
    let entry = json!({ "path": ".gitmodules", "mode": "100644", "content": evil });
    let whole = hubot(&service).post(&format!("{GIT}/trees"), json!({ "tree": [entry] })).await.expect(422);
    assert!(whole.message().contains("gitmodules"), "{whole}");
    let blob = hubot(&service).post(&format!("{GIT}/blobs"), json!({ "content": evil })).await.expect(201);
    let entry = json!({ "path": "sub/.gitmodules", "mode": "100644", "sha": blob.json()["sha"] });
    let root = json!({ "path": ".gitmodules", "mode": "100644", "sha": blob.json()["sha"] });
    hubot(&service).post(&format!("{GIT}/trees"), json!({ "tree": [root] })).await.expect(422);
    hubot(&service).post(&format!("{GIT}/trees"), json!({ "tree": [entry] })).await;
    let good = "[submodule \"x\"]\n\tpath = x\n\turl = https://example.com/x\n";
    let entry = json!({ "path": ".gitmodules", "mode": "100644", "content": good });
    hubot(&service).post(&format!("{GIT}/trees"), json!({ "tree": [entry] })).await.expect(201);
}
