//! Repositories.

use plinth_core::events::EventName;
use serde_json::{Value, json};

use super::{Hooked, ROCKET, names, payload_of, state};

#[tokio::test]
async fn create_repository_records_created_and_its_first_push() {
    let hooked = Hooked::new().await;
    let new = json!({ "name": "new", "auto_init": true });
    hooked.mona().post("/orgs/octo-org/repos", new).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["repository created", "create", "push"]);
    let payload = payload_of(&taken, EventName::Repository);
    assert_eq!((&payload["repository"]["name"], &payload["sender"]["login"]), (&json!("new"), &json!("mona")));
    let push = payload_of(&taken, EventName::Push);
    assert_eq!((&push["commits"].as_array().map(Vec::len), &push["base_ref"]), (&Some(1), &Value::Null));
}

#[tokio::test]
async fn delete_repository_records_it_as_it_was() {
    let hooked = Hooked::new().await;
    hooked.mona().delete(ROCKET).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["repository deleted"]);
    assert_eq!(taken[0].payload["repository"]["full_name"], "octo-org/rocket");
    assert_eq!(taken[0].event.data["selected_by"], json!([1]), "the app that had selected it can be informed");
}

#[tokio::test]
async fn events_of_a_deleted_repository_cannot_be_rendered() {
    let hooked = Hooked::new().await;
    let tip = hooked.tip("next").await;
    let new = json!({ "ref": "refs/heads/topic", "sha": tip });
    hooked.mona().post(&format!("{ROCKET}/git/refs"), new).await.expect(201);
    hooked.mona().delete(ROCKET).await.expect(204);
    let mut shown = Vec::new();
    for event in super::take_events(&hooked.service).await {
        shown.push((event.name, hooked.render(&event, None).await.is_some()));
    }
    assert_eq!(shown, [(EventName::Create, false), (EventName::Push, false), (EventName::Repository, true)]);
}

#[tokio::test]
async fn state_file_records_each_change_as_github_names_it() {
    let hooked = Hooked::new().await;
    let apply = async |fields: &str| {
        hooked.service.apply(&format!("repos: [{{ name: octo-org/other, {fields} }}]")).await;
        hooked.take().await
    };
    let edited = apply("private: true, description: Other, default_branch: trunk").await;
    assert_eq!(names(&edited), ["repository edited"]);
    let changes = json!({ "default_branch": { "from": "main" }, "description": { "from": null } });
    assert_eq!(edited[0].payload["changes"], changes);
    let public = "description: Other, default_branch: trunk";
    assert_eq!(names(&apply(public).await), ["repository publicized", "public"]);
    assert_eq!(names(&apply(&format!("{public}, archived: true")).await), ["repository archived"]);
    assert_eq!(names(&apply(public).await), ["repository unarchived"]);
    assert_eq!(names(&apply(&format!("{public}, private: true")).await), ["repository privatized"]);
    assert!(apply(&format!("{public}, private: true")).await.is_empty());
}

#[tokio::test]
async fn state_file_records_created_repository_and_the_operator_as_its_owner() {
    let hooked = Hooked::new().await;
    hooked.service.apply(&state().repo("octo-org/third", "").to_string()).await;
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["repository created"]);
    assert_eq!(taken[0].payload["sender"]["login"], "octo-org");
}
