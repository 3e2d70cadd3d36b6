//! Reviews and review comments.

use plinth_core::events::EventName;
use serde_json::{Value, json};

use super::{Hooked, ROCKET, names, payload_of};

const PULL: &str = "/repos/octo-org/rocket/pulls/1";
const REVIEW: &str = "pull_request_review submitted";
const CREATED: &str = "pull_request_review_comment created";

async fn comment(hooked: &Hooked) -> i64 {
    let body =
        json!({ "body": "Why?", "commit_id": hooked.tip("next").await, "path": "a", "line": 1, "side": "RIGHT" });
    let created = hooked.hubot().post(&format!("{PULL}/comments"), body).await.expect(201);
    created.json()["id"].as_i64().expect("a comment has an id")
}

#[tokio::test]
async fn create_comment_records_comment_and_its_review() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let id = comment(&hooked).await;
    let taken = hooked.take().await;
    assert_eq!(names(&taken), [REVIEW, CREATED]);
    let payload = payload_of(&taken, EventName::PullRequestReviewComment);
    let comment = &payload["comment"];
    assert_eq!((&comment["id"], &comment["body"], &comment["line"]), (&json!(id), &json!("Why?"), &json!(1)));
    assert_eq!((&payload["pull_request"]["number"], &payload["sender"]["login"]), (&json!(1), &json!("hubot")));
    let review = &payload_of(&taken, EventName::PullRequestReview)["review"];
    assert_eq!(review["id"], comment["pull_request_review_id"]);
    assert_eq!((&review["state"], &review["body"]), (&json!("commented"), &Value::Null));
}

#[tokio::test]
async fn reply_records_comment_and_its_review() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let root = comment(&hooked).await;
    hooked.take().await;
    hooked.mona().post(&format!("{PULL}/comments/{root}/replies"), json!({ "body": "Because." })).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), [REVIEW, CREATED]);
    assert_eq!(payload_of(&taken, EventName::PullRequestReviewComment)["comment"]["in_reply_to_id"], root);
}

#[tokio::test]
async fn update_comment_records_edited_with_former_body() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let id = comment(&hooked).await;
    hooked.take().await;
    for _ in 0..2 {
        hooked.mona().patch(&format!("{ROCKET}/pulls/comments/{id}"), json!({ "body": "How?" })).await.expect(200);
    }
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["pull_request_review_comment edited"], "the second one changes nothing");
    let payload = payload_of(&taken, EventName::PullRequestReviewComment);
    assert_eq!(
        (&payload["comment"]["body"], &payload["changes"]),
        (&json!("How?"), &json!({ "body": { "from": "Why?" } }))
    );
    assert_eq!(payload["sender"]["login"], "mona");
}

#[tokio::test]
async fn delete_comment_records_deleted_with_the_whole_comment() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let id = comment(&hooked).await;
    hooked.take().await;
    hooked.mona().delete(&format!("{ROCKET}/pulls/comments/{id}")).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["pull_request_review_comment deleted"]);
    let comment = &payload_of(&taken, EventName::PullRequestReviewComment)["comment"];
    assert_eq!((&comment["body"], &comment["user"]["login"]), (&json!("Why?"), &json!("hubot")));
}

#[tokio::test]
async fn review_records_nothing_until_it_is_submitted() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let comment = json!({ "body": "Hm.", "path": "a", "line": 1 });
    let pending = hooked.hubot().post(&format!("{PULL}/reviews"), json!({ "comments": [comment] })).await.expect(200);
    assert!(hooked.take().await.is_empty());
    let id = pending.json()["id"].as_i64().expect("a review has an id");
    let body = json!({ "event": "REQUEST_CHANGES", "body": "No." });
    hooked.hubot().post(&format!("{PULL}/reviews/{id}/events"), body).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), [REVIEW, CREATED]);
    let review = &payload_of(&taken, EventName::PullRequestReview)["review"];
    assert_eq!((&review["state"], &review["body"]), (&json!("changes_requested"), &json!("No.")));
    hooked.hubot().post(&format!("{PULL}/reviews"), json!({ "event": "APPROVE" })).await.expect(200);
    assert_eq!(names(&hooked.take().await), [REVIEW]);
}

#[tokio::test]
async fn resolved_and_unresolved_threads_are_recorded_with_their_comments() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let id = comment(&hooked).await;
    hooked.mona().post(&format!("{PULL}/comments/{id}/replies"), json!({ "body": "Because." })).await.expect(201);
    hooked.take().await;
    let path = format!("{ROCKET}/pulls/comments/{id}/resolution");
    for _ in 0..2 {
        hooked.hubot().put(&path).await.expect(200);
    }
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["pull_request_review_thread resolved"], "the second one changes nothing");
    let payload = payload_of(&taken, EventName::PullRequestReviewThread);
    let bodies: Vec<_> = payload["thread"]["comments"].as_array().expect("a list").iter().map(|c| &c["body"]).collect();
    assert_eq!(bodies, ["Why?", "Because."]);
    let listed = hooked.mona().get(&format!("{PULL}/threads")).await.expect(200).json();
    assert_eq!(payload["thread"]["node_id"], listed[0]["node_id"]);
    assert_eq!((&payload["pull_request"]["number"], &payload["sender"]["login"]), (&json!(1), &json!("hubot")));
    hooked.mona().delete(&path).await.expect(200);
    hooked.mona().delete(&path).await.expect(200);
    assert_eq!(names(&hooked.take().await), ["pull_request_review_thread unresolved"]);
}
