//! Items whose content a caller may not read.

use serde_json::{Value, json};

use super::{ITEMS, add, field, fixture, hidden, in_rocket, member, mona};

/// Nothing of the hidden issue may be in a response.
fn assert_hides(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    for word in ["Hidden", "secret", "Private notes"] {
        assert!(!text.contains(word), "{text}");
    }
}

#[tokio::test]
async fn hidden_content_is_null_with_all_values() {
    let fixture = fixture().await;
    let item = add(&fixture, hidden()).await;
    assert_eq!(item["content"]["title"], "Hidden");
    add(&fixture, in_rocket("Issue", 2)).await;
    let path = format!("{ITEMS}/{}", item["id"]);
    let notes = field(&fixture, "Notes").await;
    let body = json!({ "fields": [{ "id": notes, "value": "Private notes" }] });
    let shown = mona(&fixture).patch(&path, body).await.expect(200).json();
    assert_eq!(super::value(&shown, "Notes")["raw"], "Private notes");
    let all: Vec<String> = mona(&fixture)
        .get("/orgs/acme/projectsV2/1/fields")
        .await
        .expect(200)
        .json()
        .as_array()
        .expect("a list")
        .iter()
        .map(|field| field["id"].to_string())
        .collect();
    let query = format!("?fields={}", all.join(","));
    for client in [member(&fixture), fixture.user("guest"), fixture.service.anonymous()] {
        let response = client.get(&format!("{path}{query}")).await.expect(200);
        assert_hides(&response.body);
        let shown = response.json();
        assert_eq!((&shown["content"], &shown["content_type"]), (&Value::Null, &json!("Issue")));
        let fields = shown["fields"].as_array().expect("a list");
        assert_eq!(fields.len(), all.len());
        assert!(fields.iter().all(|field| field["value"].is_null()), "{shown}");
        let listed = client.get(&format!("{ITEMS}{query}")).await.expect(200);
        assert_hides(&listed.body);
        assert_eq!(listed.json()[0], shown);
        assert_eq!(listed.json()[1]["content"]["title"], "<Broken>");
    }
}

#[tokio::test]
async fn hidden_content_can_be_removed_but_not_updated() {
    let fixture = fixture().await;
    let path = format!("{ITEMS}/{}", add(&fixture, hidden()).await["id"]);
    let notes = field(&fixture, "Notes").await;
    let body = json!({ "fields": [{ "id": notes, "value": "Mine" }] });
    let response = member(&fixture).patch(&path, body.clone()).await.expect(403);
    assert_hides(&response.body);
    mona(&fixture).patch(&path, body).await.expect(200);
    member(&fixture).delete(&path).await.expect(204);
    mona(&fixture).get(&path).await.expect(404);
}

#[tokio::test]
async fn token_without_the_permission_sees_no_content_of_private_repositories() {
    let fixture = fixture().await;
    let state = "
repos: [{ name: acme/closed, private: true }]
issues: [{ repo: acme/closed, title: Closed issue, author: mona }]
tokens:
  - { kind: fine_grained, user: mona, owner: acme, permissions: { organization_projects: read }, token: github_pat_blind }
  - { kind: fine_grained, user: mona, owner: acme, permissions: { organization_projects: read, issues: read }, token: github_pat_sees }
  - { kind: fine_grained, user: mona, owner: acme, permissions: { organization_projects: read, pull_requests: read }, token: github_pat_pulls }
  - { kind: classic, user: mona, scopes: [project], token: ghp_onlyprojects }
";
    fixture.service.apply(state).await;
    let in_closed = json!({ "type": "Issue", "owner": "acme", "repo": "closed", "number": 1 });
    let path = format!("{ITEMS}/{}", add(&fixture, in_closed).await["id"]);
    for (token, is_seen) in [
        ("github_pat_blind", false),
        ("github_pat_sees", true),
        ("github_pat_pulls", false),
        ("ghp_onlyprojects", false),
    ] {
        let item = fixture.service.with_token(token).get(&path).await.expect(200).json();
        assert_eq!(item["content"].is_object(), is_seen, "{token}");
    }
}
