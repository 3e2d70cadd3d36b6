//! The response to a write equals the response to a read right after it, byte for byte.

use serde_json::{Value, json};

use super::{fixture, numbered};
use crate::support::Response;
use crate::support::pull_request::{COMMENTS, PullRequestFixture};

const FULL: &str = "application/vnd.github.full+json";

#[track_caller]
fn assert_same(written: &Response, read: &Response, what: &Value) {
    let text = |response: &Response| String::from_utf8_lossy(&response.body).into_owned();
    assert_eq!(text(written), text(read), "{what}");
}

/// Reads what was written and returns its path.
async fn check(fixture: &PullRequestFixture, login: &str, written: &Response, what: &Value) -> String {
    assert!(matches!(written.status, 200 | 201), "{what}: {written}");
    let path = format!("/repos/acme/rocket/pulls/comments/{}", written.json()["id"]);
    let read = fixture.user(login).get(&path).await.expect(200);
    assert_same(written, &read, what);
    path
}

/// Creates, replies to and updates a comment as a user.
async fn check_all(fixture: &PullRequestFixture, login: &str, fields: Value) {
    let created = fixture.comment_as(login, fields.clone()).await;
    let path = check(fixture, login, &created, &fields).await;
    let replies = format!("{COMMENTS}/{}/replies", created.json()["id"]);
    for other in ["guest", "mona"] {
        let reply = fixture.user(other).post(&replies, json!({ "body": format!("{other}: {fields}") })).await;
        check(fixture, other, &reply, &fields).await;
    }
    fixture.service.advance(60);
    let updated = fixture.user(login).patch(&path, json!({ "body": format!("Better: {fields}") })).await;
    check(fixture, login, &updated, &fields).await;
    assert_ne!(updated.json()["updated_at"], updated.json()["created_at"]);
}

#[tokio::test]
async fn created_comment_response_equals_later_get_for_every_form_and_caller() {
    let fixture = fixture().await;
    for (login, fields) in [
        ("mona", json!({ "line": 3 })),
        ("hubot", json!({ "line": 4, "side": "LEFT" })),
        ("guest", json!({ "line": 5, "start_line": 3, "start_side": "RIGHT" })),
        ("guest", json!({ "line": 4, "start_line": 3, "start_side": "LEFT" })),
        ("hubot", json!({ "position": 15 })),
        ("reader", json!({ "subject_type": "file" })),
    ] {
        check_all(&fixture, login, fields).await;
    }
}

#[tokio::test]
async fn created_comment_on_earlier_commit_equals_later_get() {
    let fixture = fixture().await;
    let first = fixture.head.clone();
    let moved = numbered(&[(1, "one\nand a half\n"), (3, "three\n"), (4, "4\n")]);
    let head = fixture.commit_on(&first, &[("file", Some(&moved))]);
    fixture.push("feature", &head).await;
    for line in [3, 4, 20] {
        check_all(&fixture, "hubot", json!({ "line": line, "commit_id": first })).await;
        check_all(&fixture, "mona", json!({ "line": 3, "commit_id": head, "body": format!("Also {line}") })).await;
    }
}

#[tokio::test]
async fn created_comment_with_rendered_body_or_rare_characters_equals_later_get() {
    let fixture = PullRequestFixture::new(
        &[("file", "a\n")],
        &[("file", Some("a\n\u{e9}\u{1F980} \"quoted\"\\\u{7f}\u{2028}\n"))],
    )
    .await;
    let body = json!({ "body": "**Why?**", "commit_id": fixture.head, "path": "file", "line": 2 });
    let asking = || fixture.user("mona").header("accept", FULL);
    let created = asking().post(COMMENTS, body).await.expect(201);
    let path = format!("/repos/acme/rocket/pulls/comments/{}", created.json()["id"]);
    assert_same(&created, &asking().get(&path).await.expect(200), &json!("created"));
    let updated = asking().patch(&path, json!({ "body": "*Because*" })).await.expect(200);
    assert_eq!(updated.json()["body_html"], json!("<p><em>Because</em></p>"));
    assert_same(&updated, &asking().get(&path).await.expect(200), &json!("updated"));
}
