//! Reviews: comments that are submitted together.

use serde_json::{Value, json};

use crate::support::pull_request::{COMMENTS, PullRequestFixture};

const REVIEWS: &str = "/repos/acme/rocket/pulls/1/reviews";

async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("file", "1\n2\n3\n")], &[("file", Some("1\ntwo\n3\n"))]).await
}

fn drafts() -> Value {
    json!([{ "path": "file", "line": 2, "body": "one @reader" }, { "path": "file", "position": 2, "body": "two" }])
}

#[tokio::test]
async fn create_review_creates_its_comments() {
    let fixture = fixture().await;
    let body = json!({ "event": "REQUEST_CHANGES", "body": "Please", "comments": drafts() });
    let review = fixture.user("guest").post(REVIEWS, body).await.expect(200).json();
    assert_eq!((&review["state"], &review["body"]), (&json!("CHANGES_REQUESTED"), &json!("Please")));
    assert_eq!(review["commit_id"], json!(fixture.head));
    assert_eq!(review["user"]["login"], "guest");
    let listed = fixture.user("mona").get(COMMENTS).await.json();
    assert_eq!(listed.as_array().map(Vec::len), Some(2));
    for comment in listed.as_array().expect("a list") {
        assert_eq!(comment["pull_request_review_id"], review["id"]);
    }
    let of_review = fixture.user("mona").get(&format!("{REVIEWS}/{}/comments", review["id"])).await.expect(200).json();
    assert_eq!(of_review, listed);
    assert_eq!(fixture.user("mona").get(&format!("{REVIEWS}/{}", review["id"])).await.expect(200).json(), review);
    assert_eq!(fixture.user("mona").get(REVIEWS).await.expect(200).json(), json!([review]));
    fixture.user("mona").get(&format!("/repos/acme/other/pulls/1/reviews/{}", review["id"])).await.expect(404);
}

#[tokio::test]
async fn pending_review_is_visible_only_to_its_author() {
    let fixture = fixture().await;
    let review = fixture.user("guest").post(REVIEWS, json!({ "comments": drafts() })).await.expect(200).json();
    assert_eq!(review["state"], "PENDING");
    assert!(review.get("submitted_at").is_none());
    let one = format!("{REVIEWS}/{}", review["id"]);
    let count = |response: crate::support::Response| response.json().as_array().map(Vec::len);
    let everywhere = "/repos/acme/rocket/pulls/comments";
    for path in [COMMENTS, everywhere, REVIEWS] {
        let own = if path == REVIEWS { 1 } else { 2 };
        assert_eq!(count(fixture.user("guest").get(path).await.expect(200)), Some(own), "{path}");
        for other in [fixture.user("mona"), fixture.service.anonymous()] {
            assert_eq!(count(other.get(path).await.expect(200)), Some(0), "{path}");
        }
    }
    let comment = format!("{everywhere}/1");
    fixture.user("guest").get(&comment).await.expect(200);
    for login in ["mona", "reader"] {
        let other = fixture.user(login);
        other.get(&comment).await.expect(404);
        other.patch(&comment, json!({ "body": "x" })).await.expect(404);
        other.delete(&comment).await.expect(404);
        other.post(&format!("{COMMENTS}/1/replies"), json!({ "body": "x" })).await.expect(404);
        other.get(&one).await.expect(404);
        other.get(&format!("{one}/comments")).await.expect(404);
        other.post(&format!("{one}/events"), json!({ "event": "APPROVE" })).await.expect(404);
        other.delete(&one).await.expect(404);
    }
    assert_eq!(fixture.user("reader").get("/notifications").await.json(), json!([]), "nobody is notified yet");
    let rejected = fixture.comment_as("guest", json!({ "line": 2 })).await.expect(422).json();
    assert_eq!(
        rejected["errors"],
        json!([{ "resource": "PullRequestReview", "code": "custom", "field": "user_id",
        "message": "user_id can only have one pending review per pull request" }])
    );
    fixture.user("guest").post(REVIEWS, json!({})).await.expect(422);

    let submit = json!({ "event": "COMMENT", "body": "Done" });
    let submitted = fixture.user("guest").post(&format!("{one}/events"), submit.clone()).await.expect(200).json();
    assert_eq!((&submitted["state"], &submitted["body"]), (&json!("COMMENTED"), &json!("Done")));
    assert_eq!(count(fixture.user("mona").get(COMMENTS).await), Some(2));
    assert_eq!(fixture.user("reader").get("/notifications").await.json()[0]["reason"], "mention");
    let again = fixture.user("guest").post(&format!("{one}/events"), submit).await.expect(422);
    assert_eq!(again.message(), "Can not submit a non-pending pull request review");
    fixture.user("guest").delete(&one).await.expect(422);
    fixture.comment_as("guest", json!({ "line": 2 })).await.expect(201);
}

#[tokio::test]
async fn pending_review_can_be_deleted() {
    let fixture = fixture().await;
    let review = fixture.user("guest").post(REVIEWS, json!({ "comments": drafts() })).await.expect(200).json();
    let one = format!("{REVIEWS}/{}", review["id"]);
    assert_eq!(fixture.user("guest").delete(&one).await.expect(200).json()["id"], review["id"]);
    fixture.user("guest").get(&one).await.expect(404);
    assert_eq!(fixture.user("guest").get(COMMENTS).await.json(), json!([]));
    fixture.user("guest").post(REVIEWS, json!({ "event": "APPROVE" })).await.expect(200);
}

#[tokio::test]
async fn submit_review_rejects_invalid_event() {
    let fixture = fixture().await;
    for (login, body, message) in [
        ("mona", json!({ "event": "APPROVE" }), "Can not approve your own pull request"),
        (
            "mona",
            json!({ "event": "REQUEST_CHANGES", "body": "x" }),
            "Can not request changes on your own pull request",
        ),
        ("guest", json!({ "event": "COMMENT" }), "Review body can't be blank"),
        (
            "guest",
            json!({ "event": "PENDING" }),
            "Invalid request.\n\nFor 'properties/event', PENDING is not a member of [\"APPROVE\", \"REQUEST_CHANGES\", \"COMMENT\"].",
        ),
        (
            "guest",
            json!({ "event": "SHRUG" }),
            "Invalid request.\n\nFor 'properties/event', SHRUG is not a member of [\"APPROVE\", \"REQUEST_CHANGES\", \"COMMENT\"].",
        ),
        (
            "guest",
            json!({ "comments": [{ "path": "file" }] }),
            "Invalid request.\n\nFor 'properties/comments/items', \"body\" wasn't supplied.\nNo subschema in \"oneOf\" matched.\n\"positioning\" wasn't supplied.\n\"position\" wasn't supplied.\n\"in_reply_to\" wasn't supplied.",
        ),
        ("guest", json!({ "comments": [{ "path": "file", "line": 99, "body": "x" }] }), "Validation Failed"),
        ("guest", json!({ "commit_id": "x", "body": "x", "event": "COMMENT" }), "Validation Failed"),
        ("guest", json!({ "commit_id": fixture.base, "event": "APPROVE" }), "Validation Failed"),
        ("guest", json!({ "commit_id": "0".repeat(40), "event": "APPROVE" }), "Validation Failed"),
    ] {
        let response = fixture.user(login).post(REVIEWS, body.clone()).await.expect(422);
        assert_eq!(response.message(), message, "{body}");
    }
    assert_eq!(fixture.user("mona").get(REVIEWS).await.json(), json!([]), "nothing was made");
}
