//! Creating comments: every form of position, and what is rejected.

use expect_test::expect;
use serde_json::json;

use super::fixture;
use crate::support::pull_request::COMMENTS;

#[tokio::test]
async fn create_line_comment_returns_full_comment() {
    let fixture = fixture().await;
    let response = fixture.comment(json!({ "line": 4, "side": "RIGHT", "body": "Why **four**?" })).await;
    assert_eq!(response.header("location"), Some("http://plinth.test/repos/acme/rocket/pulls/comments/1"));
    let text = response.to_string().replace(&fixture.head, "HEAD");
    expect![[r#"
        201
        {
          "_links": {
            "html": {
              "href": "http://plinth.test/acme/rocket/pull/1#discussion_r1"
            },
            "pull_request": {
              "href": "http://plinth.test/repos/acme/rocket/pulls/1"
            },
            "self": {
              "href": "http://plinth.test/repos/acme/rocket/pulls/comments/1"
            }
          },
          "author_association": "MEMBER",
          "body": "Why **four**?",
          "commit_id": "HEAD",
          "created_at": "2026-02-25T06:13:20Z",
          "diff_hunk": "@@ -1,7 +1,8 @@\n line 1\n line 2\n-line 3\n-line 4\n+three\n+four",
          "html_url": "http://plinth.test/acme/rocket/pull/1#discussion_r1",
          "id": 1,
          "line": 4,
          "node_id": "PRRC_kwABAQ",
          "original_commit_id": "HEAD",
          "original_line": 4,
          "original_position": 6,
          "original_start_line": null,
          "path": "file",
          "position": 6,
          "pull_request_review_id": 1,
          "pull_request_url": "http://plinth.test/repos/acme/rocket/pulls/1",
          "reactions": {
            "+1": 0,
            "-1": 0,
            "confused": 0,
            "eyes": 0,
            "heart": 0,
            "hooray": 0,
            "laugh": 0,
            "rocket": 0,
            "total_count": 0,
            "url": "http://plinth.test/repos/acme/rocket/pulls/comments/1/reactions"
          },
          "side": "RIGHT",
          "start_line": null,
          "start_side": null,
          "subject_type": "line",
          "updated_at": "2026-02-25T06:13:20Z",
          "url": "http://plinth.test/repos/acme/rocket/pulls/comments/1",
          "user": {
            "avatar_url": "http://plinth.test/avatars/1",
            "events_url": "http://plinth.test/users/mona/events{/privacy}",
            "followers_url": "http://plinth.test/users/mona/followers",
            "following_url": "http://plinth.test/users/mona/following{/other_user}",
            "gists_url": "http://plinth.test/users/mona/gists{/gist_id}",
            "gravatar_id": "",
            "html_url": "http://plinth.test/mona",
            "id": 1,
            "login": "mona",
            "node_id": "U_kgAB",
            "organizations_url": "http://plinth.test/users/mona/orgs",
            "received_events_url": "http://plinth.test/users/mona/received_events",
            "repos_url": "http://plinth.test/users/mona/repos",
            "site_admin": false,
            "starred_url": "http://plinth.test/users/mona/starred{/owner}{/repo}",
            "subscriptions_url": "http://plinth.test/users/mona/subscriptions",
            "type": "User",
            "url": "http://plinth.test/users/mona",
            "user_view_type": "public"
          }
        }"#]]
    .assert_eq(&text);
    let again = fixture.user("mona").get("/repos/acme/rocket/pulls/comments/1").await.expect(200);
    assert_eq!(again.json(), response.json());
    let listed = fixture.user("mona").get(COMMENTS).await.expect(200);
    assert_eq!(listed.json()[0], response.json());
}

/// The fields with a comment's position.
fn position(response: &crate::support::Response) -> String {
    let comment = response.json();
    let names = ["side", "line", "start_side", "start_line", "position", "original_position", "subject_type"];
    names.map(|name| comment[name].to_string().replace('"', "")).join(" ")
}

#[tokio::test]
async fn create_comment_on_range_needs_start_side() {
    let fixture = fixture().await;
    for start_side in [json!({}), json!({ "side": "LEFT" })] {
        let mut fields = json!({ "line": 5, "start_line": 3 });
        fields.as_object_mut().expect("an object").extend(start_side.as_object().cloned().unwrap_or_default());
        let response = fixture.comment(fields).await.expect(422);
        assert_eq!(response.message(), "Invalid request.\n\n\"start_side\" wasn't supplied.");
    }
    let first = fixture.comment(json!({ "line": 3 })).await.expect(201).json();
    let reply = json!({ "body": "Same", "in_reply_to": first["id"], "line": 5, "start_line": 3 });
    fixture.user("mona").post(COMMENTS, reply).await.expect(201);
    fixture.comment(json!({ "position": 5, "start_line": 3 })).await.expect(201);
    fixture.comment(json!({ "subject_type": "file", "start_line": 3 })).await.expect(201);
}

#[tokio::test]
async fn create_comment_accepts_every_form_of_position() {
    let fixture = fixture().await;
    for (fields, expected) in [
        (json!({ "line": 3 }), "RIGHT 3 null null 5 5 line"),
        (json!({ "line": 1, "side": "RIGHT" }), "RIGHT 1 null null 1 1 line"),
        (json!({ "line": 1, "side": "LEFT" }), "LEFT 1 null null 1 1 line"),
        (json!({ "line": 4, "side": "left" }), "LEFT 4 null null 4 4 line"),
        (json!({ "line": 4, "side": "LEFT", "subject_type": "line" }), "LEFT 4 null null 4 4 line"),
        (json!({ "line": 5, "start_line": 3, "start_side": "RIGHT" }), "RIGHT 5 RIGHT 3 7 7 line"),
        (json!({ "line": 4, "side": "LEFT", "start_line": 3, "start_side": "LEFT" }), "LEFT 4 LEFT 3 4 4 line"),
        (json!({ "line": 4, "start_line": 3, "start_side": "LEFT" }), "RIGHT 4 LEFT 3 6 6 line"),
        (json!({ "line": 5, "start_line": 3, "start_side": "side" }), "RIGHT 5 RIGHT 3 7 7 line"),
        (json!({ "position": 3 }), "LEFT 3 null null 3 3 line"),
        (json!({ "position": 5 }), "RIGHT 3 null null 5 5 line"),
        (json!({ "position": 1 }), "RIGHT 1 null null 1 1 line"),
        (json!({ "position": 15 }), "LEFT 20 null null 15 15 line"),
        (json!({ "subject_type": "file" }), "RIGHT 1 null null 1 1 file"),
        (json!({ "subject_type": "file", "line": 99 }), "RIGHT 1 null null 1 1 file"),
    ] {
        let response = fixture.comment(fields.clone()).await;
        assert_eq!(response.status, 201, "{fields}: {response}");
        assert_eq!(position(&response), expected, "{fields}");
    }
    let file = fixture.comment(json!({ "subject_type": "file" })).await.json();
    assert_eq!((&file["diff_hunk"], &file["original_line"]), (&json!(""), &json!(1)));
    let range = fixture.comment(json!({ "line": 5, "start_line": 3, "start_side": "RIGHT" })).await.json();
    assert_eq!((&range["original_start_line"], &range["original_line"]), (&json!(3), &json!(5)));
}

#[tokio::test]
async fn create_comment_outside_diff_returns_github_error_objects() {
    let fixture = fixture().await;
    let line = json!([
        { "resource": "PullRequestReviewComment", "code": "custom", "field": "pull_request_review_thread.line",
          "message": "pull_request_review_thread.line must be part of the diff" },
        { "resource": "PullRequestReviewComment", "code": "missing_field", "field": "pull_request_review_thread.diff_hunk" }
    ]);
    let invalid = |field: &str| {
        json!([
            { "resource": "PullRequestReviewComment", "code": "invalid", "field": format!("pull_request_review_thread.{field}") },
            { "resource": "PullRequestReviewComment", "code": "missing_field", "field": "pull_request_review_thread.diff_hunk" }
        ])
    };
    let commit = json!([
        { "resource": "PullRequestReviewComment", "code": "custom", "field": "pull_request_review_thread.end_commit_oid",
          "message": "pull_request_review_thread.end_commit_oid is not part of the pull request" },
        { "resource": "PullRequestReviewComment", "code": "missing_field", "field": "pull_request_review_thread.diff_hunk" }
    ]);
    let one = |field: &str, message: &str| {
        let field = format!("pull_request_review_thread.{field}");
        json!([{ "resource": "PullRequestReviewComment", "code": "custom", "field": field, "message": format!("{field} {message}") }])
    };
    let blank = json!([{ "resource": "PullRequestReviewComment", "code": "unprocessable", "field": "data", "message": "Body cannot be blank" }]);
    let base = fixture.base.clone();
    for (fields, errors) in [
        (json!({ "line": 12 }), line.clone()),
        (json!({ "line": 999_999_999_999_i64 }), line.clone()),
        (json!({ "line": 31, "side": "LEFT" }), line.clone()),
        (json!({ "line": 1, "path": "unchanged" }), invalid("path")),
        (json!({ "line": 1, "path": "nothing" }), invalid("path")),
        (json!({ "line": 1, "path": "" }), invalid("path")),
        (json!({ "line": 1, "path": "../file" }), invalid("path")),
        (json!({ "line": 1, "path": "/file" }), invalid("path")),
        (json!({ "subject_type": "file", "path": "unchanged" }), invalid("path")),
        (json!({ "position": 0 }), invalid("position")),
        (json!({ "position": -1 }), invalid("position")),
        (json!({ "position": 99 }), invalid("position")),
        (json!({ "position": 11 }), invalid("position")),
        (json!({ "line": 3, "commit_id": base }), commit.clone()),
        (json!({ "line": 3, "commit_id": "a".repeat(40) }), commit.clone()),
        (json!({ "line": 3, "commit_id": "main" }), commit.clone()),
        (json!({ "line": 0 }), one("line", "required and an integer greater than zero")),
        (json!({ "line": -3 }), one("line", "required and an integer greater than zero")),
        (json!({ "line": 4, "start_line": 4, "start_side": "RIGHT" }), one("start_line", "must precede the end line.")),
        (json!({ "line": 4, "start_line": 5, "start_side": "RIGHT" }), one("start_line", "must precede the end line.")),
        (
            json!({ "line": 4, "side": "LEFT", "start_line": 4, "start_side": "RIGHT" }),
            one("start_line", "must precede the end line."),
        ),
        (
            json!({ "line": 21, "start_line": 3, "start_side": "RIGHT" }),
            one("start_line", "must be part of the same hunk as the line."),
        ),
        (
            json!({ "line": 21, "start_line": 12, "start_side": "RIGHT" }),
            one("start_line", "must be part of the same hunk as the line."),
        ),
        (
            json!({ "line": 4, "start_line": 0, "start_side": "RIGHT" }),
            one("start_line", "required and an integer greater than zero"),
        ),
        (json!({ "line": 3, "body": " \n" }), blank.clone()),
    ] {
        let response = fixture.comment(fields.clone()).await;
        assert_eq!(response.status, 422, "{fields}: {response}");
        assert_eq!(response.message(), "Validation Failed", "{fields}");
        assert_eq!(response.json()["errors"], errors, "{fields}");
    }
    let both = fixture.comment(json!({ "line": 12, "body": "" })).await.expect(422).json();
    let expected: Vec<_> = blank.as_array().into_iter().chain(line.as_array()).flatten().cloned().collect();
    assert_eq!(both["errors"], json!(expected), "all errors are reported at once");
    assert_eq!(fixture.user("mona").get(COMMENTS).await.json(), json!([]), "nothing was made");
}

#[tokio::test]
async fn create_comment_rejects_malformed_body() {
    let fixture = fixture().await;
    for (fields, sentences) in [
        (
            json!({}),
            "No subschema in \"oneOf\" matched.\n\"positioning\" wasn't supplied.\n\"position\" wasn't supplied.\n\"in_reply_to\" wasn't supplied.",
        ),
        (json!({ "line": 3, "position": 5 }), "More than one subschema in \"oneOf\" matched."),
        (json!({ "line": 3, "body": null }), "\"body\" wasn't supplied."),
        (json!({ "line": 3, "path": null, "commit_id": null }), "\"commit_id\", \"path\" weren't supplied."),
        (json!({ "line": "3" }), "For 'properties/line', 3 is not an integer."),
        (
            json!({ "line": 3, "side": "MIDDLE" }),
            "For 'properties/side', MIDDLE is not a member of [\"LEFT\", \"RIGHT\"].",
        ),
        (
            json!({ "line": 3, "start_side": "up" }),
            "For 'properties/start_side', up is not a member of [\"LEFT\", \"RIGHT\", \"side\"].",
        ),
        (
            json!({ "line": 3, "subject_type": "tree" }),
            "For 'properties/subject_type', tree is not a member of [\"line\", \"file\"].",
        ),
    ] {
        let response = fixture.comment(fields.clone()).await.expect(422);
        assert_eq!(response.message(), format!("Invalid request.\n\n{sentences}"), "{fields}");
        assert!(response.json().get("errors").is_none());
    }
}

#[tokio::test]
async fn comment_on_earlier_commit_is_shown_at_current_line() {
    let fixture = fixture().await;
    let first = fixture.head.clone();
    let text =
        super::numbered(&[(1, "zero\nline 1\n"), (3, "three\n"), (4, "four\nand more\n"), (20, "twenty\n"), (25, "")]);
    let second = fixture.commit_on(&first, &[("file", Some(&text))]);
    fixture.push("feature", &second).await;
    let comment = fixture.comment(json!({ "line": 4, "commit_id": first })).await.expect(201).json();
    assert_eq!((&comment["line"], &comment["original_line"]), (&json!(5), &json!(4)));
    assert_eq!((&comment["commit_id"], &comment["original_commit_id"]), (&json!(second), &json!(first)));
    let upper = first.to_uppercase();
    fixture.comment(json!({ "line": 4, "commit_id": upper })).await.expect(201);
}

#[tokio::test]
async fn create_comment_rejects_commit_of_another_repository() {
    let fixture = fixture().await;
    let elsewhere = fixture.commit_on(&fixture.head, &[("file", Some("elsewhere\n"))]);
    fixture.bring_objects_to("other").await;
    let found = fixture.user("mona").get(&format!("/repos/acme/other/git/commits/{elsewhere}")).await;
    assert_eq!(found.status, 200, "the other repository has it");
    let response = fixture.comment(json!({ "line": 1, "commit_id": elsewhere })).await.expect(422);
    let random = fixture.comment(json!({ "line": 1, "commit_id": "1".repeat(40) })).await.expect(422);
    assert_eq!(response.body, random.body);
}
