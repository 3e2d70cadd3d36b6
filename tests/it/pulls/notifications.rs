//! Who is told about a comment, and how they learn of it.

use serde_json::{Value, json};

use crate::support::story::{COMMENTS, Story};

async fn story() -> Story {
    Story::new(&[("file", "1\n2\n3\n")], &[("file", Some("1\ntwo\n3\n"))]).await
}

async fn told(story: &Story, login: &str) -> Value {
    let list = story.user(login).get("/notifications").await.expect(200).json();
    list.get(0).map_or(Value::Null, |first| first["reason"].clone())
}

#[tokio::test]
async fn author_participants_and_mentioned_users_are_notified() {
    let story = story().await;
    let root =
        story.comment_as("guest", json!({ "line": 2, "body": "Hm, @Hubot and `@stranger`?" })).await.expect(201).json();
    assert_eq!(told(&story, "mona").await, "author");
    assert_eq!(told(&story, "hubot").await, "mention");
    for login in ["guest", "stranger", "reader"] {
        assert_eq!(told(&story, login).await, Value::Null, "{login}");
    }
    let reply = format!("{COMMENTS}/{}/replies", root["id"]);
    story.user("reader").post(&reply, json!({ "body": "Yes" })).await.expect(201);
    assert_eq!(told(&story, "guest").await, "comment", "whoever took part in the thread");
    assert_eq!(told(&story, "reader").await, Value::Null, "never whoever wrote it");
    story.user("mona").post(&reply, json!({ "body": "@guest @reader see" })).await.expect(201);
    assert_eq!(told(&story, "guest").await, "mention", "the strongest reason counts");
    assert_eq!(told(&story, "reader").await, "mention");
}

#[tokio::test]
async fn notification_thread_can_be_marked_read() {
    let story = story().await;
    story.comment_as("guest", json!({ "line": 2 })).await.expect(201);
    let thread = story.user("mona").get("/notifications").await.expect(200).json()[0].clone();
    assert_eq!((&thread["unread"], &thread["reason"]), (&json!(true), &json!("author")));
    assert_eq!(
        thread["subject"],
        json!({ "title": "Change", "type": "PullRequest",
        "url": "http://plinth.test/repos/acme/rocket/pulls/1",
        "latest_comment_url": "http://plinth.test/repos/acme/rocket/pulls/comments/1" })
    );
    assert_eq!(thread["repository"]["full_name"], "acme/rocket");
    let path = format!("/notifications/threads/{}", thread["id"].as_str().expect("a text"));
    assert_eq!(story.user("mona").get(&path).await.expect(200).json(), thread);
    story.user("guest").get(&path).await.expect(404);
    story.user("guest").patch(&path, json!({})).await.expect(404);
    story.service.advance(60);
    story.user("mona").patch(&path, json!({})).await.expect(205);
    assert_eq!(story.user("mona").get("/notifications").await.json(), json!([]));
    let read = story.user("mona").get("/notifications?all=true").await.json();
    assert_eq!((&read[0]["unread"], &read[0]["last_read_at"]), (&json!(false), &json!("2026-02-25T06:14:20Z")));
    story.comment_as("guest", json!({ "line": 2 })).await.expect(201);
    assert_eq!(story.user("mona").get("/notifications").await.json()[0]["unread"], true, "there is something new");
    let since = story.user("mona").get("/notifications?since=2026-02-25T06:14:20Z").await.json();
    assert_eq!(since, json!([]));
    story.service.anonymous().get("/notifications").await.expect(401);
}

#[tokio::test]
async fn users_without_read_access_are_not_notified() {
    let story = story().await;
    story.comment_as("guest", json!({ "line": 2, "body": "@reader" })).await.expect(201);
    assert_eq!(told(&story, "reader").await, "mention");
    story.service.apply("repos: [{ name: acme/rocket, default_branch: main, private: true }]").await;
    assert_eq!(told(&story, "reader").await, Value::Null, "what became private is not listed any more");
    story.comment_as("hubot", json!({ "line": 2, "body": "@stranger @mona" })).await.expect(201);
    assert_eq!(told(&story, "stranger").await, Value::Null);
    assert_eq!(told(&story, "mona").await, "mention");
    story.comment_as("mona", json!({ "line": 2, "body": "@stranger @hubot" })).await.expect(201);
    assert_eq!(told(&story, "hubot").await, "mention", "whoever works together on it reads it");
    story.service.apply("tokens: [{ kind: classic, user: mona, scopes: [notifications], token: ghp_narrow }]").await;
    let narrow = story.service.with_token("ghp_narrow").get("/notifications").await.expect(200);
    assert_eq!(narrow.json(), json!([]), "a token without the repo scope sees nothing private");
    story.service.apply("repos: [{ name: acme/rocket, default_branch: main, private: false }]").await;
    assert_eq!(told(&story, "stranger").await, Value::Null, "nor of what was said while it was private");
}
