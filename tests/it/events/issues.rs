//! Issues, their comments and labels.

use http::Method;
use plinth_core::events::EventName;
use serde_json::{Value, json};

use super::{Hooked, ROCKET, names, payload_of};

const ISSUES: &str = "/repos/octo-org/rocket/issues";

/// Opens the issue 1, and forgets the events so far.
async fn open_issue(hooked: &Hooked) {
    hooked.mona().post(ISSUES, json!({ "title": "Broken", "body": "Please" })).await.expect(201);
    hooked.take().await;
}

#[tokio::test]
async fn create_issue_records_opened_labeled_and_assigned() {
    let hooked = Hooked::new().await;
    let body = json!({ "title": "Broken", "labels": ["bug"], "assignees": ["mona"] });
    hooked.hubot().post(ISSUES, body).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["issues opened", "label created", "issues labeled", "issues assigned"]);
    let payloads: Vec<&Value> = taken.iter().map(|taken| &taken.payload).collect();
    assert_eq!((&payloads[0]["issue"]["number"], &payloads[0]["issue"]["labels"]), (&json!(1), &json!([])));
    assert_eq!((&payloads[1]["label"]["name"], &payloads[2]["label"]["name"]), (&json!("bug"), &json!("bug")));
    assert_eq!(payloads[2]["issue"]["labels"][0]["name"], "bug");
    assert_eq!((&payloads[3]["assignee"]["login"], &payloads[3]["sender"]["login"]), (&json!("mona"), &json!("hubot")));
    assert_eq!(payloads[3]["repository"]["open_issues_count"], 1);
}

#[tokio::test]
async fn update_issue_records_what_changed() {
    let hooked = Hooked::new().await;
    open_issue(&hooked).await;
    let path = format!("{ISSUES}/1");
    hooked.mona().patch(&path, json!({ "title": "Better", "body": "", "state": "closed" })).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["issues edited", "issues closed"]);
    let changes = &taken[0].payload["changes"];
    assert_eq!(*changes, json!({ "title": { "from": "Broken" }, "body": { "from": "Please" } }));
    assert_eq!(taken[1].payload["issue"]["state_reason"], "completed");
    hooked.mona().patch(&path, json!({ "state": "open" })).await.expect(200);
    assert_eq!(names(&hooked.take().await), ["issues reopened"]);
    hooked.mona().patch(&path, json!({ "title": "Better", "state": "open" })).await.expect(200);
    assert!(hooked.take().await.is_empty(), "nothing has changed");
}

#[tokio::test]
async fn labels_and_assignees_are_recorded_for_issues_and_pull_requests() {
    let hooked = Hooked::new().await;
    open_issue(&hooked).await;
    let body = json!({ "title": "Change", "head": "next", "base": "main" });
    hooked.mona().post(&format!("{ROCKET}/pulls"), body).await.expect(201);
    hooked.mona().post(&format!("{ROCKET}/labels"), json!({ "name": "bug" })).await.expect(201);
    hooked.take().await;
    for (number, event) in [(1, "issues"), (2, "pull_request")] {
        let path = format!("{ISSUES}/{number}");
        let subject = if number == 1 { "issue" } else { "pull_request" };
        hooked.mona().post(&format!("{path}/labels"), json!({ "labels": ["bug"] })).await.expect(200);
        hooked.mona().post(&format!("{path}/assignees"), json!({ "assignees": ["hubot"] })).await.expect(201);
        let taken = hooked.take().await;
        assert_eq!(names(&taken), [format!("{event} labeled"), format!("{event} assigned")]);
        assert_eq!(taken[0].payload["label"]["name"], "bug");
        assert_eq!(taken[1].payload["assignee"]["login"], "hubot");
        assert_eq!(taken[1].payload[subject]["assignees"][0]["login"], "hubot");
        assert_eq!(taken[1].payload[subject]["labels"][0]["name"], "bug");
        hooked.mona().post(&format!("{path}/labels"), json!({ "labels": ["bug"] })).await.expect(200);
        assert!(hooked.take().await.is_empty(), "nothing has changed");
        hooked.mona().delete(&format!("{path}/labels")).await.expect(204);
        let body = json!({ "assignees": ["hubot"] }).to_string();
        hooked.mona().send(Method::DELETE, &format!("{path}/assignees"), body).await.expect(200);
        let taken = hooked.take().await;
        assert_eq!(names(&taken), [format!("{event} unlabeled"), format!("{event} unassigned")]);
        assert_eq!(taken[0].payload["label"]["name"], "bug");
        assert_eq!(taken[1].payload["assignee"]["login"], "hubot");
    }
}

#[tokio::test]
async fn comments_are_recorded() {
    let hooked = Hooked::new().await;
    open_issue(&hooked).await;
    hooked.hubot().post(&format!("{ISSUES}/1/comments"), json!({ "body": "Why?" })).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["issue_comment created"]);
    let payload = payload_of(&taken, EventName::IssueComment);
    assert_eq!((&payload["comment"]["body"], &payload["issue"]["comments"]), (&json!("Why?"), &json!(1)));
    for _ in 0..2 {
        hooked.hubot().patch(&format!("{ISSUES}/comments/1"), json!({ "body": "How?" })).await.expect(200);
    }
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["issue_comment edited"], "the second one changes nothing");
    assert_eq!(taken[0].payload["changes"], json!({ "body": { "from": "Why?" } }));
    hooked.hubot().delete(&format!("{ISSUES}/comments/1")).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["issue_comment deleted"]);
    assert_eq!(taken[0].payload["comment"]["body"], "How?");
}

#[tokio::test]
async fn labels_of_the_repository_are_recorded() {
    let hooked = Hooked::new().await;
    let path = format!("{ROCKET}/labels");
    hooked.mona().post(&path, json!({ "name": "bug" })).await.expect(201);
    let change = json!({ "new_name": "defect", "color": "000000", "description": "Broken" });
    for path in [format!("{path}/bug"), format!("{path}/defect")] {
        hooked.mona().patch(&path, change.clone()).await.expect(200);
    }
    hooked.mona().delete(&format!("{path}/defect")).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["label created", "label edited", "label deleted"]);
    assert_eq!(
        taken[1].payload["changes"],
        json!({ "name": { "from": "bug" }, "color": { "from": "ededed" }, "description": { "from": "" } })
    );
}
