//! Values of issue fields on issues.

use http::Method;
use serde_json::{Value, json};

use super::{ISSUES, create, create_as, fixture};
use crate::support::pull_request::PullRequestFixture;

const FIELDS: &str = "
issue_fields:
  - { org: acme, name: Notes, data_type: text, visibility: all }
  - { org: acme, name: Due, data_type: date, visibility: all }
  - { org: acme, name: Effort, data_type: number, visibility: all }
  - { org: acme, name: Priority, data_type: single_select, visibility: all,
      options: [{ name: High, color: red }, { name: Low, color: gray }] }
  - { org: acme, name: Areas, data_type: multi_select, options: [{ name: Api, color: blue }, { name: Docs, color: pink }] }
";

async fn fixture_with_fields() -> PullRequestFixture {
    let fixture = fixture().await;
    fixture.service.apply(FIELDS).await;
    create(&fixture, json!({ "title": "Two" })).await;
    fixture
}

async fn send(fixture: &PullRequestFixture, method: Method, values: Value) -> Value {
    let body = json!({ "issue_field_values": values }).to_string();
    fixture.user("mona").send(method, &format!("{ISSUES}/2/issue-field-values"), body).await.expect(200).json()
}

/// The names of fields and their values.
fn shown(values: &Value) -> Vec<(String, Value)> {
    let values = values.as_array().expect("a list").iter();
    values
        .map(|value| (value["issue_field_name"].as_str().expect("a name").to_owned(), value["value"].clone()))
        .collect()
}

#[tokio::test]
async fn values_have_the_types_of_their_fields() {
    let fixture = fixture_with_fields().await;
    let values = send(
        &fixture,
        Method::POST,
        json!([{ "field_id": 1, "value": "Ask" }, { "field_id": 2, "value": "2026-03-01" },
               { "field_id": 3, "value": 1.5 }, { "field_id": 4, "value": "Low" },
               { "field_id": 5, "value": ["Docs", "Api"] }]),
    )
    .await;
    let without_node = |value: &Value| {
        let mut value = value.clone();
        value.as_object_mut().expect("an object").remove("node_id");
        value
    };
    let without_nodes: Vec<Value> = values.as_array().expect("a list").iter().map(without_node).collect();
    assert_eq!(
        without_nodes,
        [
            json!({ "issue_field_id": 1, "issue_field_name": "Notes", "data_type": "text", "value": "Ask" }),
            json!({ "issue_field_id": 2, "issue_field_name": "Due", "data_type": "date", "value": "2026-03-01" }),
            json!({ "issue_field_id": 3, "issue_field_name": "Effort", "data_type": "number", "value": 1.5 }),
            json!({ "issue_field_id": 4, "issue_field_name": "Priority", "data_type": "single_select", "value": "Low",
                    "single_select_option": { "id": 2, "name": "Low", "color": "gray" } }),
            json!({ "issue_field_id": 5, "issue_field_name": "Areas", "data_type": "multi_select", "value": null,
                    "multi_select_options": [{ "id": 3, "name": "Api", "color": "blue" },
                                             { "id": 4, "name": "Docs", "color": "pink" }] }),
        ]
    );
    let issue = fixture.user("mona").get(&format!("{ISSUES}/2")).await.expect(200).json();
    assert_eq!(issue["issue_field_values"], values);
    let listed = fixture.user("mona").get(&format!("{ISSUES}/2/issue-field-values")).await.expect(200).json();
    assert_eq!(listed, values);
    let page = fixture.user("mona").get(&format!("{ISSUES}/2/issue-field-values?per_page=2&page=3")).await.expect(200);
    assert_eq!(shown(&page.json()), [("Areas".to_owned(), Value::Null)]);
}

#[tokio::test]
async fn post_adds_put_replaces_and_delete_removes() {
    let fixture = fixture_with_fields().await;
    let of = |pairs: &[(&str, Value)]| {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<Vec<_>>()
    };
    send(&fixture, Method::POST, json!([{ "field_id": 1, "value": "a" }, { "field_id": 4, "value": "High" }])).await;
    fixture.service.advance(60);
    let added =
        send(&fixture, Method::POST, json!([{ "field_id": 3, "value": 7 }, { "field_id": 4, "value": "Low" }])).await;
    assert_eq!(shown(&added), of(&[("Notes", json!("a")), ("Effort", json!(7)), ("Priority", json!("Low"))]));
    let issue = fixture.user("mona").get(&format!("{ISSUES}/2")).await.expect(200).json();
    assert_eq!(issue["updated_at"], "2026-02-25T06:14:20Z");
    let set =
        send(&fixture, Method::PUT, json!([{ "field_id": 2, "value": "2026-01-01" }, { "field_id": 3, "value": 7 }]))
            .await;
    assert_eq!(shown(&set), of(&[("Due", json!("2026-01-01")), ("Effort", json!(7))]));
    let path = format!("{ISSUES}/2/issue-field-values");
    fixture.user("mona").delete(&format!("{path}/2")).await.expect(204);
    for id in ["2", "99", "x"] {
        fixture.user("mona").delete(&format!("{path}/{id}")).await.expect(404);
    }
    assert_eq!(send(&fixture, Method::POST, json!([])).await, json!([]), "an empty list clears all");
    let created =
        create(&fixture, json!({ "title": "Three", "issue_field_values": [{ "field_id": 4, "value": "High" }] })).await;
    assert_eq!(shown(&created["issue_field_values"]), of(&[("Priority", json!("High"))]));
    let body = json!({ "issue_field_values": [{ "field_id": 1, "value": "new" }] });
    let updated = fixture.user("mona").patch(&format!("{ISSUES}/3"), body).await.expect(200).json();
    assert_eq!(shown(&updated["issue_field_values"]), of(&[("Notes", json!("new")), ("Priority", json!("High"))]));
}

#[tokio::test]
async fn invalid_values_change_nothing() {
    let fixture = fixture_with_fields().await;
    let path = format!("{ISSUES}/2/issue-field-values");
    for (field, value) in [
        (1, json!(1)),
        (1, json!("x".repeat(1025))),
        (2, json!("tomorrow")),
        (3, json!("7")),
        (4, json!("Medium")),
        (4, json!(["Low"])),
        (5, json!(["Api", "Other"])),
        (99, json!("a")),
        (1, json!(null)),
        (1, json!({})),
    ] {
        let values = json!({ "issue_field_values": [{ "field_id": 1, "value": "good" }, { "field_id": field, "value": value }] });
        fixture.user("mona").post(&path, values.clone()).await.expect(422);
        let mut body = values;
        body["title"] = json!("Three");
        fixture.user("mona").post(ISSUES, body).await.expect(422);
    }
    fixture.user("mona").post(&path, json!({})).await.expect(422);
    assert_eq!(fixture.user("mona").get(&path).await.expect(200).json(), json!([]));
    fixture.user("mona").get(&format!("{ISSUES}/3")).await.expect(404);
    fixture.user("mona").get(&format!("{ISSUES}/1/issue-field-values")).await.expect(404);
    let other = "orgs: [{ login: elsewhere, members: [{ user: mona, role: admin }] }]
issue_fields: [{ org: elsewhere, name: Foreign, data_type: text }]";
    fixture.service.apply(other).await;
    let foreign = json!({ "issue_field_values": [{ "field_id": 6, "value": "a" }] });
    fixture.user("mona").post(&path, foreign).await.expect(422);
}

#[tokio::test]
async fn values_require_write_access_and_hidden_fields_a_membership() {
    let fixture = fixture_with_fields().await;
    let path = format!("{ISSUES}/2/issue-field-values");
    send(&fixture, Method::POST, json!([{ "field_id": 1, "value": "a" }, { "field_id": 5, "value": ["Api"] }])).await;
    for login in ["hubot", "guest"] {
        let seen = fixture.user(login).get(&path).await.expect(200).json();
        assert_eq!(shown(&seen), [("Notes".to_owned(), json!("a"))], "{login} is no member");
        let issue = fixture.user(login).get(&format!("{ISSUES}/2")).await.expect(200).json();
        assert_eq!(issue["issue_field_values"], seen);
    }
    let body = json!({ "issue_field_values": [{ "field_id": 1, "value": "b" }] });
    fixture.user("guest").post(&path, body.clone()).await.expect(403);
    fixture.user("guest").delete(&format!("{path}/1")).await.expect(403);
    fixture.user("hubot").post(&path, body.clone()).await.expect(200);
    let mut new = body;
    new["title"] = json!("Three");
    let issue = create_as(&fixture, "guest", new).await;
    assert_eq!(issue["issue_field_values"], json!([]), "ignored");
}

#[tokio::test]
async fn values_go_with_their_fields_and_options() {
    let fixture = fixture_with_fields().await;
    fixture.service.apply("tokens: [{ kind: classic, user: mona, scopes: [admin:org], token: ghp_admin }]").await;
    send(&fixture, Method::POST, json!([{ "field_id": 1, "value": "a" }, { "field_id": 4, "value": "High" }])).await;
    let admin = fixture.service.with_token("ghp_admin");
    let options = json!({ "options": [{ "id": 2, "name": "Low", "color": "gray", "priority": 1 }] });
    admin.patch("/orgs/acme/issue-fields/4", options).await.expect(200);
    admin.delete("/orgs/acme/issue-fields/1").await.expect(204);
    let issue = fixture.user("mona").get(&format!("{ISSUES}/2")).await.expect(200).json();
    assert_eq!(issue["issue_field_values"], json!([]));
}
