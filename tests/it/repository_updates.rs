//! Changes of repositories, and their topics.

use std::sync::LazyLock;

use expect_test::expect;
use http::Method;
use serde_json::{Value, json};

use crate::support::fixtures::{StateFile, two_branches};
use crate::support::{Client, Response, Service};

static STATE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .users(&["mona", "hubot"])
        .repo("mona/rocket", &format!("collaborators: [{{ user: hubot, permission: maintain }}], {}", two_branches("")))
        .classic("mona", "repo", "ghp_mona")
        .classic("mona", "public_repo", "ghp_public")
        .classic("hubot", "repo", "ghp_hubot")
        .fine_grained("mona", "mona", "administration: read", "github_pat_read")
        .fine_grained("mona", "mona", "administration: write", "github_pat_write")
        .to_string()
});
const ROCKET: &str = "/repos/mona/rocket";

async fn put_topics(client: &Client<'_>, body: Value) -> Response {
    client.send(Method::PUT, &format!("{ROCKET}/topics"), body.to_string()).await
}

#[tokio::test]
async fn update_changes_only_what_is_sent() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    service.advance(60);
    let body =
        json!({ "name": "rocket", "description": "Fast", "homepage": "https://example.com", "default_branch": "next" });
    let updated = mona.patch(ROCKET, body).await.expect(200).json();
    assert_eq!((&updated["description"], &updated["homepage"]), (&json!("Fast"), &json!("https://example.com")));
    assert_eq!((&updated["default_branch"], &updated["updated_at"]), (&json!("next"), &json!("2026-02-25T06:14:20Z")));
    service.settled().await;
    let updated = mona
        .patch(ROCKET, json!({ "description": null, "homepage": "", "visibility": "private" }))
        .await
        .expect(200)
        .json();
    assert_eq!((&updated["description"], &updated["homepage"]), (&Value::Null, &Value::Null));
    assert_eq!((&updated["private"], &updated["default_branch"]), (&json!(true), &json!("next")));
    service.anonymous().get(ROCKET).await.expect(404);
    let mut read = mona.get(ROCKET).await.expect(200).json();
    read["permissions"] = updated["permissions"].clone();
    assert_eq!(read, updated);
    mona.patch(ROCKET, json!({ "private": false })).await.expect(200);
    service.anonymous().get(ROCKET).await.expect(200);
}

#[tokio::test]
async fn invalid_update_changes_nothing() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    let before = mona.get(ROCKET).await.expect(200).json();
    let mut seen = String::new();
    for body in [
        json!({ "default_branch": "none", "description": "new" }),
        json!({ "name": "other", "description": "new" }),
        json!({ "description": "x".repeat(351) }),
        json!({ "homepage": "a\u{1}" }),
        json!({ "visibility": "secret" }),
    ] {
        let response = mona.patch(ROCKET, body).await.expect(422).json();
        seen += &format!("{} {}\n", response["message"], response["errors"]);
    }
    expect![[r#"
        "Validation Failed" [{"code":"custom","field":"default_branch","message":"The branch none was not found. Please push that ref first or create it via the Git Data API.","resource":"Repository"}]
        "Validation Failed" [{"code":"custom","field":"name","message":"repositories cannot be renamed","resource":"Repository"}]
        "Validation Failed" [{"code":"custom","field":"description","message":"description is too long (maximum is 350 characters)","resource":"Repository"}]
        "Validation Failed" [{"code":"invalid","field":"homepage","resource":"Repository"}]
        "Invalid request.\n\nFor 'properties/visibility', secret is not a member of [\"public\", \"private\"]." null
    "#]].assert_eq(&seen);
    assert_eq!(mona.get(ROCKET).await.expect(200).json(), before);
}

#[tokio::test]
async fn archived_repository_is_read_only() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    assert_eq!(mona.patch(ROCKET, json!({ "archived": true })).await.expect(200).json()["archived"], true);
    mona.patch(ROCKET, json!({ "archived": false })).await.expect(403);
    put_topics(&mona, json!({ "names": [] })).await.expect(403);
}

#[tokio::test]
async fn topics_are_normalized_and_replaced() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    assert_eq!(service.anonymous().get(&format!("{ROCKET}/topics")).await.expect(200).json(), json!({ "names": [] }));
    let names = json!({ "names": ["Rust", "git-server", "rust", "2d"] });
    let topics = json!({ "names": ["rust", "git-server", "2d"] });
    assert_eq!(put_topics(&mona, names).await.expect(200).json(), topics);
    assert_eq!(service.anonymous().get(&format!("{ROCKET}/topics")).await.expect(200).json(), topics);
    assert_eq!(mona.get(ROCKET).await.expect(200).json()["topics"], topics["names"]);
    for names in [json!(["a b"]), json!([""]), json!(["-a"]), json!(["ä"]), json!(["x".repeat(51)])] {
        put_topics(&mona, json!({ "names": names })).await.expect(422);
    }
    let many: Vec<String> = (0..21).map(|number| format!("t{number}")).collect();
    put_topics(&mona, json!({ "names": many })).await.expect(422);
    put_topics(&mona, json!({})).await.expect(422);
    put_topics(&mona, json!({ "names": many[..20] })).await.expect(200);
    assert_eq!(put_topics(&mona, json!({ "names": [] })).await.expect(200).json(), json!({ "names": [] }));
}

#[tokio::test]
async fn only_administrators_update() {
    let service = Service::with(&STATE).await;
    let body = json!({ "description": "new" });
    for (token, status) in
        [("ghp_hubot", 403), ("github_pat_read", 403), ("github_pat_write", 200), ("ghp_public", 200)]
    {
        let client = service.with_token(token);
        client.patch(ROCKET, body.clone()).await.expect(status);
        put_topics(&client, json!({ "names": ["a"] })).await.expect(status);
    }
    service.anonymous().patch(ROCKET, body).await.expect(401);
    // A token for public repositories cannot make one private.
    service.with_token("ghp_public").patch(ROCKET, json!({ "private": true })).await.expect(403);
    service.with_token("ghp_mona").get(ROCKET).await.expect(200);
    assert_eq!(service.anonymous().get(ROCKET).await.expect(200).json()["private"], false);
}

#[tokio::test]
async fn state_file_sets_topics() {
    let service = Service::with(&STATE).await;
    let topics =
        async || service.anonymous().get(&format!("{ROCKET}/topics")).await.expect(200).json()["names"].clone();
    service.apply("repos: [{ name: mona/rocket, topics: [Rust, git] }]").await;
    assert_eq!(topics().await, json!(["rust", "git"]));
    service.apply("repos: [{ name: mona/rocket }]").await;
    assert_eq!(topics().await, json!(["rust", "git"]));
    service.apply("repos: [{ name: mona/rocket, topics: [] }]").await;
    assert_eq!(topics().await, json!([]));
}
