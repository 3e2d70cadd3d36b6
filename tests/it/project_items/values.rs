//! Values of fields on items.

use serde_json::{Value, json};

use super::{FIELDS, ISSUES, ITEMS, add, add_issue, field, fixture, get_with, in_rocket, mona, value};
use crate::support::Response;
use crate::support::pull_request::PullRequestFixture;

async fn set(fixture: &PullRequestFixture, path: &str, values: &[(&str, Value)]) -> Response {
    let mut fields = Vec::new();
    for (name, value) in values {
        fields.push(json!({ "id": field(fixture, name).await, "value": value }));
    }
    mona(fixture).patch(path, json!({ "fields": fields })).await
}

/// The id of the first iteration.
async fn sprint(fixture: &PullRequestFixture) -> Value {
    let field = field(fixture, "Sprint").await;
    let field = mona(fixture).get(&format!("{FIELDS}/{field}")).await.expect(200).json();
    field["configuration"]["iterations"][0]["id"].clone()
}

#[tokio::test]
async fn values_have_the_types_of_their_fields() {
    let fixture = fixture().await;
    let path = add_issue(&fixture).await;
    let sprint = sprint(&fixture).await;
    fixture.service.advance(60);
    let names = ["Title", "Status", "Notes", "Points", "Due", "Sprint"];
    let values = [
        ("Status", json!("47fc9ee4")),
        ("Notes", json!("<b>Ask</b>")),
        ("Points", json!(1.5)),
        ("Due", json!("2026-03-01")),
        ("Sprint", sprint.clone()),
    ];
    let updated = set(&fixture, &path, &values).await.expect(200).json();
    assert_eq!(updated["updated_at"], "2026-02-25T06:14:20Z");
    assert_eq!(
        value(&updated, "Status"),
        json!({ "id": "47fc9ee4", "name": { "raw": "In Progress", "html": "In Progress" }, "color": "YELLOW",
                "description": { "raw": "This is actively being worked on", "html": "This is actively being worked on" } })
    );
    assert_eq!(value(&updated, "Notes"), json!({ "raw": "<b>Ask</b>", "html": "&lt;b&gt;Ask&lt;/b&gt;" }));
    assert_eq!((value(&updated, "Points"), value(&updated, "Due")), (json!(1.5), json!("2026-03-01")));
    assert_eq!(
        value(&updated, "Sprint"),
        json!({ "id": sprint, "start_date": "2026-02-02", "duration": 14, "completed": true,
                "title": { "raw": "One", "html": "One" } })
    );
    assert_eq!(get_with(&fixture, &path, &names).await, updated);
    fixture.service.advance(60);
    let again = set(&fixture, &path, &[("Points", json!(1.5))]).await.expect(200).json();
    assert_eq!(again["updated_at"], "2026-02-25T06:14:20Z", "nothing has changed");
    let cleared = [("Status", Value::Null), ("Notes", json!("")), ("Points", json!(3)), ("Sprint", Value::Null)];
    let updated = set(&fixture, &path, &cleared).await.expect(200).json();
    assert_eq!(updated["updated_at"], "2026-02-25T06:15:20Z");
    let item = get_with(&fixture, &path, &names).await;
    let shown = ["Status", "Notes", "Points", "Due", "Sprint"].map(|name| value(&item, name));
    assert_eq!(shown, [json!(null), json!(null), json!(3), json!("2026-03-01"), json!(null)]);
}

#[tokio::test]
async fn invalid_values_change_nothing() {
    let fixture = fixture().await;
    let path = add_issue(&fixture).await;
    for (name, wrong) in [
        ("Status", json!("In Progress")),
        ("Status", json!(1)),
        ("Notes", json!(1)),
        ("Notes", json!("x".repeat(1_001))),
        ("Notes", json!("a\0b")),
        ("Points", json!("1")),
        ("Due", json!("tomorrow")),
        ("Sprint", json!("One")),
        ("Title", json!("New")),
        ("Assignees", json!(null)),
        ("Priority", json!("High")),
        ("Effort", json!(1)),
    ] {
        let response = set(&fixture, &path, &[("Due", json!("2026-03-01")), (name, wrong.clone())]).await;
        assert_eq!(response.status, 422, "{name}: {wrong}");
        let message = response.json()["errors"][0]["message"].as_str().expect("a sentence").to_owned();
        assert!(message.starts_with(&format!("The value of '{name}' ")), "{message}");
    }
    let other = mona(&fixture).get("/orgs/acme/projectsV2/2/fields").await.expect(200).json()[2]["id"].clone();
    let good = field(&fixture, "Status").await;
    for body in [
        json!({}),
        json!({ "fields": {} }),
        json!({ "fields": [{ "id": good }] }),
        json!({ "fields": [{ "value": "a" }] }),
        json!({ "fields": [{ "id": good, "value": [] }] }),
        json!({ "fields": [{ "id": other, "value": "47fc9ee4" }] }),
        json!({ "fields": vec![json!({ "id": good, "value": null }); 51] }),
    ] {
        assert_eq!(mona(&fixture).patch(&path, body.clone()).await.status, 422, "{body}");
    }
    assert_eq!(value(&get_with(&fixture, &path, &["Due"]).await, "Due"), Value::Null);
    let body = json!({ "fields": [] });
    mona(&fixture).patch(&path, body.clone()).await.expect(200);
    for id in ["99", "0", "x"] {
        mona(&fixture).patch(&format!("{ITEMS}/{id}"), body.clone()).await.expect(404);
    }
}

#[tokio::test]
async fn mirrors_show_values_of_the_issue() {
    let fixture = fixture().await;
    let path = add_issue(&fixture).await;
    let values = |priority: &str| json!({ "issue_field_values": [{ "field_id": 1, "value": priority }, { "field_id": 2, "value": 8 }] });
    let on_issue = format!("{ISSUES}/2/issue-field-values");
    let names = ["Priority", "Effort"];
    let item = get_with(&fixture, &path, &names).await;
    assert_eq!(names.map(|name| value(&item, name)), [json!(null), json!(null)]);
    for priority in ["High", "Low"] {
        mona(&fixture).post(&on_issue, values(priority)).await.expect(200);
        let item = get_with(&fixture, &path, &names).await;
        assert_eq!(value(&item, "Priority")["name"]["raw"], priority);
        assert_eq!(value(&item, "Effort"), json!(8));
        let field = field(&fixture, "Priority").await;
        let options = mona(&fixture).get(&format!("{FIELDS}/{field}")).await.expect(200).json()["options"].clone();
        assert!(options.as_array().expect("a list").contains(&value(&item, "Priority")));
    }
    let options = json!({ "options": [{ "id": 1, "name": "High", "color": "red", "priority": 1 }] });
    mona(&fixture).patch("/orgs/acme/issue-fields/1", options).await.expect(200);
    let item = get_with(&fixture, &path, &names).await;
    assert_eq!(value(&item, "Priority"), Value::Null, "its option was deleted");
    let effort = field(&fixture, "Effort").await;
    mona(&fixture).delete("/orgs/acme/issue-fields/2").await.expect(204);
    mona(&fixture).get(&format!("{path}?fields={effort}")).await.expect(422);
    get_with(&fixture, &path, &["Priority"]).await;
    let pull = format!("{ITEMS}/{}", add(&fixture, in_rocket("PullRequest", 1)).await["id"]);
    assert_eq!(value(&get_with(&fixture, &pull, &["Priority"]).await, "Priority"), Value::Null);
}
