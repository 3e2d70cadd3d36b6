//! Changing issues, and pull requests as issues.

use serde_json::{Value, json};

use super::{ISSUES, create, create_as, fixture, texts};

#[tokio::test]
async fn text_labels_and_assignees_are_changed() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two", "body": "Old", "labels": ["bug"], "assignees": ["hubot"] })).await;
    fixture.service.advance(60);
    let path = format!("{ISSUES}/2");
    let body = json!({ "title": "New", "body": "", "labels": ["later", "BUG"], "assignees": ["mona"] });
    let issue = fixture.user("hubot").patch(&path, body).await.expect(200).json();
    assert_eq!((&issue["title"], &issue["body"]), (&json!("New"), &Value::Null));
    assert_eq!(
        (texts(&issue["labels"], "name"), texts(&issue["assignees"], "login")),
        (vec!["bug", "later"], vec!["mona"])
    );
    assert_eq!(issue["updated_at"], "2026-02-25T06:14:20Z");
    assert_eq!(fixture.user("guest").get(&path).await.expect(200).json(), issue);
    let same = fixture.user("hubot").patch(&path, json!({ "title": null, "labels": null })).await.expect(200).json();
    assert_eq!(same, issue, "null changes nothing");
    let none = fixture.user("hubot").patch(&path, json!({ "labels": [], "assignee": null })).await.expect(200).json();
    assert_eq!((&none["labels"], &none["assignees"]), (&json!([]), &json!([])));
    fixture.user("hubot").patch(&path, json!({ "assignees": ["stranger"] })).await.expect(422);
    fixture.user("hubot").patch(&path, json!({ "state": "gone" })).await.expect(422);
    fixture.user("hubot").patch(&path, json!({ "title": "" })).await.expect(422);
}

#[tokio::test]
async fn state_and_its_reason_are_changed() {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two" })).await;
    let patch = async |body: Value| {
        fixture.service.advance(60);
        let issue = fixture.user("hubot").patch(&format!("{ISSUES}/2"), body).await.expect(200).json();
        (
            issue["state"].clone(),
            issue["state_reason"].clone(),
            issue["closed_at"].clone(),
            issue["closed_by"]["login"].clone(),
        )
    };
    let closed = |reason: &str, time: &str| (json!("closed"), json!(reason), json!(time), json!("hubot"));
    assert_eq!(patch(json!({ "state": "closed" })).await, closed("completed", "2026-02-25T06:14:20Z"));
    let other = json!({ "state": "closed", "state_reason": "not_planned" });
    assert_eq!(patch(other).await, closed("not_planned", "2026-02-25T06:14:20Z"), "closed at the same time");
    assert_eq!(patch(json!({ "title": "x" })).await, closed("not_planned", "2026-02-25T06:14:20Z"));
    let open = (json!("open"), json!("reopened"), Value::Null, Value::Null);
    assert_eq!(patch(json!({ "state": "open" })).await, open);
    assert_eq!(patch(json!({ "state_reason": "duplicate" })).await, open, "an open issue is no duplicate");
    let duplicate = json!({ "state": "closed", "state_reason": "duplicate" });
    assert_eq!(patch(duplicate).await, closed("duplicate", "2026-02-25T06:19:20Z"));
    let repo = fixture.user("mona").get("/repos/acme/rocket").await.expect(200).json();
    assert_eq!(repo["open_issues_count"], 1, "the pull request");
}

#[tokio::test]
async fn pull_request_is_changed_through_its_own_operation() {
    let fixture = fixture().await;
    let (issue, pull) = (format!("{ISSUES}/1"), "/repos/acme/rocket/pulls/1");
    let body = json!({ "title": "New", "labels": ["bug"], "assignees": ["hubot"], "state": "closed",
                       "state_reason": "not_planned" });
    let changed = fixture.user("hubot").patch(&issue, body).await.expect(200).json();
    assert_eq!((&changed["state"], &changed["state_reason"]), (&json!("closed"), &Value::Null));
    fixture.user("guest").post(&format!("{issue}/comments"), json!({ "body": "Why?" })).await.expect(201);
    let shown = fixture.user("guest").get(pull).await.expect(200).json();
    assert_eq!((&shown["title"], &shown["state"], &shown["comments"]), (&json!("New"), &json!("closed"), &json!(1)));
    assert_eq!((texts(&shown["labels"], "name"), texts(&shown["assignees"], "login")), (vec!["bug"], vec!["hubot"]));
    assert_eq!(shown["assignee"]["login"], "hubot");
    let list = fixture.user("guest").get("/repos/acme/rocket/pulls?state=all").await.expect(200).json();
    assert_eq!((&list[0]["labels"], &list[0]["assignees"]), (&shown["labels"], &shown["assignees"]));
    let open = fixture.user("hubot").patch(&issue, json!({ "state": "open" })).await.expect(200).json();
    assert_eq!(open["state"], "open");
    fixture.user("guest").patch(&issue, json!({ "title": "Mine" })).await.expect(403);
}

#[tokio::test]
async fn issue_is_changed_by_its_author_and_by_users_with_a_role() {
    let fixture = fixture().await;
    create_as(&fixture, "guest", json!({ "title": "Two" })).await;
    let path = format!("{ISSUES}/2");
    let body = json!({ "title": "Mine", "state": "closed", "labels": ["bug"], "assignees": ["hubot"] });
    let issue = fixture.user("guest").patch(&path, body).await.expect(200).json();
    assert_eq!((&issue["title"], &issue["state"]), (&json!("Mine"), &json!("closed")));
    assert_eq!((&issue["labels"], &issue["assignees"]), (&json!([]), &json!([])), "these are ignored");
    fixture.user("reader").patch(&path, json!({ "title": "Mine" })).await.expect(403);
    fixture.service.anonymous().patch(&path, json!({ "title": "Mine" })).await.expect(401);
    let triage =
        "repos: [{ name: acme/rocket, default_branch: main, collaborators: [{ user: reader, permission: triage }] }]";
    fixture.service.apply(triage).await;
    let issue = fixture.user("reader").patch(&path, json!({ "labels": ["bug"] })).await.expect(200).json();
    assert_eq!(texts(&issue["labels"], "name"), ["bug"]);
}
