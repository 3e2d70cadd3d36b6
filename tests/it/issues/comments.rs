//! Comments on issues and pull requests.

use serde_json::{Value, json};

use super::{ISSUES, create, create_as, fixture, texts};
use crate::support::pull_request::PullRequestFixture;

async fn comment(fixture: &PullRequestFixture, login: &str, number: i64, body: &str) -> Value {
    let path = format!("{ISSUES}/{number}/comments");
    fixture.user(login).post(&path, json!({ "body": body })).await.expect(201).json()
}

#[tokio::test]
async fn comment_has_the_shape_of_github() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two" })).await;
    let path = format!("{ISSUES}/2/comments");
    let made = fixture.user("guest").post(&path, json!({ "body": "Same here" })).await.expect(201);
    assert_eq!(made.header("location"), Some("http://plinth.test/repos/acme/rocket/issues/comments/1"));
    let mut shown = made.json();
    for key in ["user", "reactions"] {
        shown.as_object_mut().expect("an object").remove(key);
    }
    assert_eq!(
        shown,
        json!({
            "url": "http://plinth.test/repos/acme/rocket/issues/comments/1",
            "html_url": "http://plinth.test/acme/rocket/issues/2#issuecomment-1",
            "issue_url": "http://plinth.test/repos/acme/rocket/issues/2",
            "id": 1,
            "node_id": shown["node_id"],
            "created_at": "2026-02-25T06:13:20Z",
            "updated_at": "2026-02-25T06:13:20Z",
            "body": "Same here",
            "author_association": "NONE",
            "performed_via_github_app": null,
        })
    );
    let found = fixture.service.anonymous().get(&format!("{ISSUES}/comments/1")).await.expect(200);
    assert_eq!(found.json(), made.json());
    let on_pull = comment(&fixture, "guest", 1, "On it").await;
    assert_eq!(on_pull["html_url"], "http://plinth.test/acme/rocket/pull/1#issuecomment-2");
    assert_eq!(on_pull["issue_url"], "http://plinth.test/repos/acme/rocket/issues/1");
}

#[tokio::test]
async fn comments_are_listed_and_counted() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two" })).await;
    for (number, body) in [(2, "a"), (1, "b"), (2, "c")] {
        fixture.service.advance(60);
        comment(&fixture, "guest", number, body).await;
    }
    let list = async |path: &str| {
        let list = fixture.user("reader").get(&format!("{ISSUES}{path}")).await.expect(200).json();
        texts(&list, "body").join("")
    };
    assert_eq!(list("/2/comments").await, "ac");
    assert_eq!(list("/2/comments?per_page=1&page=2").await, "c");
    assert_eq!(list("/2/comments?since=2026-02-25T06:16:20Z").await, "c");
    assert_eq!(list("/comments").await, "abc");
    assert_eq!(list("/comments?sort=created&direction=desc").await, "cba");
    fixture.service.advance(60);
    fixture.user("guest").patch(&format!("{ISSUES}/comments/1"), json!({ "body": "A" })).await.expect(200);
    assert_eq!(list("/comments?sort=updated&direction=desc").await, "Acb");
    assert_eq!(list("/comments?since=2026-02-25T06:16:20Z").await, "Ac");
    let page = fixture.user("reader").get(&format!("{ISSUES}/comments?per_page=2")).await.expect(200);
    assert!(page.header("link").expect("a link").contains("page=2>; rel=\"last\""));
    let issue = fixture.user("reader").get(&format!("{ISSUES}/2")).await.expect(200).json();
    assert_eq!((&issue["comments"], &issue["updated_at"]), (&json!(2), &json!("2026-02-25T06:16:20Z")));
    fixture.user("guest").delete(&format!("{ISSUES}/comments/1")).await.expect(204);
    fixture.user("guest").get(&format!("{ISSUES}/comments/1")).await.expect(404);
    let issue = fixture.user("reader").get(&format!("{ISSUES}/2")).await.expect(200).json();
    assert_eq!(issue["comments"], 1);
    assert_eq!(list("/2/comments").await, "c");
}

#[tokio::test]
async fn comment_is_changed_by_its_author_and_by_users_who_can_push() {
    let fixture = fixture().await;
    comment(&fixture, "guest", 1, "Mine").await;
    let path = format!("{ISSUES}/comments/1");
    for body in [json!({ "body": "Yours" }), json!({}), json!({ "body": "" })] {
        fixture.user("reader").patch(&path, body).await.expect(403);
    }
    fixture.user("reader").delete(&path).await.expect(403);
    fixture.service.anonymous().patch(&path, json!({ "body": "x" })).await.expect(401);
    for body in [json!({}), json!({ "body": " " }), json!({ "body": "x".repeat(65_537) })] {
        fixture.user("guest").patch(&path, body.clone()).await.expect(422);
        fixture.user("guest").post(&format!("{ISSUES}/1/comments"), body).await.expect(422);
    }
    let changed = fixture.user("hubot").patch(&path, json!({ "body": "Ours" })).await.expect(200).json();
    assert_eq!((&changed["body"], &changed["user"]["login"]), (&json!("Ours"), &json!("guest")));
    let elsewhere = "/repos/acme/other/issues/comments/1";
    fixture.user("mona").get(elsewhere).await.expect(404);
    fixture.user("mona").patch(elsewhere, json!({ "body": "x" })).await.expect(404);
    fixture.user("mona").delete(elsewhere).await.expect(404);
    fixture.user("mona").post(&format!("{ISSUES}/9/comments"), json!({})).await.expect(404);
    fixture.user("hubot").delete(&path).await.expect(204);
}

#[tokio::test]
async fn comment_is_rendered_in_the_requested_forms() {
    let fixture = fixture().await;
    comment(&fixture, "guest", 1, "*Hm*").await;
    let accept = "application/vnd.github.full+json";
    let shown = fixture.user("guest").header("accept", accept).get(&format!("{ISSUES}/1/comments")).await.expect(200);
    let shown = &shown.json()[0];
    assert_eq!(
        (&shown["body"], &shown["body_text"], &shown["body_html"]),
        (&json!("*Hm*"), &json!("Hm"), &json!("<p><em>Hm</em></p>"))
    );
}

#[tokio::test]
async fn author_participants_and_mentioned_users_are_notified() {
    let fixture = fixture().await;
    create_as(&fixture, "guest", json!({ "title": "Two" })).await;
    let reason = async |login: &str| {
        let list = fixture.user(login).get("/notifications").await.expect(200).json();
        list.as_array().and_then(|list| list.first()).map_or(Value::Null, |first| first["reason"].clone())
    };
    comment(&fixture, "reader", 2, "Hm, @hubot and `@stranger`?").await;
    assert_eq!((reason("guest").await, reason("hubot").await), (json!("author"), json!("mention")));
    assert_eq!((reason("reader").await, reason("stranger").await), (Value::Null, Value::Null));
    comment(&fixture, "hubot", 2, "Yes").await;
    assert_eq!(reason("reader").await, "comment");
    let thread = fixture.user("guest").get("/notifications").await.expect(200).json()[0].clone();
    assert_eq!(
        thread["subject"],
        json!({ "title": "Two", "type": "Issue", "url": "http://plinth.test/repos/acme/rocket/issues/2",
                "latest_comment_url": "http://plinth.test/repos/acme/rocket/issues/comments/2" })
    );
    comment(&fixture, "guest", 1, "On it").await;
    let thread = fixture.user("mona").get("/notifications").await.expect(200).json()[0].clone();
    assert_eq!(
        (&thread["reason"], &thread["subject"]),
        (
            &json!("author"),
            &json!({ "title": "Change", "type": "PullRequest", "url": "http://plinth.test/repos/acme/rocket/pulls/1",
                     "latest_comment_url": "http://plinth.test/repos/acme/rocket/issues/comments/3" })
        )
    );
}
