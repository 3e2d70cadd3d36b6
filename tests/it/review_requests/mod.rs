//! Requests to review pull requests.

use http::Method;
use serde_json::{Value, json};

use crate::support::Response;
use crate::support::pull_request::{PULL, PullRequestFixture};

const REVIEWERS: &str = "/repos/acme/rocket/pulls/1/requested_reviewers";

/// The author is mona, hubot has the role write, and guest has none.
async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("file", "1\n")], &[("file", Some("2\n"))]).await
}

async fn request(fixture: &PullRequestFixture, logins: &[&str]) -> Response {
    fixture.user("mona").post(REVIEWERS, json!({ "reviewers": logins })).await
}

fn logins(users: &Value) -> Vec<&str> {
    users.as_array().expect("a list").iter().map(|user| user["login"].as_str().expect("a login")).collect()
}

/// The reviewers that the list and the pull request show.
async fn reviewers(fixture: &PullRequestFixture) -> Vec<String> {
    let listed = fixture.user("guest").get(REVIEWERS).await.expect(200).json();
    assert_eq!(listed["teams"], json!([]));
    let pull = fixture.user("guest").get(PULL).await.expect(200).json();
    let pulls = fixture.user("guest").get("/repos/acme/rocket/pulls").await.expect(200).json();
    assert_eq!((&pull["requested_reviewers"], &pulls[0]["requested_reviewers"]), (&listed["users"], &listed["users"]));
    logins(&listed["users"]).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn requested_reviewer_is_shown_and_notified() {
    let fixture = fixture().await;
    assert!(reviewers(&fixture).await.is_empty());
    fixture.service.advance(60);
    let made = request(&fixture, &["HUBOT"]).await.expect(201);
    assert_eq!(logins(&made.json()["requested_reviewers"]), ["hubot"]);
    assert_eq!(made.header("location"), Some(format!("http://plinth.test{PULL}").as_str()));
    assert_ne!(made.json()["updated_at"], made.json()["created_at"]);
    assert_eq!(reviewers(&fixture).await, ["hubot"]);
    let notified = fixture.user("hubot").get("/notifications").await.expect(200).json();
    assert_eq!((&notified[0]["reason"], &notified[0]["unread"]), (&json!("review_requested"), &json!(true)));
    let again = request(&fixture, &["hubot"]).await.expect(201);
    assert_eq!(logins(&again.json()["requested_reviewers"]), ["hubot"], "once");
}

#[tokio::test]
async fn review_ends_the_request() {
    let fixture = fixture().await;
    request(&fixture, &["hubot"]).await.expect(201);
    let review = json!({ "body": "later" });
    let pending = fixture.user("hubot").post(&format!("{PULL}/reviews"), review).await.expect(200).json();
    assert_eq!(reviewers(&fixture).await, ["hubot"], "a pending review is not a review yet");
    let path = format!("{PULL}/reviews/{}/events", pending["id"]);
    fixture.user("hubot").post(&path, json!({ "event": "APPROVE" })).await.expect(200);
    assert!(reviewers(&fixture).await.is_empty());
}

#[tokio::test]
async fn removed_request_is_gone_and_others_are_ignored() {
    let fixture = fixture().await;
    request(&fixture, &["hubot"]).await.expect(201);
    for body in [json!({ "reviewers": ["guest", "nobody"] }), json!({ "reviewers": [] })] {
        fixture.user("mona").send(Method::DELETE, REVIEWERS, body.to_string()).await.expect(200);
        assert_eq!(reviewers(&fixture).await, ["hubot"], "{body}");
    }
    let body = json!({ "reviewers": ["hubot"] }).to_string();
    let pull = fixture.user("mona").send(Method::DELETE, REVIEWERS, body).await.expect(200).json();
    assert_eq!(pull["requested_reviewers"], json!([]));
    assert!(reviewers(&fixture).await.is_empty());
    fixture.user("mona").send(Method::DELETE, REVIEWERS, "{}").await.expect(422);
}

#[tokio::test]
async fn author_strangers_and_teams_are_rejected_together_with_the_rest() {
    let fixture = fixture().await;
    let stranger = "Reviews may only be requested from collaborators. One or more of the users or teams you specified is \
                    not a collaborator of the acme/rocket repository.";
    let author = "Review cannot be requested from pull request author.";
    for (body, message) in [
        (json!({ "reviewers": ["hubot", "mona"] }), author),
        (json!({ "reviewers": ["hubot", "guest"] }), stranger),
        (json!({ "reviewers": ["hubot", "nobody"] }), stranger),
        (json!({ "reviewers": ["acme"] }), stranger),
        (json!({ "reviewers": ["hubot"], "team_reviewers": ["core"] }), stranger),
    ] {
        let response = fixture.user("mona").post(REVIEWERS, body.clone()).await.expect(422);
        assert_eq!(response.message(), message, "{body}");
    }
    let many: Vec<String> = (0..16).map(|number| format!("user{number}")).collect();
    fixture.user("mona").post(REVIEWERS, json!({ "reviewers": many })).await.expect(422);
    assert!(reviewers(&fixture).await.is_empty());
}

#[tokio::test]
async fn requests_require_write_access() {
    let fixture = fixture().await;
    let body = json!({ "reviewers": ["hubot"] });
    fixture.user("guest").post(REVIEWERS, body.clone()).await.expect(403);
    fixture.user("guest").send(Method::DELETE, REVIEWERS, body.to_string()).await.expect(403);
    fixture.service.anonymous().post(REVIEWERS, body.clone()).await.expect(401);
    fixture.user("hubot").post("/repos/acme/rocket/pulls/9/requested_reviewers", body).await.expect(404);
}
