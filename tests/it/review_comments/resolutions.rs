//! Resolved threads.

use serde_json::{Value, json};

use super::fixture;
use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};

const THREADS: &str = "/repos/acme/rocket/pulls/1/threads";

fn path(comment: &Value) -> String {
    format!("/repos/acme/rocket/pulls/comments/{comment}/resolution")
}

async fn comment(fixture: &PullRequestFixture, line: i64) -> Value {
    fixture.comment_as("guest", json!({ "line": line })).await.expect(201).json()["id"].clone()
}

async fn reply(fixture: &PullRequestFixture, comment: &Value) -> Value {
    let replies = format!("{COMMENTS}/{comment}/replies");
    fixture.user("hubot").post(&replies, json!({ "body": "Done" })).await.expect(201).json()["id"].clone()
}

/// First comment, whether it is resolved, and by whom.
fn shown(thread: &Value) -> Value {
    json!([thread["comment_id"], thread["is_resolved"], thread["resolved_by"]["login"]])
}

async fn threads(fixture: &PullRequestFixture, login: &str) -> Vec<Value> {
    let listed = fixture.user(login).get(THREADS).await.expect(200).json();
    listed.as_array().expect("a list").iter().map(shown).collect()
}

#[tokio::test]
async fn thread_is_resolved_and_unresolved() {
    let fixture = fixture().await;
    let (first, second) = (comment(&fixture, 3).await, comment(&fixture, 20).await);
    let replied = reply(&fixture, &first).await;
    let open = json!([first, false, null]);
    assert_eq!(threads(&fixture, "reader").await, [open.clone(), json!([second, false, null])]);
    fixture.service.advance(60);
    let resolved = fixture.user("hubot").put(&path(&replied)).await.expect(200).json();
    assert_eq!(shown(&resolved), json!([first, true, "hubot"]), "a reply names its thread, too");
    assert!(resolved["resolved_at"].is_string());
    assert_eq!(resolved["pull_request_url"], format!("http://plinth.test{PULL}"));
    fixture.service.advance(60);
    assert_eq!(fixture.user("mona").put(&path(&first)).await.expect(200).json(), resolved, "it stays as it is");
    assert_eq!(threads(&fixture, "reader").await, [json!([first, true, "hubot"]), json!([second, false, null])]);
    reply(&fixture, &first).await;
    assert_eq!(threads(&fixture, "reader").await[0], shown(&resolved), "a reply does not open it again");
    for _ in 0..2 {
        let opened = fixture.user("mona").delete(&path(&first)).await.expect(200).json();
        assert_eq!((shown(&opened), &opened["resolved_at"]), (open.clone(), &Value::Null));
    }
    assert_eq!(threads(&fixture, "reader").await[0], open);
}

#[tokio::test]
async fn author_of_the_pull_request_and_writers_resolve_threads() {
    let fixture = fixture().await;
    let body = json!({ "title": "Mine", "head": "main", "base": "feature" });
    fixture.bring_objects().await;
    let next = fixture.commit_on(&fixture.base, &[("file", Some("other\n"))]);
    fixture.push("main", &next).await;
    fixture.user("guest").post("/repos/acme/rocket/pulls", body).await.expect(201);
    let comments = "/repos/acme/rocket/pulls/2/comments";
    let new = json!({ "body": "Why?", "commit_id": next, "path": "file", "line": 1 });
    let own = fixture.user("reader").post(comments, new).await.expect(201).json()["id"].clone();
    let other = comment(&fixture, 3).await;
    fixture.user("guest").put(&path(&own)).await.expect(200);
    for login in ["guest", "reader"] {
        // The author of a comment is not enough: `other` is by guest.
        assert_eq!(
            fixture.user(login).put(&path(&other)).await.expect(403).message(),
            "Must have push access to repository"
        );
        fixture.user(login).delete(&path(&other)).await.expect(403);
    }
    fixture.user("reader").delete(&path(&own)).await.expect(403);
    fixture.user("hubot").delete(&path(&own)).await.expect(200);
    fixture.service.anonymous().put(&path(&other)).await.expect(401);
}

#[tokio::test]
async fn comment_of_another_repository_is_not_found() {
    let fixture = fixture().await;
    let id = comment(&fixture, 3).await;
    let elsewhere = format!("/repos/acme/other/pulls/comments/{id}/resolution");
    fixture.user("mona").put(&elsewhere).await.expect(404);
    fixture.user("mona").delete(&elsewhere).await.expect(404);
    for missing in [json!(0), json!(999), json!("x")] {
        fixture.user("mona").put(&path(&missing)).await.expect(404);
    }
    fixture.user("mona").get("/repos/acme/rocket/pulls/9/threads").await.expect(404);
    assert_eq!(threads(&fixture, "mona").await, [json!([id, false, null])]);
}

#[tokio::test]
async fn pending_thread_is_seen_by_its_author_only_and_cannot_be_resolved() {
    let fixture = fixture().await;
    let review = json!({ "comments": [{ "path": "file", "line": 3, "side": "RIGHT", "body": "secret" }] });
    let review = fixture.user("hubot").post(&format!("{PULL}/reviews"), review).await.expect(200).json();
    let reviews = format!("{PULL}/reviews/{}", review["id"]);
    let id = fixture.user("hubot").get(&format!("{reviews}/comments")).await.expect(200).json()[0]["id"].clone();
    assert_eq!(threads(&fixture, "hubot").await, [json!([id, false, null])]);
    assert!(threads(&fixture, "mona").await.is_empty());
    fixture.user("mona").put(&path(&id)).await.expect(404);
    let rejected = fixture.user("hubot").put(&path(&id)).await.expect(422);
    assert_eq!(rejected.message(), "A thread of a pending review cannot be resolved.");
    fixture.user("hubot").post(&format!("{reviews}/events"), json!({ "event": "COMMENT" })).await.expect(200);
    fixture.user("mona").put(&path(&id)).await.expect(200);
    assert_eq!(threads(&fixture, "reader").await, [json!([id, true, "mona"])]);
}

#[tokio::test]
async fn thread_without_its_first_comment_is_shown_with_the_next_one() {
    let fixture = fixture().await;
    let first = comment(&fixture, 3).await;
    let second = reply(&fixture, &first).await;
    fixture.user("hubot").put(&path(&first)).await.expect(200);
    fixture.user("mona").delete(&format!("/repos/acme/rocket/pulls/comments/{first}")).await.expect(204);
    assert_eq!(threads(&fixture, "reader").await, [json!([second, true, "hubot"])]);
    fixture.user("hubot").delete(&path(&second)).await.expect(200);
    fixture.user("mona").delete(&format!("/repos/acme/rocket/pulls/comments/{second}")).await.expect(204);
    assert!(threads(&fixture, "reader").await.is_empty());
}

#[tokio::test]
async fn list_of_threads_has_pages() {
    let fixture = fixture().await;
    for line in [3, 4, 20] {
        comment(&fixture, line).await;
    }
    let first = fixture.user("reader").get(&format!("{THREADS}?per_page=2")).await.expect(200);
    assert_eq!(first.json().as_array().map(Vec::len), Some(2));
    assert!(first.header("link").is_some_and(|link| link.contains("rel=\"next\"")));
    let second = fixture.user("reader").get(&format!("{THREADS}?per_page=2&page=2")).await.expect(200);
    assert_eq!(second.json().as_array().map(Vec::len), Some(1));
}
