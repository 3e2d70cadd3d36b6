//! Issue fields.

mod options;
mod rights;
mod state;
mod validation;

use std::sync::LazyLock;

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::fixtures::two_orgs;
use crate::support::{Client, Service};

static STATE: LazyLock<String> =
    LazyLock::new(|| two_orgs().classic("mona", "admin:org", "ghp_mona_admin").to_string());
const FIELDS: &str = "/orgs/octo-org/issue-fields";

fn admin(service: &Service) -> Client<'_> {
    service.with_token("ghp_mona_admin")
}

/// Creates a field and returns it.
async fn create(service: &Service, body: Value) -> Value {
    admin(service).post(FIELDS, body).await.expect(200).json()
}

/// A select field with the options High (1), Medium (2) and Low (3).
async fn create_priority(service: &Service) -> Value {
    let options = json!([
        { "name": "High", "color": "red", "priority": 1 },
        { "name": "Medium", "color": "yellow", "priority": 2 },
        { "name": "Low", "color": "green", "priority": 3 },
    ]);
    create(service, json!({ "name": "Priority", "data_type": "single_select", "options": options })).await
}

fn path_of(field: &Value) -> String {
    format!("{FIELDS}/{}", field["id"])
}

#[tokio::test]
async fn create_field_returns_its_options() {
    let service = Service::with(&STATE).await;
    let options = json!([
        { "name": "High", "description": "Now", "color": "red", "priority": 1 },
        { "name": "Low", "description": null, "color": "gray", "priority": 2 },
    ]);
    let body = json!({
        "name": " Priority ",
        "description": "How urgent it is",
        "data_type": "single_select",
        "visibility": "all",
        "options": options,
    });
    let response = admin(&service).post(FIELDS, body).await;
    expect![[r#"
        200
        {
          "created_at": "2026-02-25T06:13:20Z",
          "data_type": "single_select",
          "description": "How urgent it is",
          "id": 1,
          "name": "Priority",
          "node_id": "IFSS_kwAEAQ",
          "options": [
            {
              "color": "red",
              "created_at": "2026-02-25T06:13:20Z",
              "description": "Now",
              "id": 1,
              "name": "High",
              "priority": 1,
              "updated_at": "2026-02-25T06:13:20Z"
            },
            {
              "color": "gray",
              "created_at": "2026-02-25T06:13:20Z",
              "description": null,
              "id": 2,
              "name": "Low",
              "priority": 2,
              "updated_at": "2026-02-25T06:13:20Z"
            }
          ],
          "updated_at": "2026-02-25T06:13:20Z",
          "visibility": "all"
        }"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn list_fields_sorts_by_id_with_short_options() {
    let service = Service::with(&STATE).await;
    create_priority(&service).await;
    create(&service, json!({ "name": "Due", "data_type": "date" })).await;
    let response = admin(&service).get(FIELDS).await;
    expect![[r#"
        200
        [
          {
            "created_at": "2026-02-25T06:13:20Z",
            "data_type": "single_select",
            "description": null,
            "id": 1,
            "name": "Priority",
            "node_id": "IFSS_kwAEAQ",
            "options": [
              {
                "color": "red",
                "id": 1,
                "name": "High"
              },
              {
                "color": "yellow",
                "id": 2,
                "name": "Medium"
              },
              {
                "color": "green",
                "id": 3,
                "name": "Low"
              }
            ],
            "updated_at": "2026-02-25T06:13:20Z",
            "visibility": "organization_members_only"
          },
          {
            "created_at": "2026-02-25T06:13:20Z",
            "data_type": "date",
            "description": null,
            "id": 2,
            "name": "Due",
            "node_id": "IFD_kwAEAg",
            "updated_at": "2026-02-25T06:13:20Z",
            "visibility": "organization_members_only"
          }
        ]"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn only_select_types_have_options() {
    let service = Service::with(&STATE).await;
    for data_type in ["text", "date", "number"] {
        let field = create(&service, json!({ "name": data_type, "data_type": data_type, "options": null })).await;
        assert_eq!(field["data_type"], data_type);
        assert!(field.get("options").is_none(), "{field}");
    }
    for data_type in ["single_select", "multi_select"] {
        let options = json!([{ "name": "One", "color": "blue", "priority": 1 }]);
        let field = create(&service, json!({ "name": data_type, "data_type": data_type, "options": options })).await;
        assert_eq!(field["data_type"], data_type);
        assert_eq!(field["options"][0]["name"], "One");
    }
    let listed = admin(&service).get(FIELDS).await.expect(200).json();
    let nodes: Vec<&str> = listed.as_array().unwrap().iter().map(|field| field["node_id"].as_str().unwrap()).collect();
    let prefixes: Vec<&str> = nodes.iter().map(|node| node.split_once('_').unwrap().0).collect();
    assert_eq!(prefixes, ["IFT", "IFD", "IFN", "IFSS", "IFMS"]);
}

#[tokio::test]
async fn default_visibility_is_members_only() {
    let service = Service::with(&STATE).await;
    let field = create(&service, json!({ "name": "Notes", "data_type": "text" })).await;
    assert_eq!(field["visibility"], "organization_members_only");
    let changed = admin(&service).patch(&path_of(&field), json!({ "visibility": "all" })).await.expect(200).json();
    assert_eq!(changed["visibility"], "all");
    assert_eq!(admin(&service).get(FIELDS).await.json()[0]["visibility"], "all");
}

#[tokio::test]
async fn update_field_changes_only_given_attributes() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    service.advance(60);
    let response =
        admin(&service).patch(&path_of(&field), json!({ "name": "Urgency", "description": "How soon" })).await;
    let mut wanted = field.clone();
    wanted["name"] = json!("Urgency");
    wanted["description"] = json!("How soon");
    wanted["updated_at"] = json!("2026-02-25T06:14:20Z");
    assert_eq!(response.expect(200).json(), wanted);
    let response = admin(&service).patch(&path_of(&field), json!({ "description": null })).await;
    wanted["description"] = Value::Null;
    assert_eq!(response.expect(200).json(), wanted);
}

#[tokio::test]
async fn update_without_change_keeps_updated_at() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    service.advance(60);
    let same = json!({ "name": "Priority", "description": null, "options": field["options"] });
    assert_eq!(admin(&service).patch(&path_of(&field), same).await.expect(200).json(), field);
    assert_eq!(admin(&service).patch(&path_of(&field), json!({})).await.expect(200).json(), field);
}

#[tokio::test]
async fn deleted_field_id_is_not_reused() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let response = admin(&service).delete(&path_of(&field)).await.expect(204);
    assert!(response.body.is_empty());
    assert_eq!(admin(&service).get(FIELDS).await.json(), json!([]));
    assert_eq!(admin(&service).delete(&path_of(&field)).await.expect(404).message(), "Not Found");
    admin(&service).patch(&path_of(&field), json!({ "name": "Back" })).await.expect(404);
    let again = create_priority(&service).await;
    assert!(again["id"].as_i64() > field["id"].as_i64());
    let highest = field["options"][2]["id"].as_i64();
    assert!(again["options"][0]["id"].as_i64() > highest, "{again}");
}

#[tokio::test]
async fn unchanged_field_list_returns_304() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let first = admin(&service).get(FIELDS).await.expect(200);
    let tag = first.header("etag").unwrap().to_owned();
    let cached = admin(&service).header("if-none-match", &tag);
    let again = cached.get(FIELDS).await.expect(304);
    assert!(again.body.is_empty());
    assert_eq!(again.header("etag"), Some(tag.as_str()));
    for change in [
        json!({ "name": "Urgency" }),
        json!({ "options": [{ "id": field["options"][0]["id"], "name": "Top", "color": "red", "priority": 1 }] }),
    ] {
        let before = admin(&service).get(FIELDS).await.header("etag").unwrap().to_owned();
        admin(&service).patch(&path_of(&field), change).await.expect(200);
        admin(&service).header("if-none-match", &before).get(FIELDS).await.expect(200);
    }
    let before = admin(&service).get(FIELDS).await.header("etag").unwrap().to_owned();
    admin(&service).delete(&path_of(&field)).await.expect(204);
    admin(&service).header("if-none-match", &before).get(FIELDS).await.expect(200);
}
