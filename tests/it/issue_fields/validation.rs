//! Rejected fields, and their messages.

use expect_test::expect;
use serde_json::{Value, json};

use super::{FIELDS, STATE, admin, create, create_priority, path_of};
use crate::support::Service;

async fn rejection(service: &Service, body: Value) -> String {
    admin(service).post(FIELDS, body).await.to_string()
}

#[tokio::test]
async fn malformed_body_is_rejected_with_message() {
    let service = Service::with(&STATE).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#orgs/create-issue-field",
          "message": "Invalid request.\n\n\"data_type\", \"name\" weren't supplied.",
          "status": "422"
        }"#]]
    .assert_eq(&rejection(&service, json!({})).await);
    let wrong = json!({
        "name": 1,
        "data_type": "iteration",
        "visibility": "nobody",
        "description": false,
        "options": [{ "color": "RED", "priority": "first" }, 7],
    });
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#orgs/create-issue-field",
          "message": "Invalid request.\n\nFor 'properties/name', 1 is not a string.\nFor 'properties/description', false is not a string or null.\nFor 'properties/data_type', iteration is not a member of [\"text\", \"date\", \"single_select\", \"multi_select\", \"number\"].\nFor 'properties/visibility', nobody is not a member of [\"organization_members_only\", \"all\"].\nFor 'properties/options/items', \"name\" wasn't supplied.\nFor 'properties/options/items/properties/color', RED is not a member of [\"gray\", \"blue\", \"green\", \"yellow\", \"orange\", \"red\", \"pink\", \"purple\"].\nFor 'properties/options/items/properties/priority', first is not an integer.\nFor 'properties/options/items', 7 is not an object.",
          "status": "422"
        }"#]].assert_eq(&rejection(&service, wrong).await);
}

#[tokio::test]
async fn invalid_values_are_reported_in_sentences() {
    let service = Service::with(&STATE).await;
    let wrong = json!({
        "name": "  ",
        "description": "x".repeat(1001),
        "data_type": "single_select",
        "options": [
            { "name": "a", "color": "red", "priority": 1 },
            { "name": "A", "color": "red", "priority": 1 },
            { "name": "b", "color": "red", "priority": -1 },
        ],
    });
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#orgs/create-issue-field",
          "errors": [
            "Name can't be blank",
            "Description is too long (maximum is 1000 characters)",
            "Option name \"A\" is used more than once",
            "Option priority 1 is used more than once",
            "Option priority must be between 0 and 2147483647"
          ],
          "message": "Validation Failed",
          "status": "422"
        }"#]]
    .assert_eq(&rejection(&service, wrong).await);
}

#[tokio::test]
async fn options_are_accepted_only_for_select_types() {
    let service = Service::with(&STATE).await;
    for nothing in [json!({}), json!({ "options": null }), json!({ "options": [] })] {
        for data_type in ["single_select", "multi_select"] {
            let mut body = nothing.clone();
            body["name"] = json!("Priority");
            body["data_type"] = json!(data_type);
            let response = admin(&service).post(FIELDS, body).await.expect(422).json();
            assert_eq!(response["errors"], json!(["Options can't be blank"]));
        }
    }
    let options = json!([{ "name": "a", "color": "red", "priority": 1 }]);
    let rejected = json!(["Options are only for single_select and multi_select fields, not for text fields"]);
    let body = json!({ "name": "Notes", "data_type": "text", "options": options });
    assert_eq!(admin(&service).post(FIELDS, body).await.expect(422).json()["errors"], rejected);
    let field = create(&service, json!({ "name": "Notes", "data_type": "text" })).await;
    let response = admin(&service).patch(&path_of(&field), json!({ "options": options })).await.expect(422);
    assert_eq!(response.json()["errors"], rejected);
    let priority = create_priority(&service).await;
    let response = admin(&service).patch(&path_of(&priority), json!({ "options": [] })).await.expect(422);
    assert_eq!(response.json()["errors"], json!(["Options can't be blank"]));
    let same = admin(&service).patch(&path_of(&priority), json!({ "options": null })).await.expect(200).json();
    assert_eq!(same["options"], priority["options"]);
}

#[tokio::test]
async fn option_without_priority_is_rejected() {
    let service = Service::with(&STATE).await;
    let message = "Invalid request.\n\nFor 'properties/options/items', \"priority\" wasn't supplied.";
    let options = json!([{ "name": "a", "color": "red" }, { "name": "b", "color": "red", "priority": 1 }]);
    let body = json!({ "name": "Stage", "data_type": "single_select", "options": options });
    assert_eq!(admin(&service).post(FIELDS, body).await.expect(422).message(), message);
    let field = create_priority(&service).await;
    let options = json!([{ "id": field["options"][0]["id"], "name": "High", "color": "red" }]);
    let response = admin(&service).patch(&path_of(&field), json!({ "options": options })).await.expect(422);
    assert_eq!(response.message(), message);
    assert_eq!(admin(&service).get(FIELDS).await.json()[0]["options"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn update_rejects_other_data_type() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let other = json!({ "data_type": "text", "name": "Renamed" });
    let response = admin(&service).patch(&path_of(&field), other).await.expect(422).json();
    assert_eq!(response["errors"], json!(["Data type is single_select and can't be changed"]));
    let same = json!({ "data_type": "single_select" });
    assert_eq!(admin(&service).patch(&path_of(&field), same).await.expect(200).json(), field);
    admin(&service).patch(&path_of(&field), json!({ "data_type": "file" })).await.expect(422);
}

#[tokio::test]
async fn field_is_limited_to_fifty_options_with_short_error() {
    let service = Service::with(&STATE).await;
    let body = |options: Value| json!({ "name": "Priority", "data_type": "single_select", "options": options });
    let option = |number: i32| json!({ "name": format!("{number}"), "color": "red", "priority": number });
    let many = |count: i32| (0..count).map(option);
    let rejected = admin(&service).post(FIELDS, body(many(51).collect())).await.expect(422);
    let sentence = "For 'properties/options', No more than 50 items are allowed; 51 were supplied.";
    assert_eq!(rejected.message(), format!("Invalid request.\n\n{sentence}"));
    let rubbish = admin(&service).post(FIELDS, body(json!(vec![1; 100_000]))).await.expect(422);
    assert!(rubbish.body.len() < 1_000);
    let field = create(&service, body(many(50).collect())).await;
    let rejected = admin(&service).patch(&path_of(&field), json!({ "options": many(51).collect::<Vec<_>>() })).await;
    assert_eq!(rejected.expect(422).message(), format!("Invalid request.\n\n{sentence}"));
}

#[tokio::test]
async fn name_is_unique_per_organization_ignoring_case() {
    let service = Service::with(&STATE).await;
    create(&service, json!({ "name": "Priority", "data_type": "text" })).await;
    let other = create(&service, json!({ "name": "Effort", "data_type": "number" })).await;
    let taken = json!(["Name has already been taken"]);
    let again = json!({ "name": "PRIORITY ", "data_type": "text" });
    assert_eq!(admin(&service).post(FIELDS, again.clone()).await.expect(422).json()["errors"], taken);
    let renamed = admin(&service).patch(&path_of(&other), json!({ "name": "priority" })).await;
    assert_eq!(renamed.expect(422).json()["errors"], taken);
    admin(&service).patch(&path_of(&other), json!({ "name": "EFFORT" })).await.expect(200);
    admin(&service).post("/orgs/other-org/issue-fields", again).await.expect(200);
}

#[tokio::test]
async fn organization_is_limited_to_twenty_five_fields() {
    let service = Service::with(&STATE).await;
    for number in 1..=25 {
        create(&service, json!({ "name": format!("Field {number}"), "data_type": "text" })).await;
    }
    let response = admin(&service).post(FIELDS, json!({ "name": "One more", "data_type": "text" })).await;
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#orgs/create-issue-field",
          "errors": [
            "An organization can have at most 25 issue fields"
          ],
          "message": "Validation Failed",
          "status": "422"
        }"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn field_is_found_only_in_its_organization() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let elsewhere = format!("/orgs/other-org/issue-fields/{}", field["id"]);
    admin(&service).patch(&elsewhere, json!({ "name": "Mine" })).await.expect(404);
    admin(&service).delete(&elsewhere).await.expect(404);
    for id in ["0", "x", "-1", "99999999999999999999"] {
        admin(&service).patch(&format!("{FIELDS}/{id}"), json!({})).await.expect(404);
    }
    assert_eq!(admin(&service).get(FIELDS).await.json()[0]["name"], "Priority");
}

#[tokio::test]
async fn repeated_field_is_rejected_as_spam() {
    let settings = plinth_api::settings::Settings::default();
    let most = settings.rate_limits.same_content_per_minute;
    let service = Service::with_settings(&STATE, settings).await;
    let body = json!({ "name": "Notes", "data_type": "text" });
    for _ in 0..most {
        admin(&service).post(FIELDS, body.clone()).await;
    }
    let response = admin(&service).post(FIELDS, body).await.expect(422);
    assert!(response.message().contains("spammed"), "{response}");
}
