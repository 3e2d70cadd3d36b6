//! Workflow files run with the rights of the repository, so adding them requires a separate right.

use serde_json::json;

use super::{GIT, first_commit, hubot, mona, rocket, sha_of, text};
use crate::support::Service;

/// A commit on top of `parent` that has a workflow file with this content.
async fn workflow_on(service: &Service, parent: &str, content: &str) -> String {
    let base = mona(service).get(&format!("{GIT}/commits/{parent}")).await.expect(200).json();
    let entry = json!({ "path": ".github/workflows/ci.yml", "mode": "100644", "content": content });
    let body = json!({ "base_tree": base["tree"]["sha"], "tree": [entry] });
    let tree = mona(service).post(&format!("{GIT}/trees"), body).await.expect(201).json();
    let body = json!({ "message": "workflow", "tree": tree["sha"], "parents": [parent] });
    text(&mona(service).post(&format!("{GIT}/commits"), body).await.expect(201).json()["sha"])
}

#[tokio::test]
async fn ref_with_workflow_files_requires_workflow_permission() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let commit = workflow_on(&service, &main, "on: push\n").await;
    let with = |token: &str| service.with_token(token);
    for (token, text) in [
        ("ghp_hubothubot", "Resource not accessible by personal access token"),
        ("github_pat_contents", "Resource not accessible by personal access token"),
    ] {
        for force in [false, true] {
            let moved = with(token)
                .patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": commit, "force": force }))
                .await
                .expect(403);
            assert_eq!(moved.message(), text);
        }
        let body = json!({ "ref": "refs/heads/ci", "sha": commit });
        with(token).post(&format!("{GIT}/refs"), body).await.expect(403);
        let body = json!({ "ref": "refs/tags/ci", "sha": commit });
        with(token).post(&format!("{GIT}/refs"), body).await.expect(403);
    }
    assert_eq!(sha_of(&service, "heads/main").await, main);
    with("github_pat_workflows")
        .post(&format!("{GIT}/refs"), json!({ "ref": "refs/heads/ci", "sha": commit }))
        .await
        .expect(201);
    mona(&service).patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": commit })).await.expect(200);
}

#[tokio::test]
async fn workflow_files_of_default_branch_need_no_permission() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let one = workflow_on(&service, &main, "on: push\n").await;
    let two = workflow_on(&service, &one, "on: pull_request\n").await;
    mona(&service).patch(&format!("{GIT}/refs/heads/main"), json!({ "sha": two })).await.expect(200);
    let client = hubot(&service);
    client.post(&format!("{GIT}/refs"), json!({ "ref": "refs/heads/old", "sha": one })).await.expect(201);
    client.post(&format!("{GIT}/refs"), json!({ "ref": "refs/heads/new", "sha": two })).await.expect(201);
    client.patch(&format!("{GIT}/refs/heads/old"), json!({ "sha": two })).await.expect(200);
    let first = first_commit(&service).await;
    client.post(&format!("{GIT}/refs"), json!({ "ref": "refs/heads/before", "sha": first })).await.expect(201);
    let three = workflow_on(&service, &two, "on: schedule\n").await;
    client.patch(&format!("{GIT}/refs/heads/new"), json!({ "sha": three })).await.expect(403);
}

#[tokio::test]
async fn refs_require_contents_permission() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let reader = service.with_token("github_pat_reader");
    reader.get(&format!("{GIT}/ref/heads/main")).await.expect(200);
    let body = json!({ "ref": "refs/heads/x", "sha": main });
    let rejected = reader.post(&format!("{GIT}/refs"), body.clone()).await.expect(403);
    assert_eq!(
        rejected.header("x-accepted-github-permissions"),
        Some("contents=write; contents=write,workflows=write")
    );
    reader.delete(&format!("{GIT}/refs/tags/v1")).await.expect(403);
    service.with_token("ghp_guestguest").post(&format!("{GIT}/refs"), body.clone()).await.expect(403);
    service.anonymous().post(&format!("{GIT}/refs"), body).await.expect(401);
    service.anonymous().get("/repos/acme/hidden/git/matching-refs/").await.expect(404);
    service.with_token("ghp_guestguest").get("/repos/acme/hidden/git/ref/heads/main").await.expect(404);
}
