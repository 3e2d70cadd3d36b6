//! Statuses of commits.

use expect_test::expect;
use plinth_store::params;
use serde_json::{Value, json};

use crate::support::fixtures::StateFile;
use crate::support::pull_request::{PullRequestFixture, acme};
use crate::support::{Response, Service, Tester};

const ROCKET: &str = "/repos/acme/rocket";

async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("a", "1\n")], &[("a", Some("2\n"))]).await
}

async fn create(fixture: &PullRequestFixture, body: Value) -> Response {
    fixture.user("hubot").post(&format!("{ROCKET}/statuses/{}", fixture.head), body).await
}

async fn combined(fixture: &PullRequestFixture, query: &str) -> Value {
    fixture.user("guest").get(&format!("{ROCKET}/commits/feature/status{query}")).await.expect(200).json()
}

#[tokio::test]
async fn created_status_has_every_field() {
    let fixture = fixture().await;
    let body = json!({ "state": "pending", "context": "CI/build", "description": "Running",
                       "target_url": "https://ci.example.com/1" });
    let created = create(&fixture, body).await.expect(201);
    let url = format!("http://plinth.test{ROCKET}/statuses/{}", fixture.head);
    assert_eq!(created.header("location"), Some(url.as_str()));
    let mut shown = created.json();
    assert_eq!(shown["creator"]["login"], "hubot");
    assert_eq!(shown["avatar_url"], shown["creator"]["avatar_url"]);
    assert_eq!(shown["url"], url);
    let listed = fixture.user("guest").get(&format!("{ROCKET}/commits/feature/statuses")).await.expect(200).json();
    assert_eq!(listed, json!([shown]));
    let by_url = fixture.user("guest").get(&format!("{ROCKET}/statuses/{}", fixture.head)).await.expect(200).json();
    assert_eq!(by_url, listed);
    let combined = combined(&fixture, "").await;
    for key in ["creator", "url", "avatar_url"] {
        shown.as_object_mut().expect("an object").remove(key);
    }
    expect![[r#"{"context":"CI/build","created_at":"2026-02-25T06:13:20Z","description":"Running","id":1,"node_id":"SC_kgAB","state":"pending","target_url":"https://ci.example.com/1","updated_at":"2026-02-25T06:13:20Z"}"#]].assert_eq(&shown.to_string());
    assert_eq!(combined["statuses"][0].get("creator"), None);
    assert_eq!(combined["statuses"][0]["id"], shown["id"]);
}

#[tokio::test]
async fn latest_status_of_each_context_counts() {
    let fixture = fixture().await;
    let mut states = Vec::new();
    for (context, state) in [
        ("a", "success"),
        ("b", "pending"),
        ("c", "error"),
        // Case does not matter.
        ("C", "success"),
        ("b", "failure"),
        ("b", "success"),
    ] {
        create(&fixture, json!({ "state": state, "context": context })).await.expect(201);
        let combined = combined(&fixture, "").await;
        states.push(json!([combined["state"], combined["total_count"]]));
    }
    let expected =
        json!([["success", 1], ["pending", 2], ["failure", 3], ["pending", 3], ["failure", 3], ["success", 3]]);
    assert_eq!(json!(states), expected);
    let all = combined(&fixture, "").await;
    let contexts: Vec<_> = all["statuses"].as_array().expect("a list").iter().map(|item| &item["context"]).collect();
    assert_eq!(contexts, ["b", "C", "a"]);
    let second = combined(&fixture, "?per_page=2&page=2").await;
    assert_eq!((&second["total_count"], &second["statuses"]), (&json!(3), &json!([all["statuses"][2]])));
    let list = fixture.user("guest").get(&format!("{ROCKET}/commits/feature/statuses?per_page=4")).await.expect(200);
    assert_eq!(list.json().as_array().map(Vec::len), Some(4));
    assert!(list.header("link").is_some_and(|link| link.contains("rel=\"last\"")));
}

#[tokio::test]
async fn invalid_statuses_are_rejected() {
    let fixture = fixture().await;
    let blob = fixture.work.git(&["rev-parse", &format!("{}:a", fixture.head)]).trim().to_owned();
    let mut seen = String::new();
    for body in [
        json!({}),
        json!({ "state": "good" }),
        json!({ "state": "success", "description": "x".repeat(141) }),
        json!({ "state": "success", "target_url": "javascript:alert(1)" }),
        json!({ "state": "success", "context": "x".repeat(256) }),
    ] {
        let response = create(&fixture, body).await.expect(422).json();
        seen += &format!("{} {}\n", response["message"], response["errors"]);
    }
    for sha in ["0".repeat(40), "main".to_owned(), blob] {
        let path = format!("{ROCKET}/statuses/{sha}");
        let response = fixture.user("hubot").post(&path, json!({ "state": "success" })).await.expect(422);
        assert_eq!(response.message(), format!("No commit found for SHA: {sha}"));
    }
    expect![[r#"
        "Invalid request.\n\n\"state\" wasn't supplied." null
        "Invalid request.\n\nFor 'properties/state', good is not a member of [\"error\", \"failure\", \"pending\", \"success\"]." null
        "Validation Failed" [{"code":"custom","field":"description","message":"description is too long (maximum is 140 characters)","resource":"Status"}]
        "Validation Failed" [{"code":"custom","field":"target_url","message":"target_url must use http(s) scheme","resource":"Status"}]
        "Validation Failed" [{"code":"custom","field":"context","message":"context is too long (maximum is 255 characters)","resource":"Status"}]
    "#]].assert_eq(&seen);
    assert_eq!(combined(&fixture, "").await["total_count"], 0);
}

#[tokio::test]
async fn context_has_at_most_1000_statuses() {
    let fixture = fixture().await;
    create(&fixture, json!({ "state": "success", "context": "ci" })).await.expect(201);
    let update = fixture.service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            Ok(tx.execute("update commit_status set number = $1 where number = 1", params![999i64]).await?)
        })
    });
    update.await.expect("the store accepts it");
    create(&fixture, json!({ "state": "success", "context": "ci" })).await.expect(201);
    let response = create(&fixture, json!({ "state": "success", "context": "CI" })).await.expect(422).json();
    let message = "This SHA and context has reached the maximum number of statuses.";
    assert_eq!(response["errors"], json!([{ "resource": "Status", "code": "custom", "message": message }]));
    create(&fixture, json!({ "state": "success", "context": "other" })).await.expect(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_statuses_of_one_context_leave_one_latest() {
    let fixture = fixture().await;
    let requests = (0..8).map(|_| create(&fixture, json!({ "state": "success" })));
    for response in futures_util::future::join_all(requests).await {
        response.expect(201);
    }
    assert_eq!(combined(&fixture, "").await["total_count"], 1);
}

/// Who may read and create statuses of a public and of a private repository.
#[tokio::test]
async fn statuses_need_their_scope_or_permission() {
    let work = crate::support::pull_request::WorkTree::new();
    work.write("a", Some("1\n"));
    let sha = work.commit("mona");
    let import = format!("import: {}", work.path().display());
    let state: StateFile = acme()
        .repo("acme/open", &import)
        .repo("acme/hidden", &format!("private: true, {import}"))
        .classic("mona", "repo:status", "ghp_status")
        .classic("mona", "public_repo", "ghp_public")
        .classic("mona", "read:user", "ghp_none")
        .fine_grained("mona", "acme", "statuses: write", "github_pat_write")
        .fine_grained("mona", "acme", "statuses: read", "github_pat_read")
        .fine_grained("mona", "acme", "contents: write", "github_pat_contents");
    let service = Service::with(&state.to_string()).await;
    for (token, expected) in [
        ("ghp_mona", [200, 201, 200, 201]),
        ("ghp_status", [200, 201, 200, 201]),
        ("ghp_public", [200, 201, 404, 404]),
        ("ghp_none", [200, 403, 404, 404]),
        ("ghp_stranger", [200, 403, 404, 404]),
        ("github_pat_write", [200, 201, 200, 201]),
        ("github_pat_read", [200, 403, 200, 403]),
        ("github_pat_contents", [200, 403, 403, 403]),
    ] {
        let client = service.with_token(token);
        let mut statuses = Vec::new();
        for repo in ["open", "hidden"] {
            statuses.push(client.get(&format!("/repos/acme/{repo}/commits/{sha}/status")).await.status);
            let path = format!("/repos/acme/{repo}/statuses/{sha}");
            statuses.push(client.post(&path, json!({ "state": "success" })).await.status);
        }
        assert_eq!(statuses, expected, "{token}");
    }
    // The scope gives no access to code.
    service.with_token("ghp_status").get("/repos/acme/hidden/contents/a").await.expect(404);
}
