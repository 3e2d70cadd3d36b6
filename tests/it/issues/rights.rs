//! Who may read and write issues.

use http::Method;
use serde_json::{Value, json};

use super::{ISSUES, create, fixture};
use crate::support::fixtures::StateFile;
use crate::support::pull_request::PullRequestFixture;

/// `acme/rocket` is private and has the issue 2, with a comment on each of 1 and 2. Apps have different permissions there.
async fn private_fixture() -> PullRequestFixture {
    let fixture = fixture().await;
    create(&fixture, json!({ "title": "Two", "labels": ["bug"] })).await;
    for number in [1, 2] {
        let path = format!("{ISSUES}/{number}/comments");
        fixture.user("mona").post(&path, json!({ "body": "Hm" })).await.expect(201);
    }
    let app = |state: StateFile, slug: &str, permissions: &str| {
        state.app(slug, "acme", permissions, "").installation(slug, "acme", "all").installation_token(
            slug,
            "acme",
            &format!("ghs_{slug}"),
        )
    };
    let state = StateFile::default().repo("acme/rocket", "private: true, default_branch: main");
    let state = app(state, "issues", "issues: write");
    let state = app(state, "reads", "issues: read");
    let state = app(state, "pulls", "pull_requests: write");
    let state = app(state, "blind", "contents: write");
    fixture.service.apply(&state.to_string()).await;
    fixture
}

#[tokio::test]
async fn private_issues_are_hidden() {
    let fixture = private_fixture().await;
    for path in ["", "/2", "/1", "/comments", "/comments/1", "/2/comments", "/2/labels", "/2/issue-field-values"] {
        let path = format!("{ISSUES}{path}");
        fixture.user("guest").get(&path).await.expect(404);
        fixture.service.anonymous().get(&path).await.expect(404);
        fixture.user("hubot").get(&path).await.expect(200);
    }
    for (method, path) in [(Method::POST, ""), (Method::PATCH, "/2"), (Method::POST, "/2/comments")] {
        let body = json!({ "title": "x", "body": "x" }).to_string();
        fixture.user("guest").send(method, &format!("{ISSUES}{path}"), body).await.expect(404);
    }
    fixture.user("guest").get("/repos/acme/rocket/labels").await.expect(404);
}

#[tokio::test]
async fn permissions_decide_by_what_a_number_is() {
    let fixture = private_fixture().await;
    let title = || json!({ "title": "x" });
    let body = || json!({ "body": "x" });
    let labels = || json!({ "labels": ["bug"] });
    // The statuses for the apps `issues`, `reads`, `pulls` and `blind`.
    for (method, path, body, statuses) in [
        (Method::GET, "/issues", Value::Null, [200, 200, 403, 403]),
        (Method::GET, "/issues/2", Value::Null, [200, 200, 403, 403]),
        (Method::GET, "/issues/1", Value::Null, [200, 200, 200, 403]),
        (Method::GET, "/issues/2/comments", Value::Null, [200, 200, 403, 403]),
        (Method::GET, "/issues/1/comments", Value::Null, [200, 200, 200, 403]),
        (Method::GET, "/issues/comments", Value::Null, [200, 200, 403, 403]),
        (Method::GET, "/issues/comments/1", Value::Null, [200, 200, 200, 403]),
        (Method::GET, "/issues/comments/2", Value::Null, [200, 200, 403, 403]),
        (Method::GET, "/labels", Value::Null, [200, 200, 200, 403]),
        (Method::GET, "/assignees", Value::Null, [200, 200, 200, 403]),
        (Method::POST, "/issues", title(), [201, 403, 403, 403]),
        (Method::PATCH, "/issues/2", title(), [200, 403, 403, 403]),
        (Method::PATCH, "/issues/1", title(), [200, 403, 200, 403]),
        (Method::POST, "/issues/2/comments", body(), [201, 403, 403, 403]),
        (Method::POST, "/issues/1/comments", body(), [201, 403, 201, 403]),
        (Method::PATCH, "/issues/comments/1", body(), [200, 403, 200, 403]),
        (Method::PATCH, "/issues/comments/2", body(), [200, 403, 403, 403]),
        (Method::POST, "/issues/2/labels", labels(), [200, 403, 403, 403]),
        (Method::POST, "/issues/1/labels", labels(), [200, 403, 200, 403]),
        (Method::POST, "/issues/2/assignees", json!({}), [201, 403, 403, 403]),
        (Method::POST, "/issues/1/assignees", json!({}), [201, 403, 201, 403]),
        (Method::GET, "/issues/2/issue-field-values", Value::Null, [200, 200, 403, 403]),
        (Method::PUT, "/issues/2/issue-field-values", json!({ "issue_field_values": [] }), [200, 403, 403, 403]),
    ] {
        for (slug, status) in ["issues", "reads", "pulls", "blind"].into_iter().zip(statuses) {
            let sent = if body.is_null() { String::new() } else { body.to_string() };
            let client = fixture.service.with_token(&format!("ghs_{slug}"));
            let response = client.send(method.clone(), &format!("/repos/acme/rocket{path}"), sent).await;
            assert_eq!(response.status, status, "{slug}: {method} {path}");
        }
    }
    let client = fixture.service.with_token("ghs_pulls");
    let accepted = client.get(&format!("{ISSUES}/1")).await.expect(200);
    assert_eq!(accepted.header("x-accepted-github-permissions"), Some("issues=read; pull_requests=read"));
}

#[tokio::test]
async fn archived_repository_accepts_no_issues() {
    let fixture = fixture().await;
    fixture.service.apply("repos: [{ name: acme/rocket, default_branch: main, archived: true }]").await;
    fixture.user("mona").post(ISSUES, json!({ "title": "Two" })).await.expect(403);
    fixture.user("mona").post(&format!("{ISSUES}/1/comments"), json!({ "body": "x" })).await.expect(403);
    fixture.user("mona").get(ISSUES).await.expect(200);
}

#[tokio::test]
async fn two_issues_at_once_get_different_numbers() {
    let fixture = fixture().await;
    let clients = (0..8).map(|number| {
        let mona = fixture.user("mona");
        async move { mona.post(ISSUES, json!({ "title": format!("Issue {number}") })).await.expect(201).json() }
    });
    let made = futures_util::future::join_all(clients).await;
    let mut numbers: Vec<i64> = made.iter().filter_map(|issue| issue["number"].as_i64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (2..10).collect::<Vec<_>>());
}
