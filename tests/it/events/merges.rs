//! Merges.

use http::Method;
use plinth_core::events::EventName;
use serde_json::{Value, json};

use super::{Hooked, ROCKET, names, payload_of};

const PULL: &str = "/repos/octo-org/rocket/pulls/1";

fn outcome(payload: &Value) -> Value {
    let pull = &payload["pull_request"];
    let by = [&pull["merged_by"]["login"], &payload["sender"]["login"]];
    json!([pull["state"], pull["merged"], pull["merge_commit_sha"], by])
}

#[tokio::test]
async fn merge_records_push_and_closed() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let before = hooked.tip("main").await;
    hooked.hubot().send(Method::PUT, &format!("{PULL}/merge"), "").await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["push", "pull_request closed"]);
    let after = hooked.tip("main").await;
    let push = payload_of(&taken, EventName::Push);
    assert_eq!((&push["before"], &push["after"]), (&json!(before), &json!(after)));
    let closed = payload_of(&taken, EventName::PullRequest);
    assert_eq!(outcome(closed), json!(["closed", true, after, ["hubot", "hubot"]]));
    assert_eq!(closed["pull_request"]["merged_at"], closed["pull_request"]["closed_at"]);
}

#[tokio::test]
async fn rejected_merge_records_nothing() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let body = json!({ "sha": hooked.tip("main").await }).to_string();
    hooked.hubot().send(Method::PUT, &format!("{PULL}/merge"), body).await.expect(409);
    assert!(hooked.take().await.is_empty());
}

#[tokio::test]
async fn push_that_merges_records_closed() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let head = hooked.tip("next").await;
    hooked.hubot().patch(&format!("{ROCKET}/git/refs/heads/main"), json!({ "sha": head })).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["push", "pull_request closed"]);
    let closed = payload_of(&taken, EventName::PullRequest);
    assert_eq!(outcome(closed), json!(["closed", true, head, ["hubot", "hubot"]]));
}

#[tokio::test]
async fn update_branch_records_push_and_synchronize() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let next = hooked.commit("elsewhere", &[&hooked.tip("main").await]).await;
    hooked.mona().patch(&format!("{ROCKET}/git/refs/heads/main"), json!({ "sha": next })).await.expect(200);
    hooked.take().await;
    hooked.hubot().send(Method::PUT, &format!("{PULL}/update-branch"), "").await.expect(202);
    assert_eq!(names(&hooked.take().await), ["push", "pull_request synchronize"]);
}
