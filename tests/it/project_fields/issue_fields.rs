//! Project fields that are linked to an issue field: they show its values and are deleted with it.

use expect_test::expect;
use serde_json::{Value, json};

use super::{ORG, STATE, add, mona, names};
use crate::support::Service;

async fn issue_field(service: &Service, name: &str) -> Value {
    let listed = mona(service).get("/orgs/octo-org/issue-fields").await.expect(200).json();
    let found = listed.as_array().and_then(|list| list.iter().find(|field| field["name"] == name));
    found.cloned().expect("the state has this issue field")
}

#[tokio::test]
async fn linked_field_shows_issue_field() {
    let service = Service::with(&STATE).await;
    let priority = issue_field(&service, "Priority").await;
    let field = add(&service, ORG, json!({ "issue_field_id": priority["id"] })).await;
    expect![[r#"
        {
          "created_at": "2026-02-25T06:13:20Z",
          "data_type": "single_select",
          "id": 33,
          "issue_field_id": 1,
          "name": "Priority",
          "node_id": "PVTSSF_lAADASE",
          "options": [
            {
              "color": "RED",
              "description": {
                "html": "",
                "raw": ""
              },
              "id": "f281be04",
              "name": {
                "html": "High",
                "raw": "High"
              }
            },
            {
              "color": "BLUE",
              "description": {
                "html": "Later",
                "raw": "Later"
              },
              "id": "ffc9e0a5",
              "name": {
                "html": "Low",
                "raw": "Low"
              }
            }
          ],
          "project_url": "http://plinth.test/projects/1",
          "updated_at": "2026-02-25T06:13:20Z"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&field).unwrap());
    let effort = issue_field(&service, "Effort").await;
    let number = add(&service, ORG, json!({ "issue_field_id": effort["id"] })).await;
    assert_eq!(number["data_type"], "number");
    assert_eq!(number["issue_field_id"], effort["id"]);
    assert!(number.get("options").is_none());
    let listed = mona(&service).get(ORG).await.json();
    assert_eq!(listed[11], field);
    assert_eq!(listed[12], number);
}

#[tokio::test]
async fn linked_field_reflects_changed_name_and_options() {
    let service = Service::with(&STATE).await;
    let priority = issue_field(&service, "Priority").await;
    let field = add(&service, ORG, json!({ "issue_field_id": priority["id"] })).await;
    let path = format!("{ORG}/{}", field["id"]);
    let tag = mona(&service).get(ORG).await.header("etag").unwrap().to_owned();
    service.advance(60);
    let change = json!({
        "name": "Urgency",
        "options": [
            { "name": "Never <i>", "color": "gray", "priority": 7 },
            { "id": priority["options"][1]["id"], "name": "Lower", "color": "green", "priority": 3 },
        ],
    });
    let issue_field_path = format!("/orgs/octo-org/issue-fields/{}", priority["id"]);
    mona(&service).patch(&issue_field_path, change).await.expect(200);
    let linked = mona(&service).header("if-none-match", &tag).get(&path).await.expect(200).json();
    assert_eq!(linked["name"], "Urgency");
    assert_eq!(linked["updated_at"], "2026-02-25T06:14:20Z");
    assert_eq!(linked["options"][0]["id"], field["options"][1]["id"], "an option that stays has the same id here too");
    assert_eq!(linked["options"][0]["name"], json!({ "raw": "Lower", "html": "Lower" }));
    assert_eq!(linked["options"][0]["color"], "GREEN");
    assert_eq!(linked["options"][1]["name"], json!({ "raw": "Never <i>", "html": "Never &lt;i&gt;" }));
    assert_eq!(linked["options"].as_array().unwrap().len(), 2);
    let listed = mona(&service).header("if-none-match", &tag).get(ORG).await.expect(200).json();
    assert_eq!(listed[11], linked);
}

#[tokio::test]
async fn delete_issue_field_deletes_linked_field() {
    let service = Service::with(&STATE).await;
    let priority = issue_field(&service, "Priority").await;
    let field = add(&service, ORG, json!({ "issue_field_id": priority["id"] })).await;
    add(&service, "/orgs/octo-org/projectsV2/2/fields", json!({ "issue_field_id": priority["id"] })).await;
    let tag = mona(&service).get(ORG).await.header("etag").unwrap().to_owned();
    mona(&service).delete(&format!("/orgs/octo-org/issue-fields/{}", priority["id"])).await.expect(204);
    mona(&service).get(&format!("{ORG}/{}", field["id"])).await.expect(404);
    for path in [ORG, "/orgs/octo-org/projectsV2/2/fields"] {
        let listed = mona(&service).header("if-none-match", &tag).get(path).await.expect(200).json();
        assert!(!names(&listed).contains(&"Priority"));
    }
    add(&service, ORG, json!({ "name": "Priority", "data_type": "text" })).await;
}

#[tokio::test]
async fn extra_attributes_must_match_issue_field() {
    let service = Service::with(&STATE).await;
    let priority = issue_field(&service, "Priority").await;
    let body = json!({ "issue_field_id": priority["id"], "name": "Urgency", "data_type": "text" });
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#projects/add-field-for-org",
          "errors": [
            {
              "code": "custom",
              "field": "name",
              "message": "name is \"Priority\" in the issue field and cannot differ here",
              "resource": "ProjectV2Field"
            },
            {
              "code": "custom",
              "field": "data_type",
              "message": "data_type is single_select in the issue field and cannot differ here",
              "resource": "ProjectV2Field"
            }
          ],
          "message": "Validation Failed",
          "status": "422"
        }"#]]
    .assert_eq(&mona(&service).post(ORG, body).await.to_string());
    let body = json!({ "issue_field_id": priority["id"], "name": "priority", "data_type": "single_select" });
    add(&service, ORG, body).await;
}

#[tokio::test]
async fn issue_field_is_added_once_and_only_in_its_organization() {
    let service = Service::with(&STATE).await;
    service.apply("orgs: [{ login: other-org, members: [{ user: mona, role: admin }] }]").await;
    service.apply("issue_fields: [{ org: other-org, name: Foreign, data_type: text }]").await;
    let foreign = mona(&service).get("/orgs/other-org/issue-fields").await.json()[0]["id"].clone();
    for id in [foreign, json!(99_999)] {
        let rejected = mona(&service).post(ORG, json!({ "issue_field_id": id })).await.expect(422).json();
        let missing = json!([{ "resource": "ProjectV2Field", "code": "missing", "field": "issue_field_id" }]);
        assert_eq!(rejected["errors"], missing);
    }
    let effort = issue_field(&service, "Effort").await;
    add(&service, ORG, json!({ "issue_field_id": effort["id"] })).await;
    let rejected = mona(&service).post(ORG, json!({ "issue_field_id": effort["id"] })).await.expect(422).json();
    let twice = json!([{ "resource": "ProjectV2Field", "code": "already_exists", "field": "issue_field_id" }]);
    assert_eq!(rejected["errors"], twice);
    let platforms = issue_field(&service, "Platforms").await;
    let rejected = mona(&service).post(ORG, json!({ "issue_field_id": platforms["id"] })).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#projects/add-field-for-org",
          "errors": [
            {
              "code": "custom",
              "field": "issue_field_id",
              "message": "a multi_select issue field cannot be added to a project",
              "resource": "ProjectV2Field"
            }
          ],
          "message": "Validation Failed",
          "status": "422"
        }"#]]
    .assert_eq(&rejected.to_string());
}

#[tokio::test]
async fn name_conflicts_are_rejected_in_both_directions() {
    let service = Service::with(&STATE).await;
    let (priority, effort) = (issue_field(&service, "Priority").await, issue_field(&service, "Effort").await);
    add(&service, ORG, json!({ "name": "EFFORT", "data_type": "text" })).await;
    let rejected = mona(&service).post(ORG, json!({ "issue_field_id": effort["id"] })).await.expect(422).json();
    let taken = json!([{ "resource": "ProjectV2Field", "code": "already_exists", "field": "name" }]);
    assert_eq!(rejected["errors"], taken);
    add(&service, ORG, json!({ "issue_field_id": priority["id"] })).await;
    let path = format!("/orgs/octo-org/issue-fields/{}", priority["id"]);
    let rejected = mona(&service).patch(&path, json!({ "name": "Status" })).await.expect(422).json();
    assert_eq!(rejected["errors"], json!(["Name has already been taken"]));
    assert_eq!(issue_field(&service, "Priority").await["id"], priority["id"], "neither of the two was renamed");
    assert_eq!(mona(&service).get(ORG).await.json()[12]["name"], "Priority");
}

#[tokio::test]
async fn user_projects_cannot_link_issue_fields() {
    let service = Service::with(&STATE).await;
    let effort = issue_field(&service, "Effort").await;
    for body in [
        json!({ "issue_field_id": effort["id"] }),
        json!({ "issue_field_id": effort["id"], "name": "Effort", "data_type": "number" }),
    ] {
        let response = mona(&service).post(super::USER, body).await.expect(422);
        assert_eq!(response.message(), "Invalid request.\n\n\"issue_field_id\" is not a permitted key.");
    }
}
