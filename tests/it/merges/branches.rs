//! Merges of branches, and updates of the head of a pull request.

use serde_json::json;

use super::*;

const UPDATE: &str = "/repos/acme/rocket/pulls/1/update-branch";

async fn merge_branches(fixture: &PullRequestFixture, body: Value) -> Response {
    fixture.user("hubot").post(&format!("{ROCKET}/merges"), body).await
}

#[tokio::test]
async fn merge_branch_makes_a_commit_and_merges_the_pull_request() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let made = merge_branches(&fixture, json!({ "base": "main", "head": "feature" })).await.expect(201);
    let sha = tip(&fixture, "main").await;
    let shown = made.json();
    assert_eq!((&shown["sha"], &shown["commit"]["message"]), (&json!(sha), &json!("Merge feature into main")));
    assert_eq!(
        (parents(&shown), &shown["author"]["login"]),
        (vec![base.as_str(), fixture.head.as_str()], &json!("hubot"))
    );
    assert_eq!(made.header("location"), shown["url"].as_str());
    assert_eq!(file(&fixture, &sha).await, MERGED_FILE);
    let nothing = merge_branches(&fixture, json!({ "base": "main", "head": "feature" })).await;
    assert_eq!((nothing.status, tip(&fixture, "main").await), (204, sha));
}

#[tokio::test]
async fn merge_branch_accepts_a_commit_and_a_message() {
    let (fixture, _) = diverged(BASE_FILE).await;
    let body = json!({ "base": "main", "head": fixture.head, "commit_message": "By id" });
    let made = merge_branches(&fixture, body).await.expect(201).json();
    assert_eq!(made["commit"]["message"], "By id");
}

#[tokio::test]
async fn merge_branch_reports_conflicts_and_missing_branches() {
    let (fixture, base) = diverged(CONFLICTING_FILE).await;
    for (body, status, message) in [
        (json!({ "base": "main", "head": "feature" }), 409, "Merge conflict"),
        (json!({ "base": "nothing", "head": "feature" }), 404, "Base does not exist"),
        (json!({ "base": "..", "head": "feature" }), 404, "Base does not exist"),
        (json!({ "base": "main", "head": "nothing" }), 404, "Head does not exist"),
        (json!({ "base": "main", "head": "0".repeat(40) }), 404, "Head does not exist"),
    ] {
        let response = merge_branches(&fixture, body.clone()).await;
        assert_eq!((response.status, response.message()), (status, message.to_owned()), "{body}");
    }
    assert_eq!(tip(&fixture, "main").await, base);
    fixture
        .user("guest")
        .post(&format!("{ROCKET}/merges"), json!({ "base": "main", "head": "feature" }))
        .await
        .expect(403);
}

#[tokio::test]
async fn update_branch_merges_the_base_into_the_head() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let body = json!({ "expected_head_sha": fixture.head }).to_string();
    let updated = fixture.user("hubot").send(Method::PUT, UPDATE, body).await.expect(202).json();
    let url = format!("http://plinth.test{PULL}");
    assert_eq!(updated, json!({ "message": "Updating pull request branch.", "url": url }));
    let sha = tip(&fixture, "feature").await;
    let made = commit(&fixture, &sha).await;
    assert_eq!(parents(&made), [fixture.head.as_str(), base.as_str()]);
    assert_eq!(made["message"], "Merge branch 'main' into feature");
    assert_eq!(file(&fixture, &sha).await, MERGED_FILE);
    assert_eq!(pull(&fixture).await["head"]["sha"], json!(sha));
    let nothing = fixture.user("hubot").send(Method::PUT, UPDATE, "").await.expect(422);
    assert_eq!(nothing.message(), "There are no new commits on the base branch.");
}

#[tokio::test]
async fn update_branch_rejects_another_head_conflicts_and_closed_pull_requests() {
    let (fixture, base) = diverged(CONFLICTING_FILE).await;
    let update = async |body: Value| {
        let response = fixture.user("hubot").send(Method::PUT, UPDATE, body.to_string()).await;
        (response.status, response.message())
    };
    let other = update(json!({ "expected_head_sha": base })).await;
    assert_eq!(other, (422, "expected head sha didn’t match current head ref.".to_owned()));
    assert_eq!(update(json!({})).await, (422, "merge conflict between base and head".to_owned()));
    fixture.user("mona").patch(PULL, json!({ "state": "closed" })).await.expect(200);
    assert_eq!(update(json!({})).await.0, 422);
    assert_eq!(tip(&fixture, "feature").await, fixture.head);
    fixture.user("guest").send(Method::PUT, UPDATE, "").await.expect(403);
}
