//! Statuses of commits.

use plinth_core::events::EventName;
use serde_json::json;

use super::{Hooked, ROCKET, names, payload_of};

#[tokio::test]
async fn status_records_its_event() {
    let hooked = Hooked::new().await;
    let sha = hooked.tip("next").await;
    let body = json!({ "state": "failure", "context": "ci", "description": "It fails" });
    hooked.hubot().post(&format!("{ROCKET}/statuses/{sha}"), body).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["status"]);
    let status = payload_of(&taken, EventName::Status);
    assert_eq!(
        json!([status["sha"], status["state"], status["context"], status["description"], status["name"]]),
        json!([sha, "failure", "ci", "It fails", "octo-org/rocket"])
    );
    assert_eq!(json!([status["commit"]["sha"], status["branches"][0]["name"]]), json!([sha, "next"]));
    assert_eq!(status["sender"]["login"], "hubot");
    hooked
        .hubot()
        .post(&format!("{ROCKET}/statuses/{}", "0".repeat(40)), json!({ "state": "error" }))
        .await
        .expect(422);
    assert!(hooked.take().await.is_empty());
}
