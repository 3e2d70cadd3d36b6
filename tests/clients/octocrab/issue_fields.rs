//! Issue fields of an organization.

use serde_json::{Value, json};

use crate::support::{HUBOT, MONA, STRANGER, assert_rejected, delete, get, rejection, with};

const ROUTE: &str = "/orgs/octo-org/issue-fields";

#[tokio::test]
async fn list_fields_returns_names_and_types() {
    let fields = with(HUBOT).orgs("octo-org").issue_fields().list().await.unwrap();
    let named = |name: &str| fields.iter().find(|field| field.name == name).expect("a field of the state file");
    assert_eq!(named("Priority").data_type.as_deref(), Some("single_select"));
    assert_eq!(named("Priority").description.as_deref(), Some("What comes first"));
    assert_eq!(named("Effort").data_type.as_deref(), Some("number"));
    assert_eq!(named("Effort").description, None);
}

#[tokio::test]
async fn field_is_created_updated_and_deleted() {
    let mona = with(MONA);
    let orgs = mona.orgs("octo-org");
    let fields = orgs.issue_fields();
    let made =
        fields.create(&json!({ "name": "Crab text", "data_type": "text", "description": "Sideways" })).await.unwrap();
    assert_eq!((made.name.as_str(), made.description.as_deref()), ("Crab text", Some("Sideways")));
    let id = made.id.as_u64().expect("a number");

    let changed = fields.update(id, &json!({ "name": "Crab words", "description": null })).await.unwrap();
    assert_eq!((changed.name.as_str(), changed.description.as_deref()), ("Crab words", None));
    assert_eq!(changed.id, made.id);

    fields.delete(id).await.unwrap();
    assert!(fields.list().await.unwrap().iter().all(|field| field.id != made.id));
    assert_rejected(fields.delete(id).await, 404, "Not Found");
    assert_rejected(fields.update(id, &json!({ "name": "Again" })).await, 404, "Not Found");
}

/// The client's own type has no options.
#[tokio::test]
async fn options_are_replaced_as_set_and_keep_their_ids() {
    let mona = with(MONA);
    let options = json!([
        { "name": "Small", "color": "green", "priority": 1 },
        { "name": "Large", "color": "red", "priority": 2, "description": "Takes long" },
    ]);
    let body = json!({ "name": "Crab size", "data_type": "single_select", "options": options });
    let made: Value = mona.post(ROUTE, Some(&body)).await.unwrap();
    let large = made["options"][1].clone();
    assert_eq!((large["name"].as_str(), large["color"].as_str()), (Some("Large"), Some("red")));
    assert_eq!(large["description"], "Takes long");

    let remaining = json!({ "options": [{ "id": large["id"], "name": "Huge", "color": "purple", "priority": 1 }] });
    let route = format!("{ROUTE}/{}", made["id"]);
    let changed: Value = mona.patch(&route, Some(&remaining)).await.unwrap();
    assert_eq!(changed["options"].as_array().map(Vec::len), Some(1));
    assert_eq!(changed["options"][0]["id"], large["id"]);
    assert_eq!(changed["options"][0]["name"], "Huge");
    assert_eq!(delete(&mona, &route).await.unwrap(), 204);
}

#[tokio::test]
async fn duplicate_name_is_rejected_with_message() {
    let mona = with(MONA);
    let body = json!({ "name": "priority", "data_type": "text" });
    let rejected = rejection(mona.orgs("octo-org").issue_fields().create(&body).await);
    assert_eq!((rejected.status_code.as_u16(), rejected.message.as_str()), (422, "Validation Failed"));
    let errors = rejected.errors.expect("what is wrong");
    assert!(errors.iter().all(Value::is_string) && !errors.is_empty(), "{errors:?}");
}

#[tokio::test]
async fn missing_attributes_are_named() {
    let mona = with(MONA);
    let rejected = mona.orgs("octo-org").issue_fields().create(&json!({ "data_type": "text" })).await;
    assert_rejected(rejected, 422, "Invalid request.\n\n\"name\" wasn't supplied.");
}

#[tokio::test]
async fn fields_are_hidden_from_strangers_and_read_only_for_members() {
    let stranger = with(STRANGER);
    assert_rejected(stranger.orgs("octo-org").issue_fields().list().await, 404, "Not Found");
    assert_rejected(get(&with(HUBOT), "/orgs/nobody/issue-fields").await, 404, "Not Found");
    let body = json!({ "name": "Mine", "data_type": "text" });
    assert_rejected(with(HUBOT).orgs("octo-org").issue_fields().create(&body).await, 404, "Not Found");
}
