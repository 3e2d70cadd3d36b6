//! Pull requests.

use plinth_core::events::EventName;
use serde_json::{Value, json};

use super::{Hooked, ROCKET, names, payload_of};

const PULL: &str = "/repos/octo-org/rocket/pulls/1";

#[tokio::test]
async fn create_pull_records_opened() {
    let hooked = Hooked::new().await;
    let body = json!({ "title": "Change", "head": "next", "base": "main", "body": "Please" });
    hooked.hubot().post(&format!("{ROCKET}/pulls"), body).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["pull_request opened"]);
    let payload = payload_of(&taken, EventName::PullRequest);
    assert_eq!((&payload["number"], &payload["sender"]["login"]), (&json!(1), &json!("hubot")));
    let pull = &payload["pull_request"];
    assert_eq!((&pull["title"], &pull["body"], &pull["state"]), (&json!("Change"), &json!("Please"), &json!("open")));
    assert_eq!((&pull["commits"], &pull["changed_files"]), (&json!(1), &json!(1)));
    assert_eq!(payload["repository"]["full_name"], "octo-org/rocket");
}

#[tokio::test]
async fn update_pull_records_edited_with_former_values() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    hooked.mona().patch(PULL, json!({ "title": "Better", "body": "" })).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["pull_request edited"]);
    let payload = payload_of(&taken, EventName::PullRequest);
    assert_eq!(payload["changes"], json!({ "title": { "from": "Change" }, "body": { "from": "Please" } }));
    assert_eq!((&payload["pull_request"]["title"], &payload["pull_request"]["body"]), (&json!("Better"), &Value::Null));
    hooked.mona().patch(PULL, json!({ "title": "Better" })).await.expect(200);
    assert!(hooked.take().await.is_empty(), "nothing has changed");
}

#[tokio::test]
async fn update_base_records_edited_with_former_base() {
    let hooked = Hooked::new().await;
    let main = hooked.tip("main").await;
    hooked
        .mona()
        .post(&format!("{ROCKET}/git/refs"), json!({ "ref": "refs/heads/base", "sha": main }))
        .await
        .expect(201);
    hooked.open_pull().await;
    hooked.mona().patch(PULL, json!({ "base": "base" })).await.expect(200);
    let taken = hooked.take().await;
    let changes = &payload_of(&taken, EventName::PullRequest)["changes"];
    assert_eq!(*changes, json!({ "base": { "ref": { "from": "main" }, "sha": { "from": main } } }));
}

#[tokio::test]
async fn close_and_reopen_record_closed_and_reopened() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    for (state, action) in [("closed", "pull_request closed"), ("open", "pull_request reopened")] {
        hooked.mona().patch(PULL, json!({ "state": state })).await.expect(200);
        let taken = hooked.take().await;
        assert_eq!(names(&taken), [action]);
        let pull = &payload_of(&taken, EventName::PullRequest)["pull_request"];
        assert_eq!((&pull["state"], &pull["merged"]), (&json!(state), &json!(false)));
    }
}

#[tokio::test]
async fn move_of_head_records_synchronize() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let before = hooked.tip("next").await;
    let after = hooked.commit("three", &[&before]).await;
    hooked.hubot().patch(&format!("{ROCKET}/git/refs/heads/next"), json!({ "sha": after })).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["push", "pull_request synchronize"]);
    let payload = payload_of(&taken, EventName::PullRequest);
    assert_eq!((&payload["before"], &payload["after"]), (&json!(before), &json!(after)));
    assert_eq!(
        (&payload["pull_request"]["head"]["sha"], &payload["pull_request"]["commits"]),
        (&json!(after), &json!(2))
    );
    assert_eq!(payload["sender"]["login"], "hubot");
}

#[tokio::test]
async fn move_of_base_records_no_event_of_the_pull_request() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let after = hooked.commit("elsewhere", &[&hooked.tip("main").await]).await;
    hooked.mona().patch(&format!("{ROCKET}/git/refs/heads/main"), json!({ "sha": after })).await.expect(200);
    assert_eq!(names(&hooked.take().await), ["push"]);
}

#[tokio::test]
async fn deletion_of_head_records_closed() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    hooked.mona().delete(&format!("{ROCKET}/git/refs/heads/next")).await.expect(204);
    assert_eq!(names(&hooked.take().await), ["delete", "push", "pull_request closed"]);
}

#[tokio::test]
async fn payload_shows_pull_request_as_it_was() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    hooked.mona().patch(PULL, json!({ "title": "Second" })).await.expect(200);
    hooked.mona().patch(PULL, json!({ "title": "Third" })).await.expect(200);
    let titles: Vec<Value> =
        hooked.take().await.into_iter().map(|taken| taken.payload["pull_request"]["title"].clone()).collect();
    assert_eq!(titles, ["Second", "Third"]);
}

#[tokio::test]
async fn state_file_records_opened_edited_and_closed() {
    let hooked = Hooked::new().await;
    let apply = async |pull: &str| {
        let fields = format!("base: main, head: next, {pull}");
        hooked.service.apply(&super::state().pull("octo-org/rocket", "mona", &fields).to_string()).await;
        names(&hooked.take().await)
    };
    assert_eq!(apply("title: One").await, ["pull_request opened"]);
    assert_eq!(apply("title: Two").await, ["pull_request edited"]);
    assert_eq!(apply("title: Two, closed: true").await, ["pull_request closed"]);
    assert!(apply("title: Two, closed: true").await.is_empty());
}

#[tokio::test]
async fn requests_to_review_record_the_reviewer() {
    let hooked = Hooked::new().await;
    hooked.open_pull().await;
    let (path, body) = (format!("{PULL}/requested_reviewers"), json!({ "reviewers": ["hubot"] }));
    hooked.mona().post(&path, body.clone()).await.expect(201);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["pull_request review_requested"]);
    let payload = payload_of(&taken, EventName::PullRequest);
    assert_eq!(payload["requested_reviewer"]["login"], "hubot");
    assert_eq!(payload["pull_request"]["requested_reviewers"][0]["login"], "hubot");
    hooked.mona().post(&path, body.clone()).await.expect(201);
    assert!(hooked.take().await.is_empty(), "nothing has changed");
    hooked.mona().send(http::Method::DELETE, &path, body.to_string()).await.expect(200);
    let taken = hooked.take().await;
    assert_eq!(names(&taken), ["pull_request review_request_removed"]);
    assert_eq!(payload_of(&taken, EventName::PullRequest)["requested_reviewer"]["login"], "hubot");
}
