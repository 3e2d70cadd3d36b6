//! Unreachable objects are removed from all servers, and nothing that anybody needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plinth_core::objects::shared::Removals;
use serde_json::{Value, json};

use super::in_process::{Node, ROCKET, ROCKET_ID, Shared};
use super::{Nodes, clone, commit, get, git, remote, send, tip};
use crate::process::owners::succeed;

const DAY: i64 = 24 * 60 * 60;

/// Creates an object that nothing refers to; returns its name, or the status.
async fn create(node: &Node, kind: &str, body: Value) -> Result<String, u16> {
    let response = node.client().post(&format!("{ROCKET}/git/{kind}"), body).await;
    match response.status {
        201 => Ok(response.json()["sha"].as_str().expect("a name").to_owned()),
        status => Err(status),
    }
}

fn tree_of(blob: &str) -> Value {
    json!({ "tree": [{ "path": "file", "mode": "100644", "type": "blob", "sha": blob }] })
}

async fn commit_of(node: &Node, content: &str) -> Result<String, u16> {
    let blob = create(node, "blobs", json!({ "content": content })).await?;
    let tree = create(node, "trees", tree_of(&blob)).await?;
    create(node, "commits", json!({ "message": content, "tree": tree })).await
}

async fn create_ref(node: &Node, name: &str, sha: &str) -> u16 {
    let body = json!({ "ref": format!("refs/heads/{name}"), "sha": sha });
    node.client().post(&format!("{ROCKET}/git/refs"), body).await.status
}

#[tokio::test]
async fn old_unreachable_objects_are_removed_and_others_stay() {
    let shared = Shared::new().await;
    let (a, b) = (shared.node("a", u64::MAX).await, shared.node("b", u64::MAX).await);
    let garbage = a.pack_blob("garbage").await;
    let kept = commit_of(&b, "kept").await.expect("it is created");
    assert_eq!(create_ref(&b, "kept", &kept).await, 201);
    // The head of a pull request whose branch is gone, and whose commit is therefore only in its version.
    let pulled = commit_of(&a, "pulled").await.expect("it is created");
    let main =
        a.client().get(&format!("{ROCKET}/git/ref/heads/main")).await.expect(200).json()["object"]["sha"].clone();
    let body = json!({ "message": "pulled", "tree": tree_in(&a, &pulled).await, "parents": [main] });
    let pulled = create(&a, "commits", body).await.expect("it is created");
    assert_eq!(create_ref(&a, "pulled", &pulled).await, 201);
    let pull = json!({ "title": "t", "head": "pulled", "base": "main" });
    a.client().post(&format!("{ROCKET}/pulls"), pull).await.expect(201);
    a.client().delete(&format!("{ROCKET}/git/refs/heads/pulled")).await.expect(204);
    a.app.objects.flush(ROCKET_ID).await.expect("they become packs");
    assert!(b.has(&garbage).await);
    shared.clock.advance(13 * DAY);
    let young = a.pack_blob("young").await;
    a.maintain_by_default().await;
    assert!(shared.node("early", u64::MAX).await.has(&garbage).await, "it is too young");
    shared.clock.advance(2 * DAY);
    a.maintain_by_default().await;
    let c = shared.node("c", u64::MAX).await;
    assert!(!a.has(&garbage).await && !c.has(&garbage).await);
    for node in [&a, &b, &c] {
        assert!(node.has(&young).await);
        for sha in [&kept, &pulled] {
            node.client().get(&format!("{ROCKET}/git/commits/{sha}")).await.expect(200);
        }
        node.client().get(&format!("{ROCKET}/pulls/1/files")).await.expect(200);
    }
    // The files stay for a day.
    assert_eq!(a.packs.delete_removed(Removals::default()).await.expect("it can be listed"), 0);
    shared.clock.advance(DAY + 1);
    assert!(a.packs.delete_removed(Removals::default()).await.expect("they can be deleted") > 0);
    a.maintain_by_default().await;
    assert!(shared.node("d", u64::MAX).await.has(&young).await);
}

async fn tree_in(node: &Node, commit: &str) -> Value {
    let path = format!("{ROCKET}/git/commits/{commit}");
    node.client().get(&path).await.expect(200).json()["tree"]["sha"].clone()
}

#[tokio::test]
async fn operation_that_relies_on_an_object_fails_if_another_server_removes_it() {
    let shared = Shared::new().await;
    let (a, b) = (shared.node("a", u64::MAX).await, shared.node("b", u64::MAX).await);
    let garbage = commit_of(&a, "garbage").await.expect("it is created");
    a.app.objects.flush(ROCKET_ID).await.expect("it becomes a pack");
    assert_eq!(b.client().get(&format!("{ROCKET}/git/commits/{garbage}")).await.status, 200);
    // An operation on b has found the commit, and has not committed yet.
    let relying = b.app.objects.prevent_removal(ROCKET_ID).await.expect("nobody removes anything");
    assert!(a.purge().await.expect("it is not busy"));
    assert_eq!(create_ref(&b, "late", &garbage).await, 503, "it is still on the disk of b");
    drop(relying);
    assert_eq!(create_ref(&b, "late", &garbage).await, 422, "b has forgotten it");
    assert_eq!(create_ref(&a, "late", &garbage).await, 422);
    let other = commit_of(&b, "other").await.expect("b works on");
    assert_eq!(create_ref(&b, "other", &other).await, 201);
    a.purge().await.expect("it is not busy");
    assert_eq!(a.client().get(&format!("{ROCKET}/git/commits/{other}")).await.status, 200);
}

/// One server removes what is unreachable all the time, while others create objects and refer to them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_that_became_reachable_is_removed() {
    let shared = Shared::new().await;
    let a = Arc::new(shared.node("a", u64::MAX).await);
    let nodes = [("b", shared.node("b", u64::MAX).await), ("c", shared.node("c", u64::MAX).await)];
    let ended = Arc::new(AtomicBool::new(false));
    let purging = tokio::spawn({
        let (a, ended) = (a.clone(), ended.clone());
        async move {
            let mut removed = 0;
            while !ended.load(Ordering::Relaxed) {
                // A repository that is too busy is tried again.
                removed += u32::from(a.purge().await.unwrap_or_default());
            }
            removed
        }
    });
    let writers = nodes.map(|(name, node)| tokio::spawn(write_commits(node, name)));
    let mut refs = Vec::new();
    for writer in writers {
        refs.extend(writer.await.expect("a writer ends"));
    }
    ended.store(true, Ordering::Relaxed);
    let removed = purging.await.expect("purging ends");
    assert!(!refs.is_empty() && removed > 0, "{} refs, {removed} collections", refs.len());
    let last = shared.node("last", u64::MAX).await;
    for node in [&*a, &last] {
        for (name, sha) in &refs {
            let found = node.client().get(&format!("{ROCKET}/git/ref/heads/{name}")).await.expect(200);
            assert_eq!(found.json()["object"]["sha"], sha.as_str());
            let tree = tree_in(node, sha).await;
            let tree = node.client().get(&format!("{ROCKET}/git/trees/{}", tree.as_str().expect("a name"))).await;
            let blob = tree.expect(200).json()["tree"][0]["sha"].as_str().expect("a name").to_owned();
            assert!(node.has(&blob).await, "{name}");
        }
    }
}

/// Creates commits step by step, with pauses in which a step may be collected. Returns those that got a ref.
async fn write_commits(node: Node, name: &'static str) -> Vec<(String, String)> {
    let mut refs = Vec::new();
    for number in 0..25 {
        let branch = format!("{name}-{number}");
        let Ok(sha) = commit_of(&node, &branch).await else { continue };
        if number % 3 == 0 {
            node.app.objects.flush(ROCKET_ID).await.ok();
        }
        match create_ref(&node, &branch, &sha).await {
            201 => refs.push((branch, sha)),
            // It was removed before it got a ref, or the operation relied on what was just removed.
            422 | 503 => {}
            other => panic!("{other}"),
        }
    }
    refs
}

#[test]
fn purge_removes_what_was_pushed_by_mistake_from_all_servers() {
    let Some(nodes) = Nodes::new() else { return };
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    let work = clone(&a, &nodes.of("work"));
    let secret = commit(&work, "secret", "hunter2");
    git(&work, &["push", "--quiet", &remote(&a), "HEAD:refs/heads/mistake"]);
    assert_eq!(tip(&b, "mistake"), secret);
    assert_eq!(get(&b, &format!("/repos/mona/rocket/git/commits/{secret}"))["sha"], secret.as_str());
    let deleted = send(&b, "DELETE", "/repos/mona/rocket/git/refs/heads/mistake", &json!(null));
    assert_eq!(deleted.status(), 204, "{deleted:?}");
    // Through the server on this disk, and without one.
    assert!(succeed(nodes.run("b", &["repo", "purge", "mona/rocket"])).contains("removed unreachable objects"));
    assert!(succeed(nodes.run("elsewhere", &["repo", "purge", "mona/rocket"])).contains("nothing to remove"));
    let c = nodes.start("c");
    for server in [&b, &c] {
        assert_eq!(server.get(&format!("/repos/mona/rocket/git/commits/{secret}")).status(), 404);
    }
    // A push to a server that has not noticed fails, or brings the objects with it.
    let next = commit(&work, "file", "after it");
    git(&work, &["push", "--quiet", &remote(&c), "HEAD:refs/heads/next-to-it"]);
    assert_eq!(tip(&a, "next-to-it"), next);
    for (server, name) in [(&a, "from-a"), (&b, "from-b"), (&c, "from-c")] {
        git(&clone(server, &nodes.of(name)), &["fsck", "--strict"]);
    }
    succeed(nodes.run("checking", &["verify"]));
}
