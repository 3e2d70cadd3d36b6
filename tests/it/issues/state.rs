//! Issues of a state file.

use serde_json::json;

use super::texts;
use crate::support::Service;
use crate::support::fixtures::{StateFile, two_branches};

fn state(issue: &str) -> String {
    let labels = "labels: [{ name: bug, color: D73A4A, description: Broken }]";
    StateFile::default()
        .users(&["mona", "hubot"])
        .repo("mona/hello", &format!("{labels}, {}", two_branches("")))
        .pull("mona/hello", "hubot", "title: Change, head: next, base: main")
        .entry("issues", &format!("repo: mona/hello, title: Broken, author: hubot, {issue}"))
        .classic("mona", "repo, notifications", "ghp_mona")
        .to_string()
}

const ISSUE: &str = "body: Ask @mona, labels: [bug, new], assignees: [mona], comments: [{ author: mona, body: Hm }]";

#[tokio::test]
async fn state_file_creates_and_updates_issues() {
    let service = Service::with(&state(ISSUE)).await;
    let mona = service.with_token("ghp_mona");
    let issue = mona.get("/repos/mona/hello/issues/2").await.expect(200).json();
    assert_eq!(
        (&issue["title"], &issue["user"]["login"], &issue["comments"]),
        (&json!("Broken"), &json!("hubot"), &json!(1))
    );
    assert_eq!(
        (texts(&issue["labels"], "name"), texts(&issue["assignees"], "login")),
        (vec!["bug", "new"], vec!["mona"])
    );
    assert_eq!((&issue["labels"][0]["color"], &issue["state"]), (&json!("d73a4a"), &json!("open")));
    let comments = mona.get("/repos/mona/hello/issues/2/comments").await.expect(200).json();
    assert_eq!((&comments[0]["body"], &comments[0]["user"]["login"]), (&json!("Hm"), &json!("mona")));
    assert_eq!(mona.get("/notifications").await.expect(200).json()[0]["reason"], "mention");
    service.apply(&state(ISSUE)).await;
    assert_eq!(mona.get("/repos/mona/hello/issues?state=all").await.json().as_array().map(Vec::len), Some(2));
    service.apply(&state("body: New, closed: true")).await;
    let issue = mona.get("/repos/mona/hello/issues/2").await.expect(200).json();
    assert_eq!(
        (&issue["body"], &issue["state"], &issue["state_reason"]),
        (&json!("New"), &json!("closed"), &json!("completed"))
    );
    assert_eq!(texts(&issue["labels"], "name"), ["bug", "new"], "these are created with the issue");
    service.apply(&state("body: New")).await;
    let issue = mona.get("/repos/mona/hello/issues/2").await.expect(200).json();
    assert_eq!(issue["state"], "closed", "it is not reopened");
}
