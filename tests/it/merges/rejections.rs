//! Merges that are rejected, and that change nothing then.

use serde_json::json;

use super::*;

/// The status and the message, after a check that nothing has changed.
async fn rejected(fixture: &PullRequestFixture, body: Value) -> (u16, String) {
    fixture.service.settled().await;
    let (before, main) = (pull(fixture).await, tip(fixture, "main").await);
    let response = merge(fixture, body).await;
    fixture.service.settled().await;
    assert_eq!((pull(fixture).await, tip(fixture, "main").await), (before, main));
    (response.status, response.message())
}

#[tokio::test]
async fn conflicts_are_not_merged_by_any_method() {
    let (fixture, _) = diverged(CONFLICTING_FILE).await;
    for (method, message) in [
        ("merge", "Pull Request is not mergeable"),
        ("squash", "Pull Request is not mergeable"),
        ("rebase", "This branch can't be rebased"),
    ] {
        let body = json!({ "merge_method": method });
        assert_eq!(rejected(&fixture, body).await, (405, message.to_owned()), "{method}");
    }
}

#[tokio::test]
async fn head_guard_rejects_another_head_and_accepts_the_current_one() {
    let fixture = ahead().await;
    let message = "Head branch was modified. Review and try the merge again.";
    for sha in [fixture.base.as_str(), "x", ""] {
        assert_eq!(rejected(&fixture, json!({ "sha": sha })).await, (409, message.to_owned()), "{sha}");
    }
    merge(&fixture, json!({ "sha": fixture.head })).await.expect(200);
}

#[tokio::test]
async fn closed_and_merged_pull_requests_are_not_merged() {
    let fixture = ahead().await;
    fixture.user("mona").patch(PULL, json!({ "state": "closed" })).await.expect(200);
    assert_eq!(rejected(&fixture, json!({})).await, (405, "Pull Request is not mergeable".to_owned()));
    fixture.user("mona").patch(PULL, json!({ "state": "open" })).await.expect(200);
    fixture.service.settled().await;
    merge(&fixture, json!({})).await.expect(200);
    assert_eq!(rejected(&fixture, json!({})).await, (405, "Pull Request is not mergeable".to_owned()));
}

#[tokio::test]
async fn draft_is_not_merged() {
    let fixture = ahead().await;
    let draft = fixture.commit_on(&fixture.base, &[("other", Some("1\n"))]);
    fixture.bring_objects().await;
    let branch = json!({ "ref": "refs/heads/draft", "sha": draft });
    fixture.user("mona").post(&format!("{ROCKET}/git/refs"), branch).await.expect(201);
    let body = json!({ "title": "Draft", "head": "draft", "base": "main", "draft": true });
    fixture.user("mona").post(&format!("{ROCKET}/pulls"), body).await.expect(201);
    let response = fixture.user("mona").send(Method::PUT, &format!("{ROCKET}/pulls/2/merge"), "").await;
    assert_eq!((response.status, response.message()), (405, "Pull Request is still a draft".to_owned()));
}

#[tokio::test]
async fn unknown_method_and_missing_pull_request_are_rejected() {
    let fixture = ahead().await;
    let (status, message) = rejected(&fixture, json!({ "merge_method": "octopus" })).await;
    assert_eq!(status, 422);
    assert!(message.contains("octopus is not a member of [\"merge\", \"squash\", \"rebase\"]"), "{message}");
    fixture.user("hubot").send(Method::PUT, &format!("{ROCKET}/pulls/9/merge"), "").await.expect(404);
}

#[tokio::test]
async fn merge_requires_write_access() {
    let fixture = ahead().await;
    for (login, status) in [("guest", 403), ("stranger", 403)] {
        let response = fixture.user(login).send(Method::PUT, MERGE, "").await;
        assert_eq!(response.status, status, "{login}: {response}");
    }
    fixture.service.anonymous().send(Method::PUT, MERGE, "").await.expect(401);
    assert_eq!(outcome(&pull(&fixture).await)[1], false);
}

#[tokio::test]
async fn merge_of_new_workflow_files_requires_the_right_to_change_them() {
    let fixture = ahead().await;
    let next = fixture.commit_on(&fixture.head, &[(".github/workflows/ci.yml", Some("on: push\n"))]);
    fixture.push("feature", &next).await;
    // The token of hubot lacks the scope `workflow`.
    assert_eq!(merge(&fixture, json!({})).await.status, 403);
    assert_eq!(tip(&fixture, "main").await, fixture.base);
    fixture.user("mona").send(Method::PUT, MERGE, "").await.expect(200);
}
