//! Adding issues and pull requests to projects.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{ITEMS, add, fixture, hidden, in_rocket, member, mona};

#[tokio::test]
async fn item_shows_its_issue_or_pull_request() {
    let fixture = fixture().await;
    fixture.service.settled().await;
    let issue = mona(&fixture).get("/repos/acme/rocket/issues/2").await.expect(200).json();
    let response = mona(&fixture).post(ITEMS, json!({ "type": "Issue", "id": issue["id"] })).await.expect(201);
    let mut item = response.json();
    assert_eq!(item["content"], issue);
    assert_eq!(response.header("location"), item["item_url"].as_str());
    item["content"] = Value::Null;
    item["creator"] = item["creator"]["login"].clone();
    assert_eq!(
        item,
        json!({
            "id": 1,
            "node_id": "PVTI_lAAGAQE",
            "project_url": "http://plinth.test/orgs/acme/projectsV2/1",
            "content_type": "Issue",
            "content": null,
            "creator": "mona",
            "created_at": "2026-02-25T06:13:20Z",
            "updated_at": "2026-02-25T06:13:20Z",
            "archived_at": null,
            "item_url": "http://plinth.test/orgs/acme/projectsV2/1/items/1",
        })
    );
    let pull = mona(&fixture).get("/repos/acme/rocket/pulls").await.expect(200).json()[0].clone();
    let item = add(&fixture, json!({ "type": "PullRequest", "id": pull["id"] })).await;
    assert_eq!((&item["content_type"], &item["content"]), (&json!("PullRequest"), &pull));
    let url = item["item_url"].as_str().and_then(|url| url.strip_prefix("http://plinth.test")).expect("a URL");
    assert_eq!(fixture.service.anonymous().get(url).await.expect(200).json()["content"], pull);
    let project = fixture.service.anonymous().get("/orgs/acme/projectsV2/1").await.expect(200).json();
    assert_eq!(project["updated_at"], "2026-02-25T06:13:20Z");
}

#[tokio::test]
async fn content_is_added_once() {
    let fixture = fixture().await;
    let first = add(&fixture, in_rocket("Issue", 2)).await;
    fixture.service.advance(60);
    let again = member(&fixture).post(ITEMS, in_rocket("Issue", 2)).await.expect(201).json();
    assert_eq!(again, first);
    let requests = (0..8).map(|_| async { mona(&fixture).post(ITEMS, in_rocket("PullRequest", 1)).await.expect(201) });
    let added: Vec<Value> = join_all(requests).await.iter().map(|response| response.json()["id"].clone()).collect();
    assert!(added.iter().all(|id| *id == added[0]), "{added:?}");
    let listed = mona(&fixture).get(ITEMS).await.expect(200).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(2));
    let elsewhere = mona(&fixture).post("/orgs/acme/projectsV2/2/items", in_rocket("Issue", 2)).await.expect(201);
    assert_ne!(elsewhere.json()["id"], first["id"]);
}

#[tokio::test]
async fn absent_content_and_hidden_content_are_not_found() {
    let fixture = fixture().await;
    let absent = json!({ "type": "Issue", "owner": "mona", "repo": "nothing", "number": 1 });
    let absent = member(&fixture).post(ITEMS, absent).await.expect(404);
    let hidden_issue = mona(&fixture).get("/repos/mona/secret/issues/1").await.expect(200).json();
    for body in [
        hidden(),
        json!({ "type": "Issue", "id": hidden_issue["id"] }),
        in_rocket("Issue", 1),
        in_rocket("PullRequest", 2),
        in_rocket("Issue", 99),
        json!({ "type": "Issue", "id": 999 }),
        json!({ "type": "PullRequest", "id": hidden_issue["id"] }),
        json!({ "type": "PullRequest", "id": -1 }),
    ] {
        let response = member(&fixture).post(ITEMS, body.clone()).await;
        assert_eq!(response.comparable(), absent.comparable(), "{body}");
    }
    mona(&fixture).post(ITEMS, hidden()).await.expect(201);
}

#[tokio::test]
async fn body_names_one_issue_or_pull_request() {
    let fixture = fixture().await;
    for body in [
        json!({}),
        json!({ "type": "Issue" }),
        json!({ "id": 1 }),
        json!({ "type": "DraftIssue", "id": 1 }),
        json!({ "type": "Issue", "id": "1" }),
        json!({ "type": "Issue", "owner": "acme", "repo": "rocket" }),
        json!({ "type": "Issue", "id": 1, "owner": "acme", "repo": "rocket", "number": 2 }),
        json!({ "type": "Issue", "id": 1, "more": true }),
    ] {
        assert_eq!(mona(&fixture).post(ITEMS, body.clone()).await.status, 422, "{body}");
    }
    let mut with_null = in_rocket("Issue", 2);
    with_null["id"] = Value::Null;
    mona(&fixture).post(ITEMS, with_null).await.expect(201);
}

#[tokio::test]
async fn project_of_user_has_items() {
    let fixture = fixture().await;
    let items = "/users/mona/projectsV2/1/items";
    let item = mona(&fixture).post(items, in_rocket("Issue", 2)).await.expect(201).json();
    assert_eq!(item["project_url"], "http://plinth.test/users/mona/projectsV2/1");
    let path = format!("{items}/{}", item["id"]);
    assert_eq!(mona(&fixture).get(items).await.expect(200).json()[0]["id"], item["id"]);
    let fields = mona(&fixture).get("/users/mona/projectsV2/1/fields").await.expect(200).json();
    let status = &fields[2];
    assert_eq!(status["name"], "Status");
    let body = json!({ "fields": [{ "id": status["id"], "value": status["options"][0]["id"] }] });
    let updated = mona(&fixture).patch(&path, body).await.expect(200).json();
    assert_eq!(super::value(&updated, "Status")["name"]["raw"], "Todo");
    mona(&fixture).get(&format!("{ITEMS}/{}", item["id"])).await.expect(404);
    mona(&fixture).delete(&path).await.expect(204);
    mona(&fixture).get(&path).await.expect(404);
}
