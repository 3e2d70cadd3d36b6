//! Rejected fields, and their error responses.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{ORG, STATE, USER, add, mona};
use crate::schemas;
use crate::support::Service;

async fn check(service: &Service, body: Value, expected: Expect) {
    let response = mona(service).post(ORG, body).await.expect(422);
    schemas::check("projects/add-field-for-org", &response);
    let mut reported = response.message();
    for error in response.json()["errors"].as_array().into_iter().flatten() {
        reported.push_str(&format!("\n{error}"));
    }
    expected.assert_eq(&reported);
}

#[tokio::test]
async fn malformed_body_is_rejected_with_message() {
    let service = Service::with(&STATE).await;
    check(
        &service,
        json!({}),
        expect![[r#"
        Invalid request.

        "data_type", "name" weren't supplied."#]],
    )
    .await;
    check(&service, json!({ "name": 1, "data_type": "title", "more": 1 }), expect![[r#"
        Invalid request.

        For 'properties/name', 1 is not a string.
        For 'properties/data_type', title is not a member of ["text", "number", "date", "single_select", "iteration"]."#]]).await;
    check(
        &service,
        json!({ "name": "a", "data_type": "text", "single_select_options": [] }),
        expect![[r#"
        Invalid request.

        "single_select_options" is not a permitted key."#]],
    )
    .await;
    check(
        &service,
        json!({ "issue_field_id": "1", "options": [], "single_select_options": [] }),
        expect![[r#"
        Invalid request.

        For 'properties/issue_field_id', 1 is not an integer.
        "options", "single_select_options" are not permitted keys."#]],
    )
    .await;
}

#[tokio::test]
async fn single_select_field_requires_valid_options() {
    let service = Service::with(&STATE).await;
    let select =
        |options: Value| json!({ "name": "a", "data_type": "single_select", "single_select_options": options });
    check(
        &service,
        json!({ "name": "a", "data_type": "single_select" }),
        expect![[r#"
        Invalid request.

        "single_select_options" wasn't supplied."#]],
    )
    .await;
    check(
        &service,
        select(json!([])),
        expect![[r#"
        Invalid request.

        For 'properties/single_select_options', 1 item required; only 0 were supplied."#]],
    )
    .await;
    check(
        &service,
        select(json!({})),
        expect![[r#"
        Invalid request.

        For 'properties/single_select_options', {} is not an array."#]],
    )
    .await;
    let wrong =
        json!([{ "color": "red" }, { "name": { "html": "a" } }, { "name": 7, "id": "x", "description": null }, 1]);
    check(&service, select(wrong), expect![[r#"
        Invalid request.

        For 'properties/single_select_options/items', "name" wasn't supplied.
        For 'properties/single_select_options/items/properties/color', red is not a member of ["BLUE", "GRAY", "GREEN", "ORANGE", "PINK", "PURPLE", "RED", "YELLOW"].
        For 'properties/single_select_options/items/properties/name', "raw" wasn't supplied.
        For 'properties/single_select_options/items/properties/name', 7 is not a string.
        "id" is not a permitted key.
        For 'properties/single_select_options/items', 1 is not an object."#]]).await;
    check(&service, select(json!([{ "name": "a" }, { "name": "A " }, { "name": "" }])), expect![[r#"
        Validation Failed
        {"code":"custom","field":"single_select_options","message":"option name \"A\" is used more than once","resource":"ProjectV2Field"}
        {"code":"custom","field":"single_select_options","message":"option name can't be blank","resource":"ProjectV2Field"}"#]]).await;
    let many = |count: i32| (0..count).map(|number| json!({ "name": format!("{number}") })).collect::<Value>();
    check(
        &service,
        select(many(51)),
        expect![[r#"
        Invalid request.

        For 'properties/single_select_options', No more than 50 items are allowed; 51 were supplied."#]],
    )
    .await;
    add(&service, ORG, select(many(50))).await;
}

#[tokio::test]
async fn iteration_field_requires_valid_dates() {
    let service = Service::with(&STATE).await;
    let iterate = |value: Value| json!({ "name": "a", "data_type": "iteration", "iteration_configuration": value });
    check(
        &service,
        json!({ "name": "a", "data_type": "iteration" }),
        expect![[r#"
        Invalid request.

        "iteration_configuration" wasn't supplied."#]],
    )
    .await;
    check(
        &service,
        iterate(json!({})),
        expect![[r#"
        Invalid request.

        For 'properties/iteration_configuration', "duration", "start_date" weren't supplied."#]],
    )
    .await;
    let wrong = json!({
        "start_date": "2026-02-30",
        "duration": 0,
        "iterations": [{ "title": "a", "start_date": "tomorrow", "duration": 1000, "completed": true }, {}],
    });
    check(&service, iterate(wrong), expect![[r#"
        Invalid request.

        For 'properties/iteration_configuration/properties/start_date', 2026-02-30 is not a valid date.
        For 'properties/iteration_configuration/properties/duration', 0 must be greater than or equal to 1.
        For 'properties/iteration_configuration/properties/iterations/items/properties/start_date', tomorrow is not a valid date.
        For 'properties/iteration_configuration/properties/iterations/items/properties/duration', 1000 must be less than or equal to 999.
        "completed" is not a permitted key.
        For 'properties/iteration_configuration/properties/iterations/items', "duration", "start_date", "title" weren't supplied."#]]).await;
    let with = |iterations: Value| json!({ "start_date": "2026-02-01", "duration": 7, "iterations": iterations });
    let overlapping = json!([
        { "title": "One", "start_date": "2026-02-01", "duration": 8 },
        { "title": "Two", "start_date": "2026-02-08", "duration": 7 },
    ]);
    check(&service, iterate(with(overlapping)), expect![[r#"
        Validation Failed
        {"code":"custom","field":"iteration_configuration.iterations","message":"iterations must not overlap: \"Two\" begins before \"One\" is over","resource":"ProjectV2Field"}"#]]).await;
    let unordered = json!([
        { "title": "One", "start_date": "2026-02-08", "duration": 7 },
        { "title": "Two", "start_date": "2026-02-01", "duration": 7 },
        { "title": " ", "start_date": "9999-12-30", "duration": 7 },
    ]);
    check(&service, iterate(with(unordered)), expect![[r#"
        Validation Failed
        {"code":"custom","field":"iteration_configuration.iterations","message":"iteration title can't be blank","resource":"ProjectV2Field"}
        {"code":"custom","field":"iteration_configuration.iterations","message":"iteration \" \" ends after the last day of the calendar","resource":"ProjectV2Field"}
        {"code":"custom","field":"iteration_configuration.iterations","message":"iterations must be in the order of their start dates: \"Two\" begins before \"One\"","resource":"ProjectV2Field"}"#]]).await;
    let many = (0..101).map(|_| json!({ "title": "a", "start_date": "2026-02-01", "duration": 1 })).collect::<Value>();
    check(&service, iterate(with(many)), expect![[r#"
        Invalid request.

        For 'properties/iteration_configuration/properties/iterations', No more than 100 items are allowed; 101 were supplied."#]]).await;
}

#[tokio::test]
async fn field_names_are_validated_and_unique_ignoring_case() {
    let service = Service::with(&STATE).await;
    let named = |name: &str| json!({ "name": name, "data_type": "text" });
    check(
        &service,
        named(" "),
        expect![[r#"
        Validation Failed
        {"code":"custom","field":"name","message":"name can't be blank","resource":"ProjectV2Field"}"#]],
    )
    .await;
    check(&service, named("a\u{1}b"), expect![[r#"
        Validation Failed
        {"code":"custom","field":"name","message":"name can't contain control characters","resource":"ProjectV2Field"}"#]]).await;
    check(&service, named(&"x".repeat(101)), expect![[r#"
        Validation Failed
        {"code":"custom","field":"name","message":"name is too long (maximum is 100 characters)","resource":"ProjectV2Field"}"#]]).await;
    check(
        &service,
        named("status"),
        expect![[r#"
        Validation Failed
        {"code":"already_exists","field":"name","resource":"ProjectV2Field"}"#]],
    )
    .await;
    check(
        &service,
        named("TITLE"),
        expect![[r#"
        Validation Failed
        {"code":"already_exists","field":"name","resource":"ProjectV2Field"}"#]],
    )
    .await;
    add(&service, ORG, named("Notes")).await;
    check(
        &service,
        named("notes "),
        expect![[r#"
        Validation Failed
        {"code":"already_exists","field":"name","resource":"ProjectV2Field"}"#]],
    )
    .await;
    let reserved = mona(&service).post(USER, named("Type")).await.expect(422).json();
    assert_eq!(reserved["errors"][0]["message"], "\"Type\" is the name of a built-in field");
    add(&service, "/orgs/octo-org/projectsV2/2/fields", named("Notes")).await;
}

#[tokio::test]
async fn project_is_limited_to_fifty_fields() {
    let service = Service::with(&STATE).await;
    for number in 12..=50 {
        add(&service, ORG, json!({ "name": format!("Field {number}"), "data_type": "text" })).await;
    }
    check(&service, json!({ "name": "One more", "data_type": "text" }), expect![[r#"
        Validation Failed
        {"code":"custom","field":"name","message":"a project can have at most 50 fields","resource":"ProjectV2Field"}"#]]).await;
    assert_eq!(mona(&service).get(&format!("{ORG}?per_page=100")).await.json().as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn repeated_field_is_rejected_as_spam() {
    let settings = plinth_api::settings::Settings::default();
    let most = settings.rate_limits.same_content_per_minute;
    let service = Service::with_settings(&STATE, settings).await;
    let body = json!({ "name": "Notes", "data_type": "text" });
    for _ in 0..most {
        mona(&service).post(ORG, body.clone()).await;
    }
    let response = mona(&service).post(ORG, body).await.expect(422);
    assert!(response.message().contains("spammed"), "{response}");
}

#[tokio::test]
async fn concurrent_creates_of_one_name_have_one_winner() {
    let service = Service::with(&STATE).await;
    let client = mona(&service);
    let attempts = (0..8).map(|_| client.post(ORG, json!({ "name": "Notes", "data_type": "text" })));
    let responses = futures_util::future::join_all(attempts).await;
    assert_eq!(responses.iter().filter(|response| response.status == 201).count(), 1);
    assert!(responses.iter().all(|response| matches!(response.status, 201 | 422)));
}
