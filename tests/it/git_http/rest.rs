//! Push and REST see each other's refs and objects at once.

use serde_json::json;

use super::host::{Host, OWNER, WRITER};

const REFS: &str = "/repos/octo-org/hello/git/refs";

#[tokio::test]
async fn rest_shows_pushed_refs_and_git_fetches_rest_refs() {
    let host = Host::start().await;
    let client = host.service.with_token(OWNER);
    host.work("work", OWNER, "octo-org/hello", 3).await;
    host.git("work", &["push", "--quiet", "origin", "main", "main:feature"]).await.ok();
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    let seen = client.get("/repos/octo-org/hello/git/ref/heads/main").await.expect(200).json();
    assert_eq!(seen["object"]["sha"], tip.as_str());
    client.post(REFS, json!({ "ref": "refs/heads/by-rest", "sha": tip })).await.expect(201);
    let old = host.git("work", &["rev-parse", "HEAD~1"]).await.ok();
    client.patch(&format!("{REFS}/heads/feature"), json!({ "sha": old, "force": true })).await.expect(200);
    let refs = host.refs("octo-org/hello").await;
    let expected = [
        format!("{tip} HEAD"),
        format!("{tip} refs/heads/by-rest"),
        format!("{old} refs/heads/feature"),
        format!("{tip} refs/heads/main"),
    ];
    assert_eq!(refs, expected);
    client.delete(&format!("{REFS}/heads/by-rest")).await.expect(204);
    assert_eq!(host.refs("octo-org/hello").await.len(), 3);
    // A client with an outdated ref gets an error.
    let stale = host.git("work", &["push", "--porcelain", "origin", "main:feature"]).await;
    assert!(stale.success, "a fast forward from where REST has put it: {stale:?}");
    host.git("work", &["push", "--quiet", "origin", ":feature"]).await.ok();
    client.get("/repos/octo-org/hello/git/ref/heads/feature").await.expect(404);
}

#[tokio::test]
async fn objects_created_by_rest_can_be_cloned_and_extended() {
    let host = Host::start().await;
    let client = host.service.with_token(OWNER);
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let tip = host.git("work", &["rev-parse", "HEAD"]).await.ok();
    let git = "/repos/octo-org/hello/git";
    let tree = json!({ "tree": [{ "path": "made.txt", "mode": "100644", "type": "blob", "content": "by REST" }] });
    let tree = client.post(&format!("{git}/trees"), tree).await.expect(201).json();
    let commit = json!({ "message": "made", "tree": tree["sha"], "parents": [tip] });
    let commit = client.post(&format!("{git}/commits"), commit).await.expect(201).json();
    let tag = json!({ "tag": "v1", "message": "tagged", "object": commit["sha"], "type": "commit" });
    let tag = client.post(&format!("{git}/tags"), tag).await.expect(201).json();
    client.post(REFS, json!({ "ref": "refs/tags/v1", "sha": tag["sha"] })).await.expect(201);
    let update = json!({ "sha": commit["sha"] });
    client.patch(&format!("{REFS}/heads/main"), update).await.expect(200);
    let commit = commit["sha"].as_str().expect("a name");
    let refs = host.refs("octo-org/hello").await;
    assert!(refs.contains(&format!("{commit} refs/tags/v1^{{}}")), "{refs:?}");
    let url = host.url(OWNER, "octo-org/hello");
    host.git("", &["clone", "--quiet", &url, "clone"]).await.ok();
    assert_eq!(std::fs::read_to_string(host.path("clone/made.txt")).unwrap(), "by REST");
    let pushed = host.commit("clone", "made.txt", "by REST, and then by a push").await;
    host.git("clone", &["push", "--quiet", "origin", "main"]).await.ok();
    let seen = client.get(&format!("{git}/commits/{pushed}")).await.expect(200).json();
    assert_eq!(seen["parents"][0]["sha"], commit);
    host.check_fresh_clone("octo-org/hello").await;
}

#[tokio::test]
async fn workflow_files_follow_same_rules_over_rest_and_push() {
    let host = Host::start().await;
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.git("work", &["push", "--quiet", "origin", "main"]).await.ok();
    let tip = host.commit("work", ".github/workflows/ci.yml", "on: push\n").await;
    host.git("work", &["push", "--quiet", "origin", "HEAD:refs/tags/kept"]).await.ok();
    let client = host.service.with_token(WRITER);
    client.post(REFS, json!({ "ref": "refs/heads/topic", "sha": tip })).await.expect(403);
    let url = host.url(WRITER, "octo-org/hello");
    let printed = host.git("work", &["push", "--porcelain", &url, "HEAD:topic"]).await.rejected();
    assert!(printed.contains("may not change workflow files"), "{printed}");
}
