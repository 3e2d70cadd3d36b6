//! Who is notified of a comment, and how they read the notification.

use serde_json::{Value, json};

use crate::support::pull_request::{COMMENTS, PullRequestFixture};

async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("file", "1\n2\n3\n")], &[("file", Some("1\ntwo\n3\n"))]).await
}

async fn notified(fixture: &PullRequestFixture, login: &str) -> Value {
    let list = fixture.user(login).get("/notifications").await.expect(200).json();
    list.get(0).map_or(Value::Null, |first| first["reason"].clone())
}

#[tokio::test]
async fn author_participants_and_mentioned_users_are_notified() {
    let fixture = fixture().await;
    let root = fixture
        .comment_as("guest", json!({ "line": 2, "body": "Hm, @Hubot and `@stranger`?" }))
        .await
        .expect(201)
        .json();
    assert_eq!(notified(&fixture, "mona").await, "author");
    assert_eq!(notified(&fixture, "hubot").await, "mention");
    for login in ["guest", "stranger", "reader"] {
        assert_eq!(notified(&fixture, login).await, Value::Null, "{login}");
    }
    let reply = format!("{COMMENTS}/{}/replies", root["id"]);
    fixture.user("reader").post(&reply, json!({ "body": "Yes" })).await.expect(201);
    assert_eq!(notified(&fixture, "guest").await, "comment", "whoever took part in the thread");
    assert_eq!(notified(&fixture, "reader").await, Value::Null, "never whoever wrote it");
    fixture.user("mona").post(&reply, json!({ "body": "@guest @reader see" })).await.expect(201);
    assert_eq!(notified(&fixture, "guest").await, "mention", "the strongest reason counts");
    assert_eq!(notified(&fixture, "reader").await, "mention");
}

#[tokio::test]
async fn notification_thread_can_be_marked_read() {
    let fixture = fixture().await;
    fixture.comment_as("guest", json!({ "line": 2 })).await.expect(201);
    let thread = fixture.user("mona").get("/notifications").await.expect(200).json()[0].clone();
    assert_eq!((&thread["unread"], &thread["reason"]), (&json!(true), &json!("author")));
    assert_eq!(
        thread["subject"],
        json!({ "title": "Change", "type": "PullRequest",
        "url": "http://plinth.test/repos/acme/rocket/pulls/1",
        "latest_comment_url": "http://plinth.test/repos/acme/rocket/pulls/comments/1" })
    );
    assert_eq!(thread["repository"]["full_name"], "acme/rocket");
    let path = format!("/notifications/threads/{}", thread["id"].as_str().expect("a text"));
    assert_eq!(fixture.user("mona").get(&path).await.expect(200).json(), thread);
    fixture.user("guest").get(&path).await.expect(404);
    fixture.user("guest").patch(&path, json!({})).await.expect(404);
    fixture.service.advance(60);
    fixture.user("mona").patch(&path, json!({})).await.expect(205);
    assert_eq!(fixture.user("mona").get("/notifications").await.json(), json!([]));
    let read = fixture.user("mona").get("/notifications?all=true").await.json();
    assert_eq!((&read[0]["unread"], &read[0]["last_read_at"]), (&json!(false), &json!("2026-02-25T06:14:20Z")));
    fixture.comment_as("guest", json!({ "line": 2 })).await.expect(201);
    assert_eq!(fixture.user("mona").get("/notifications").await.json()[0]["unread"], true, "there is something new");
    let since = fixture.user("mona").get("/notifications?since=2026-02-25T06:14:20Z").await.json();
    assert_eq!(since, json!([]));
    fixture.service.anonymous().get("/notifications").await.expect(401);
}

#[tokio::test]
async fn users_without_read_access_are_not_notified() {
    let fixture = fixture().await;
    fixture.comment_as("guest", json!({ "line": 2, "body": "@reader" })).await.expect(201);
    assert_eq!(notified(&fixture, "reader").await, "mention");
    fixture.service.apply("repos: [{ name: acme/rocket, default_branch: main, private: true }]").await;
    assert_eq!(notified(&fixture, "reader").await, Value::Null, "what became private is not listed any more");
    fixture.comment_as("hubot", json!({ "line": 2, "body": "@stranger @mona" })).await.expect(201);
    assert_eq!(notified(&fixture, "stranger").await, Value::Null);
    assert_eq!(notified(&fixture, "mona").await, "mention");
    fixture.comment_as("mona", json!({ "line": 2, "body": "@stranger @hubot" })).await.expect(201);
    assert_eq!(notified(&fixture, "hubot").await, "mention", "whoever works together on it reads it");
    fixture.service.apply("tokens: [{ kind: classic, user: mona, scopes: [notifications], token: ghp_narrow }]").await;
    let narrow = fixture.service.with_token("ghp_narrow").get("/notifications").await.expect(200);
    assert_eq!(narrow.json(), json!([]), "a token without the repo scope sees nothing private");
    fixture.service.apply("repos: [{ name: acme/rocket, default_branch: main, private: false }]").await;
    assert_eq!(notified(&fixture, "stranger").await, Value::Null, "nor of what was said while it was private");
}
