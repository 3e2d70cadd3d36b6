//! How an update replaces the options of a field.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{FIELDS, STATE, admin, create, create_priority, path_of};
use crate::support::Service;

fn names(field: &Value) -> Vec<&str> {
    let options = field["options"].as_array().expect("a select field shows options");
    options.iter().map(|option| option["name"].as_str().expect("a name is text")).collect()
}

#[tokio::test]
async fn option_is_updated_only_by_its_id() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let (high, low) = (&field["options"][0], &field["options"][2]);
    service.advance(60);
    let wanted = json!([
        { "id": low["id"], "name": "Lowest", "description": "Some day", "color": "gray", "priority": 9 },
        { "id": high["id"], "name": "High", "color": "red", "priority": 1 },
        { "name": "Medium", "color": "yellow", "priority": 5 },
    ]);
    let changed = admin(&service).patch(&path_of(&field), json!({ "options": wanted })).await.expect(200).json();
    assert_eq!(names(&changed), ["High", "Medium", "Lowest"], "they are shown by priority");
    assert_eq!(changed["options"][0], *high, "what is sent as it was stays as it was, dates included");
    let lowest = &changed["options"][2];
    assert_eq!(lowest["id"], low["id"]);
    assert_eq!(lowest["created_at"], low["created_at"]);
    assert_eq!(lowest["updated_at"], "2026-02-25T06:14:20Z");
    assert_eq!(lowest["description"], "Some day");
    assert_eq!(lowest["color"], "gray");
    let medium = &changed["options"][1];
    assert!(medium["id"].as_i64() > low["id"].as_i64(), "without its id it is a new option: {medium}");
    assert_eq!(medium["created_at"], "2026-02-25T06:14:20Z");
}

#[tokio::test]
async fn omitted_options_are_deleted_and_their_ids_stay_unknown() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let medium = field["options"][1]["id"].clone();
    let only = json!({ "options": [{ "id": medium, "name": "Medium", "color": "yellow", "priority": 2 }] });
    let changed = admin(&service).patch(&path_of(&field), only).await.expect(200).json();
    assert_eq!(names(&changed), ["Medium"]);
    let gone = field["options"][0]["id"].clone();
    let back = json!({ "options": [{ "id": gone, "name": "High", "color": "red", "priority": 1 }] });
    let rejected = admin(&service).patch(&path_of(&field), back).await.expect(422).json();
    assert_eq!(rejected["message"], "Validation Failed");
    assert_eq!(rejected["errors"], json!([format!("Option id {gone} does not belong to this issue field")]));
    assert_eq!(names(&admin(&service).get(FIELDS).await.json()[0]), ["Medium"], "a rejected update changes nothing");
}

#[tokio::test]
async fn option_of_other_field_is_rejected() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let options = json!([{ "name": "Linux", "color": "blue", "priority": 1 }]);
    let body = json!({ "name": "Platform", "data_type": "multi_select", "options": options });
    let other = create(&service, body).await;
    let stolen =
        json!({ "options": [{ "id": field["options"][0]["id"], "name": "x", "color": "red", "priority": 1 }] });
    admin(&service).patch(&path_of(&other), stolen).await.expect(422);
    assert_eq!(names(&admin(&service).get(FIELDS).await.json()[0]), ["High", "Medium", "Low"]);
}

#[tokio::test]
async fn concurrent_updates_leave_one_complete_option_set() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    let set = |letter: char| -> BTreeSet<String> { (0..20).map(|n| format!("{letter}{n}")).collect() };
    let body = |letter: char| {
        let names = set(letter).into_iter().enumerate();
        let option = |(index, name)| json!({ "name": name, "color": "blue", "priority": index });
        let options = names.map(option).collect::<Vec<_>>();
        json!({ "name": format!("Set {letter}"), "options": options })
    };
    for _ in 0..5 {
        let client = admin(&service);
        let path = path_of(&field);
        let updates = ['a', 'b', 'c', 'd'].map(|letter| client.patch(&path, body(letter)));
        for response in futures_util::future::join_all(updates).await {
            response.expect(200);
        }
        let stored = client.get(FIELDS).await.json()[0].clone();
        let letter = stored["name"].as_str().unwrap().chars().next_back().unwrap();
        let found: BTreeSet<String> = names(&stored).into_iter().map(str::to_owned).collect();
        assert_eq!(found, set(letter));
    }
}
