//! Creating issues.

use serde_json::{Value, json};

use super::{ISSUES, create, create_as, fixture, texts};

#[tokio::test]
async fn issue_has_the_shape_of_github() {
    let fixture = fixture().await;
    let body = json!({ "title": "Broken", "body": "See #1", "labels": ["bug"], "assignees": ["hubot"] });
    let made = fixture.user("mona").post(ISSUES, body).await.expect(201);
    assert_eq!(made.header("location"), Some("http://plinth.test/repos/acme/rocket/issues/2"));
    let mut issue = made.json();
    for key in ["user", "assignee", "assignees", "reactions"] {
        issue.as_object_mut().expect("an object").remove(key);
    }
    assert_eq!(
        issue,
        json!({
            "url": "http://plinth.test/repos/acme/rocket/issues/2",
            "repository_url": "http://plinth.test/repos/acme/rocket",
            "labels_url": "http://plinth.test/repos/acme/rocket/issues/2/labels{/name}",
            "comments_url": "http://plinth.test/repos/acme/rocket/issues/2/comments",
            "events_url": "http://plinth.test/repos/acme/rocket/issues/2/events",
            "html_url": "http://plinth.test/acme/rocket/issues/2",
            "id": 3,
            "node_id": issue["node_id"],
            "number": 2,
            "title": "Broken",
            "labels": [{
                "id": 1,
                "node_id": issue["labels"][0]["node_id"],
                "url": "http://plinth.test/repos/acme/rocket/labels/bug",
                "name": "bug",
                "description": null,
                "color": "ededed",
                "default": false,
            }],
            "state": "open",
            "state_reason": null,
            "locked": false,
            "milestone": null,
            "comments": 0,
            "created_at": "2026-02-25T06:13:20Z",
            "updated_at": "2026-02-25T06:13:20Z",
            "closed_at": null,
            "closed_by": null,
            "author_association": "MEMBER",
            "active_lock_reason": null,
            "type": null,
            "body": "See #1",
            "timeline_url": "http://plinth.test/repos/acme/rocket/issues/2/timeline",
            "performed_via_github_app": null,
            "issue_field_values": [],
        })
    );
    let found = fixture.service.anonymous().get(&format!("{ISSUES}/2")).await.expect(200);
    assert_eq!(found.json(), made.json());
    assert_eq!(
        (texts(&found.json()["assignees"], "login"), &found.json()["user"]["login"]),
        (vec!["hubot"], &json!("mona"))
    );
}

#[tokio::test]
async fn issues_and_pull_requests_share_their_numbers_and_not_their_ids() {
    let fixture = fixture().await;
    let pull = fixture.user("mona").get(&format!("{ISSUES}/1")).await.expect(200).json();
    let links = &pull["pull_request"];
    assert_eq!(links["url"], "http://plinth.test/repos/acme/rocket/pulls/1");
    assert_eq!((&links["merged_at"], &pull["draft"]), (&Value::Null, &json!(false)));
    assert_eq!(pull["html_url"], "http://plinth.test/acme/rocket/pull/1");
    assert!(pull.get("issue_field_values").is_none());
    let second = create(&fixture, json!({ "title": "Two" })).await;
    let main = json!({ "ref": "refs/heads/other", "sha": fixture.head });
    fixture.user("mona").post("/repos/acme/rocket/git/refs", main).await.expect(201);
    let body = json!({ "title": "Three", "head": "other", "base": "main" });
    let third = fixture.user("mona").post("/repos/acme/rocket/pulls", body).await.expect(201).json();
    let fourth = create(&fixture, json!({ "title": 4 })).await;
    let numbers = [&pull, &second, &third, &fourth].map(|issue| issue["number"].as_i64());
    assert_eq!(numbers, [Some(1), Some(2), Some(3), Some(4)]);
    assert_eq!(fourth["title"], "4", "a number becomes a text");
    let third = fixture.user("mona").get(&format!("{ISSUES}/3")).await.expect(200).json();
    let mut ids = [&pull, &second, &third, &fourth].map(|issue| issue["id"].as_i64());
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    fixture.user("mona").get("/repos/acme/rocket/pulls/2").await.expect(404);
    fixture.user("mona").get(&format!("{ISSUES}/5")).await.expect(404);
    let repo = fixture.user("mona").get("/repos/acme/rocket").await.expect(200).json();
    assert_eq!((&repo["open_issues_count"], &repo["has_issues"]), (&json!(4), &json!(true)));
}

#[tokio::test]
async fn text_is_rendered_in_the_requested_forms() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two", "body": "**See** #1 and #2" })).await;
    create(&fixture, json!({ "title": "Three" })).await;
    let get = async |number: i64, form: &str| {
        let accept = format!("application/vnd.github.{form}+json");
        let client = fixture.user("mona").header("accept", &accept);
        let issue = client.get(&format!("{ISSUES}/{number}")).await.expect(200).json();
        ["body", "body_text", "body_html"].map(|key| issue.get(key).cloned())
    };
    let html = "<p><strong>See</strong> <a class=\"issue-link\" href=\"http://plinth.test/acme/rocket/pull/1\" \
                rel=\"nofollow\">#1</a> and <a class=\"issue-link\" href=\"http://plinth.test/acme/rocket/issues/2\" \
                rel=\"nofollow\">#2</a></p>";
    assert_eq!(
        get(2, "full").await,
        [Some(json!("**See** #1 and #2")), Some(json!("See #1 and #2")), Some(json!(html))]
    );
    assert_eq!(get(2, "text").await, [None, Some(json!("See #1 and #2")), None]);
    assert_eq!(get(2, "html").await, [None, None, Some(json!(html))]);
    assert_eq!(get(2, "raw").await, [Some(json!("**See** #1 and #2")), None, None]);
    assert_eq!(get(3, "full").await, [Some(Value::Null), Some(json!("")), Some(json!(""))]);
}

#[tokio::test]
async fn invalid_issue_is_rejected() {
    let fixture = fixture().await;
    let mona = fixture.user("mona");
    for (body, field, code) in [
        (json!({ "title": " " }), "title", "missing_field"),
        (json!({ "title": "x".repeat(257) }), "title", "custom"),
        (json!({ "title": "a", "body": "x".repeat(65_537) }), "body", "custom"),
        (json!({ "title": "a", "assignees": ["stranger"] }), "assignees", "invalid"),
        (json!({ "title": "a", "assignees": ["nobody"] }), "assignees", "invalid"),
        (json!({ "title": "a", "labels": ["x".repeat(51)] }), "name", "custom"),
    ] {
        let errors = mona.post(ISSUES, body.clone()).await.expect(422).json()["errors"].clone();
        assert_eq!((&errors[0]["field"], &errors[0]["code"]), (&json!(field), &json!(code)), "{body}");
    }
    let labels: Vec<String> = (0..101).map(|number| format!("label {number}")).collect();
    mona.post(ISSUES, json!({ "title": "a", "labels": labels })).await.expect(422);
    mona.post(ISSUES, json!({})).await.expect(422);
    mona.post(ISSUES, json!({ "title": [] })).await.expect(422);
    assert_eq!(super::numbers(&fixture, "").await, [1], "nothing was created");
    let labels = mona.get("/repos/acme/rocket/labels").await.expect(200).json();
    assert_eq!(labels, json!([]), "no label was created either");
}

#[tokio::test]
async fn labels_and_assignees_of_callers_without_a_role_are_ignored() {
    let fixture = fixture().await;
    let body = json!({ "title": "Two", "labels": ["bug"], "assignees": ["hubot"], "assignee": null });
    let issue = create_as(&fixture, "guest", body).await;
    assert_eq!((&issue["labels"], &issue["assignees"], &issue["assignee"]), (&json!([]), &json!([]), &Value::Null));
    let one = create(&fixture, json!({ "title": "Three", "assignee": "hubot", "labels": [{ "name": "bug" }] })).await;
    assert_eq!((texts(&one["assignees"], "login"), texts(&one["labels"], "name")), (vec!["hubot"], vec!["bug"]));
}

#[tokio::test]
async fn mentioned_and_assigned_users_are_notified() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two", "body": "@guest @mona", "assignees": ["hubot"] })).await;
    let reason = async |login: &str| {
        let list = fixture.user(login).get("/notifications").await.expect(200).json();
        list.as_array().and_then(|list| list.first()).map(|first| (first["reason"].clone(), first["subject"].clone()))
    };
    let subject = json!({ "title": "Two", "type": "Issue", "url": "http://plinth.test/repos/acme/rocket/issues/2",
                          "latest_comment_url": null });
    assert_eq!(reason("guest").await, Some((json!("mention"), subject.clone())));
    assert_eq!(reason("hubot").await, Some((json!("assign"), subject)));
    assert_eq!(reason("mona").await, None, "never whoever wrote it");
}
