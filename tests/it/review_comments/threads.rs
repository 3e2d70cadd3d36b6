//! Replies, edits, deletions, and who may do what.

use serde_json::{Value, json};

use super::fixture;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};
use crate::support::wait::wait_until_async;

async fn root(fixture: &PullRequestFixture) -> Value {
    fixture.comment_as("guest", json!({ "line": 5, "start_line": 3, "start_side": "RIGHT" })).await.expect(201).json()
}

async fn reply(fixture: &PullRequestFixture, login: &str, id: &Value) -> Value {
    let path = format!("{COMMENTS}/{id}/replies");
    fixture.user(login).post(&path, json!({ "body": "Same here" })).await.expect(201).json()
}

#[tokio::test]
async fn reply_has_position_of_its_root_and_its_own_review() {
    let fixture = fixture().await;
    let root = root(&fixture).await;
    let reply = reply(&fixture, "reader", &root["id"]).await;
    assert_eq!(reply["in_reply_to_id"], root["id"]);
    assert!(root.get("in_reply_to_id").is_none(), "a root has no such key");
    assert_ne!(reply["pull_request_review_id"], root["pull_request_review_id"]);
    for field in [
        "path",
        "diff_hunk",
        "position",
        "original_position",
        "line",
        "original_line",
        "start_line",
        "original_start_line",
        "side",
        "start_side",
        "commit_id",
        "original_commit_id",
        "subject_type",
    ] {
        assert_eq!(reply[field], root[field], "{field}");
    }
    let body = json!({ "body": "As well", "in_reply_to": root["id"], "path": 7, "line": "x" });
    let other = fixture.user("mona").post(COMMENTS, body).await.expect(201);
    assert_eq!(other.json()["in_reply_to_id"], root["id"], "everything else is ignored");
}

#[tokio::test]
async fn create_comment_rejects_reply_to_reply() {
    let fixture = fixture().await;
    let root = root(&fixture).await;
    let first = reply(&fixture, "mona", &root["id"]).await;
    let path = format!("{COMMENTS}/{}/replies", first["id"]);
    let response = fixture.user("mona").post(&path, json!({ "body": "No" })).await.expect(422);
    assert_eq!(
        response.message(),
        "Replies to replies are not supported: reply to the top-level comment of the thread."
    );
    let body = json!({ "body": "No", "in_reply_to": first["id"] });
    fixture.user("mona").post(COMMENTS, body).await.expect(422);
    for (path, body) in [
        (format!("{COMMENTS}/999/replies"), json!({ "body": "x" })),
        (format!("{COMMENTS}/x/replies"), json!({ "body": "x" })),
        (COMMENTS.to_owned(), json!({ "body": "x", "in_reply_to": 999 })),
    ] {
        fixture.user("mona").post(&path, body).await.expect(404);
    }
    fixture.user("mona").post(&format!("{COMMENTS}/{}/replies", root["id"]), json!({ "body": "" })).await.expect(422);
    fixture.user("mona").post(&format!("{COMMENTS}/{}/replies", root["id"]), json!({})).await.expect(422);
}

#[tokio::test]
async fn delete_root_comment_keeps_replies() {
    let fixture = fixture().await;
    let root = root(&fixture).await;
    let reply = reply(&fixture, "mona", &root["id"]).await;
    let path = format!("/repos/acme/rocket/pulls/comments/{}", root["id"]);
    fixture.user("guest").delete(&path).await.expect(204);
    fixture.user("guest").delete(&path).await.expect(404);
    fixture.user("guest").get(&path).await.expect(404);
    let left = fixture.get(&reply["id"]).await;
    assert!(left.get("in_reply_to_id").is_none());
    assert_eq!((&left["line"], &left["diff_hunk"]), (&reply["line"], &reply["diff_hunk"]));
    let reviews = fixture.user("mona").get("/repos/acme/rocket/pulls/1/reviews").await.json();
    assert_eq!(reviews.as_array().expect("a list").len(), 1, "a review that only carried the comment is gone");
}

#[tokio::test]
async fn update_comment_changes_only_body_and_updated_at() {
    let fixture = fixture().await;
    let comment = root(&fixture).await;
    fixture.service.advance(60);
    let path = format!("/repos/acme/rocket/pulls/comments/{}", comment["id"]);
    let edited = fixture.user("guest").patch(&path, json!({ "body": "Better" })).await.expect(200).json();
    for (field, value) in comment.as_object().expect("an object") {
        match field.as_str() {
            "body" => assert_eq!(edited["body"], "Better"),
            "updated_at" => assert_ne!(&edited[field], value),
            _ => assert_eq!(&edited[field], value, "{field}"),
        }
    }
    fixture.user("guest").patch(&path, json!({ "body": " " })).await.expect(422);
    fixture.user("guest").patch(&path, json!({})).await.expect(422);
}

#[tokio::test]
async fn only_author_and_pushers_update_and_delete_comment() {
    let fixture = fixture().await;
    let comment = root(&fixture).await;
    let path = format!("/repos/acme/rocket/pulls/comments/{}", comment["id"]);
    let rejected = fixture.user("reader").patch(&path, json!({ "body": "Mine now" })).await.expect(403);
    assert_eq!(rejected.message(), "Must have push access to repository");
    fixture.user("reader").delete(&path).await.expect(403);
    fixture.service.anonymous().delete(&path).await.expect(401);
    fixture.user("hubot").patch(&path, json!({ "body": "By a collaborator" })).await.expect(200);
    fixture.user("mona").delete(&path).await.expect(204);
}

#[tokio::test]
async fn comment_of_other_repository_or_pull_request_returns_404() {
    let fixture = fixture().await;
    let comment = root(&fixture).await;
    let id = &comment["id"];
    let elsewhere = format!("/repos/acme/other/pulls/comments/{id}");
    let mona = fixture.user("mona");
    let absent = mona.get("/repos/acme/other/pulls/comments/999").await.expect(404);
    assert_eq!(mona.get(&elsewhere).await.expect(404).body, absent.body);
    mona.patch(&elsewhere, json!({ "body": "x" })).await.expect(404);
    mona.delete(&elsewhere).await.expect(404);
    let reply = json!({ "body": "x" });
    mona.post(&format!("/repos/acme/other/pulls/1/comments/{id}/replies"), reply.clone()).await.expect(404);
    let response = json!({ "body": "x", "in_reply_to": id });
    mona.post("/repos/acme/other/pulls/1/comments", response).await.expect(404);
    assert_eq!(mona.get("/repos/acme/other/pulls/comments").await.expect(200).json(), json!([]));
    // A comment is not found under another pull request of the same repository either.
    fixture.bring_objects().await;
    let branch = json!({ "ref": "refs/heads/second", "sha": fixture.head });
    mona.post("/repos/acme/rocket/git/refs", branch).await.expect(201);
    let second = json!({ "title": "Second", "head": "second", "base": "main" });
    mona.post("/repos/acme/rocket/pulls", second).await.expect(201);
    mona.post(&format!("/repos/acme/rocket/pulls/2/comments/{id}/replies"), reply).await.expect(404);
    assert_eq!(mona.get("/repos/acme/rocket/pulls/2/comments").await.expect(200).json(), json!([]));
}

#[tokio::test]
async fn comment_shows_author_association() {
    let fixture = fixture().await;
    for (login, association) in [("mona", "MEMBER"), ("hubot", "COLLABORATOR"), ("guest", "NONE"), ("reader", "NONE")] {
        let comment = fixture.comment_as(login, json!({ "line": 3 })).await.expect(201).json();
        assert_eq!(comment["author_association"], association, "{login}");
    }
    // The author of a commit on the default branch is a contributor.
    fixture.work.git(&["checkout", "-q", "--detach", &fixture.base]);
    fixture.work.write("more", Some("more\n"));
    fixture.work.commit("guest");
    // A user without an e-mail address has a generated one, which commits made here carry.
    let author = "--author=reader <reader@users.noreply.localhost>";
    fixture.work.git(&["commit", "-q", "--allow-empty", "-m", "next", author]);
    let pushed = fixture.work.commit("mona");
    fixture.push("main", &pushed).await;
    for id in [3, 4] {
        let is_contributor = async || fixture.get(&json!(id)).await["author_association"] == "CONTRIBUTOR";
        wait_until_async("the author of the comment is a contributor", is_contributor).await;
    }
}

#[tokio::test]
async fn repeated_or_excessive_comments_are_rejected_as_spam() {
    let mut settings = plinth_api::settings::Settings::default();
    settings.rate_limits.same_content_per_minute = 2;
    settings.rate_limits.content_per_minute = 6;
    let fixture = PullRequestFixture::with_settings(&[("file", "1\n")], &[("file", Some("2\n"))], Some(settings)).await;
    let root = fixture.comment_as("guest", json!({ "line": 1 })).await.expect(201).json();
    fixture.comment_as("guest", json!({ "line": 1 })).await.expect(201);
    let spam = fixture.comment_as("guest", json!({ "line": 1 })).await.expect(422);
    assert!(spam.message().contains("the endpoint has been spammed"), "{}", spam.message());
    let replies = format!("{COMMENTS}/{}/replies", root["id"]);
    for number in 0..3 {
        fixture.user("guest").post(&replies, json!({ "body": number.to_string() })).await.expect(201);
    }
    let limited = fixture.user("guest").post(&replies, json!({ "body": "once more" })).await.expect(403);
    assert!(limited.message().contains("secondary rate limit"));
    assert_eq!(limited.header("retry-after"), Some("60"));
    let listed = fixture.user("mona").get(COMMENTS).await.json();
    assert_eq!(listed.as_array().expect("a list").len(), 5);
}

#[tokio::test]
async fn write_on_public_repository_requires_write_permission() {
    let fixture = fixture().await;
    let root = root(&fixture).await;
    fixture
        .service
        .apply(
            "tokens:\n\
             - { kind: fine_grained, user: mona, owner: acme, repositories: all, permissions: { pull_requests: read, contents: write }, token: github_pat_read }\n\
             - { kind: fine_grained, user: mona, owner: acme, repositories: all, permissions: { pull_requests: write }, token: github_pat_write }\n",
        )
        .await;
    let (reading, writing) =
        (fixture.service.with_token("github_pat_read"), fixture.service.with_token("github_pat_write"));
    let (replies, one) =
        (format!("{COMMENTS}/{}/replies", root["id"]), format!("/repos/acme/rocket/pulls/comments/{}", root["id"]));
    let body = json!({ "body": "x", "path": "file", "line": 3, "commit_id": fixture.head });
    reading.get(&one).await.expect(200);
    for (path, body) in [(COMMENTS, body.clone()), (&replies, json!({ "body": "x" }))] {
        reading.post(path, body).await.expect(403);
    }
    reading.patch(&one, json!({ "body": "x" })).await.expect(403);
    reading.delete(&one).await.expect(403);
    writing.post(COMMENTS, body).await.expect(201);
    writing.post(&replies, json!({ "body": "x" })).await.expect(201);
    writing.delete(&one).await.expect(204);
}

#[tokio::test]
async fn missing_resource_is_reported_before_invalid_body() {
    let fixture = fixture().await;
    let mona = fixture.user("mona");
    for path in [
        "/repos/acme/rocket/pulls/9/comments",
        "/repos/acme/rocket/pulls/1/comments/9/replies",
        "/repos/acme/rocket/pulls/9/reviews",
    ] {
        mona.post(path, json!({})).await.expect(404);
    }
    mona.patch("/repos/acme/rocket/pulls/comments/9", json!({})).await.expect(404);
}
