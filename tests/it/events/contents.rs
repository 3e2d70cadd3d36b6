//! Changes of files.

use http::Method;
use plinth_core::events::EventName;
use serde_json::json;

use super::{Hooked, ROCKET, names, payload_of};

#[tokio::test]
async fn change_of_a_file_records_push_and_synchronize() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let before = hooked.tip("next").await;
    let body = json!({ "message": "m", "content": "eA==", "branch": "next" }).to_string();
    hooked.hubot().send(Method::PUT, &format!("{ROCKET}/contents/new"), body).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["push", "pull_request synchronize"]);
    let push = payload_of(&taken, EventName::Push);
    assert_eq!((&push["before"], &push["after"]), (&json!(before), &json!(hooked.tip("next").await)));
    assert_eq!(push["head_commit"]["added"], json!(["new"]));
}

#[tokio::test]
async fn rejected_change_of_a_file_records_nothing() {
    let hooked = Hooked::new().await;
    let body = json!({ "message": "m", "sha": "0".repeat(40) }).to_string();
    hooked.hubot().send(Method::DELETE, &format!("{ROCKET}/contents/a"), body).await.expect(409);
    assert!(hooked.take().await.is_empty());
}
