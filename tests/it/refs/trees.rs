//! Trees: the rules of their entries, the empty tree, and how much of a tree is listed.

use expect_test::expect;
use serde_json::{Value, json};

use super::{GIT, git, hubot, mona, rocket, sha_of, text};
use plinth_base::ids::RepoId;

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

#[tokio::test]
async fn create_tree_rejects_entries_that_git_cannot_have() {
    let service = rocket().await;
    let tree = text(&mona(&service).get(&format!("{GIT}/trees/main")).await.json()["sha"]);
    let content = json!({ "content": "x" });
    let blob = text(&hubot(&service).post(&format!("{GIT}/blobs"), content).await.expect(201).json()["sha"]);
    let mut seen = String::new();
    for entry in [
        json!({ "path": "a", "mode": "160000", "type": "commit", "sha": "0".repeat(40) }),
        json!({ "path": "a", "mode": "160000", "type": "commit", "content": "1".repeat(40) }),
        json!({ "path": "a", "mode": "160000", "type": "commit", "sha": "1".repeat(40), "content": "" }),
        json!({ "path": "a", "mode": "160000", "type": "commit", "sha": "5" }),
        json!({ "path": "a", "mode": "040000", "type": "blob", "sha": blob }),
        json!({ "path": "a", "mode": "120000", "type": "tree", "sha": tree }),
        json!({ "path": "a", "mode": "100644", "type": "commit", "sha": blob }),
        json!({ "path": "a", "mode": "160000", "type": "blob", "sha": blob }),
        json!({ "path": "a", "mode": "100644", "type": "tree", "content": "" }),
        json!({ "path": "a", "mode": "120000", "type": "tree", "sha": blob }),
        json!({ "path": "a", "mode": "040000", "type": "blob", "sha": tree }),
        json!({ "path": "a", "mode": "100644", "type": "blob", "sha": "1".repeat(40) }),
        json!({ "path": "a", "mode": "040000", "type": "blob", "content": "" }),
        json!({ "path": "a", "mode": "040000", "type": "blob", "content": null }),
        json!({ "path": "/a", "mode": "100644", "type": "blob", "content": "" }),
        json!({ "path": "a//b", "mode": "100644", "type": "blob", "content": "" }),
        json!({ "path": "nowhere/a", "mode": "100644", "type": "blob", "sha": null }),
    ] {
        let response =
            hubot(&service).post(&format!("{GIT}/trees"), json!({ "base_tree": tree, "tree": [entry] })).await;
        seen += &format!("{} {}\n", response.status, response.message());
    }
    expect![[r#"
        422 GitRPC::BadObjectState
        422 GitRPC::BadObjectState
        422 Must supply either tree.sha or tree.content. Request will be rejected if both are present.
        422 tree.sha 5 is not a valid commit
        422 GitRPC::BadObjectState
        422 GitRPC::BadObjectState
        422 GitRPC::BadObjectState
        422 GitRPC::BadObjectState
        422 GitRPC::BadObjectState
        422 tree.sha c1b0730e0133447badcfd47fd144e254807b06e1 is not a valid tree
        422 tree.sha 8752898f48d40f13d4cc175784f279ee7d13d2e3 is not a valid blob
        422 tree.sha 1111111111111111111111111111111111111111 is not a valid blob
        422 A subdirectory may not have content
        422 Must supply either tree.sha or tree.content. Request will be rejected if both are present.
        422 tree.path cannot start with a slash
        422 tree.path contains a malformed path component
        422 GitRPC::BadObjectState
    "#]]
    .assert_eq(&seen);
    let submodule = json!({ "path": "a", "mode": "160000", "type": "commit", "sha": "1".repeat(40) });
    let created = hubot(&service).post(&format!("{GIT}/trees"), json!({ "tree": [submodule] })).await.expect(201);
    assert_eq!(created.json()["tree"][0]["sha"], "1".repeat(40));
}

#[tokio::test]
async fn empty_tree_exists_in_every_repository_with_commits() {
    let service = rocket().await;
    let empty = mona(&service).get(&format!("{GIT}/trees/{EMPTY_TREE}")).await.expect(200).json();
    assert_eq!((&empty["sha"], &empty["tree"]), (&json!(EMPTY_TREE), &json!([])));
    let response = mona(&service).get(&format!("/repos/acme/empty/git/trees/{EMPTY_TREE}")).await;
    assert_eq!((response.status, response.message().as_str()), (409, "Git Repository is empty."));
    let entry = json!({ "path": "a", "mode": "100644", "content": "a" });
    let body = json!({ "base_tree": EMPTY_TREE, "tree": [entry] });
    hubot(&service).post(&format!("{GIT}/trees"), body).await.expect(201);
    let body = json!({ "message": "nothing", "tree": EMPTY_TREE });
    let commit = hubot(&service).post(&format!("{GIT}/commits"), body).await.expect(201);
    assert_eq!(commit.json()["tree"]["sha"], EMPTY_TREE);
    let sha = text(&commit.json()["sha"]);
    let body = json!({ "ref": "refs/heads/nothing", "sha": sha });
    hubot(&service).post(&format!("{GIT}/refs"), body).await.expect(201);
    service.app.objects.flush(RepoId(1)).await.expect("flushes");
    let (good, complaint) = git(&service, 1, &["fsck", "--strict", "--no-dangling", &sha]);
    assert!(good, "{complaint}");
}

#[tokio::test]
async fn get_tree_recurses_for_any_value_of_recursive() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    for (query, count) in [("", 2), ("?recursive", 2), ("?recursive=", 3), ("?recursive=0", 3), ("?recursive=false", 3)]
    {
        let listed = mona(&service).get(&format!("{GIT}/trees/{main}{query}")).await.expect(200).json();
        assert_eq!(listed["tree"].as_array().map(Vec::<Value>::len), Some(count), "{query}");
    }
}
