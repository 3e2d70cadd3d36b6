//! Releases.

use plinth_core::events::EventName;
use serde_json::json;

use super::{Hooked, ROCKET, names, payload_of};

#[tokio::test]
async fn release_records_its_events() {
    let hooked = Hooked::new().await;
    let hubot = hooked.hubot();
    let releases = format!("{ROCKET}/releases");
    let created = hubot.post(&releases, json!({ "tag_name": "v1", "name": "One" })).await.expect(201).json();
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["create", "push", "release created", "release published", "release released"]);
    for taken in &taken[2..] {
        let payload = &taken.payload;
        assert_eq!(json!([payload["release"]["id"], payload["sender"]["login"]]), json!([created["id"], "hubot"]));
    }
    let path = format!("{releases}/{}", created["id"]);
    hubot.patch(&path, json!({ "name": "Two" })).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["release edited"]);
    let payload = payload_of(&taken, EventName::Release);
    assert_eq!(json!([payload["changes"], payload["release"]["name"]]), json!([{ "name": { "from": "One" } }, "Two"]));
    hubot.patch(&path, json!({ "name": "Two" })).await.expect(200);
    assert!(hooked.take().await.is_empty(), "nothing has changed");
    hubot.send(http::Method::POST, &format!("{path}/assets?name=a"), "bytes").await.expect(201);
    assert!(hooked.take().await.is_empty());
    hubot.delete(&path).await.expect(204);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["release deleted"]);
    assert_eq!(payload_of(&taken, EventName::Release)["release"]["assets"][0]["name"], "a");
}

#[tokio::test]
async fn draft_records_its_publication() {
    let hooked = Hooked::new().await;
    let hubot = hooked.hubot();
    let releases = format!("{ROCKET}/releases");
    let body = json!({ "tag_name": "v1", "draft": true, "prerelease": true });
    let draft = hubot.post(&releases, body).await.expect(201).json();
    assert_eq!(names(&hooked.take().await), ["release created"]);
    let path = format!("{releases}/{}", draft["id"]);
    hubot.patch(&path, json!({ "draft": false })).await.expect(200);
    assert_eq!(names(&hooked.take().await), ["create", "push", "release published", "release prereleased"]);
    hubot.patch(&path, json!({ "prerelease": false })).await.expect(200);
    assert_eq!(names(&hooked.take().await), ["release edited", "release released"]);
    hubot.patch(&path, json!({ "draft": true })).await.expect(200);
    assert_eq!(names(&hooked.take().await), ["release unpublished"]);
    hubot.post(&releases, json!({ "tag_name": "a..b" })).await.expect(422);
    assert!(hooked.take().await.is_empty());
}
