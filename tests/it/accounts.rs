//! Users and organizations.

use std::sync::LazyLock;

use expect_test::expect;
use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::{StateFile, octo_org};

pub static STATE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .entry("users", "login: Mona, name: Mona Lisa, email: mona@example.com")
        .users(&["hubot"])
        .entry(
            "orgs",
            "login: octo-org, name: Octo, members: [{ user: mona, role: admin }, { user: hubot, role: member }]",
        )
        .repo("octo-org/Hello", "description: First")
        .repo("octo-org/secret", "private: true")
        .classic("mona", "repo, delete_repo", "ghp_monamona")
        .classic("hubot", "repo", "ghp_hubothubot")
        .classic("hubot", "public_repo", "ghp_hubotpublic")
        .to_string()
});

#[tokio::test]
async fn get_user_returns_caller() {
    let service = Service::with(&STATE).await;
    let response = service.with_token("ghp_monamona").get("/user").await;
    expect![[r#"
        200
        {
          "avatar_url": "http://plinth.test/avatars/1",
          "bio": null,
          "blog": "",
          "company": null,
          "created_at": "2026-02-25T06:13:20Z",
          "email": "mona@example.com",
          "events_url": "http://plinth.test/users/Mona/events{/privacy}",
          "followers": 0,
          "followers_url": "http://plinth.test/users/Mona/followers",
          "following": 0,
          "following_url": "http://plinth.test/users/Mona/following{/other_user}",
          "gists_url": "http://plinth.test/users/Mona/gists{/gist_id}",
          "gravatar_id": "",
          "hireable": null,
          "html_url": "http://plinth.test/Mona",
          "id": 1,
          "location": null,
          "login": "Mona",
          "name": "Mona Lisa",
          "node_id": "U_kgAB",
          "organizations_url": "http://plinth.test/users/Mona/orgs",
          "public_gists": 0,
          "public_repos": 0,
          "received_events_url": "http://plinth.test/users/Mona/received_events",
          "repos_url": "http://plinth.test/users/Mona/repos",
          "site_admin": false,
          "starred_url": "http://plinth.test/users/Mona/starred{/owner}{/repo}",
          "subscriptions_url": "http://plinth.test/users/Mona/subscriptions",
          "twitter_username": null,
          "type": "User",
          "updated_at": "2026-02-25T06:13:20Z",
          "url": "http://plinth.test/users/Mona",
          "user_view_type": "public"
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(response.header("x-oauth-scopes"), Some("delete_repo, repo"));
}

#[tokio::test]
async fn email_is_hidden_from_other_users() {
    let service = Service::with(&STATE).await;
    let response = service.with_token("ghp_hubothubot").get("/users/MONA").await.expect(200).json();
    assert_eq!((&response["login"], &response["email"]), (&json!("Mona"), &json!(null)));
    service.anonymous().get("/users/nobody").await.expect(404);
    service.anonymous().get("/orgs/mona").await.expect(404);
}

#[tokio::test]
async fn get_organization_returns_organization() {
    let service = Service::with(&STATE).await;
    let response = service.anonymous().get("/orgs/OCTO-ORG").await;
    expect![[r#"
        200
        {
          "archived_at": null,
          "avatar_url": "http://plinth.test/avatars/3",
          "created_at": "2026-02-25T06:13:20Z",
          "description": null,
          "email": null,
          "events_url": "http://plinth.test/orgs/octo-org/events",
          "followers": 0,
          "following": 0,
          "has_organization_projects": true,
          "has_repository_projects": false,
          "hooks_url": "http://plinth.test/orgs/octo-org/hooks",
          "html_url": "http://plinth.test/octo-org",
          "id": 3,
          "is_verified": false,
          "issues_url": "http://plinth.test/orgs/octo-org/issues",
          "login": "octo-org",
          "members_url": "http://plinth.test/orgs/octo-org/members{/member}",
          "name": "Octo",
          "node_id": "O_kgAD",
          "public_gists": 0,
          "public_members_url": "http://plinth.test/orgs/octo-org/public_members{/member}",
          "public_repos": 1,
          "repos_url": "http://plinth.test/orgs/octo-org/repos",
          "twitter_username": null,
          "type": "Organization",
          "updated_at": "2026-02-25T06:13:20Z",
          "url": "http://plinth.test/orgs/octo-org"
        }"#]]
    .assert_eq(&response.to_string());
}

/// A token always identifies its user, and has no further rights on other accounts.
#[tokio::test]
async fn fine_grained_token_of_other_owner_identifies_its_user() {
    let state = octo_org(&["mona"])
        .app("helper", "octo-org", "administration: write", "")
        .app_user("mona", "helper", "ghu_mona0000")
        .fine_grained("mona", "octo-org", "administration: write", "github_pat_mona");
    let service = Service::with(&state.to_string()).await;
    for token in ["ghu_mona0000", "github_pat_mona"] {
        let client = service.with_token(token);
        assert_eq!(client.get("/user").await.expect(200).json()["login"], "mona");
        client.post("/user/repos", serde_json::json!({ "name": "hello" })).await.expect(403);
    }
}

#[tokio::test]
async fn organizations_of_the_caller_are_listed_for_tokens_with_the_scope() {
    let state = octo_org(&["mona", "hubot"])
        .org("side-org", "{ user: mona, role: member }")
        .classic("mona", "read:org", "ghp_mona0000")
        .classic("mona", "repo", "ghp_monarepo")
        .fine_grained("mona", "octo-org", "contents: read", "github_pat_mona")
        .to_string();
    let service = Service::with(&state).await;
    let logins = async |token: &str, path: &str| {
        let found = service.with_token(token).get(path).await.expect(200).json();
        found
            .as_array()
            .expect("a list")
            .iter()
            .map(|org| org["login"].as_str().expect("a login").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(logins("ghp_mona0000", "/user/orgs").await, ["octo-org", "side-org"]);
    assert_eq!(logins("ghp_mona0000", "/user/orgs?per_page=1&page=2").await, ["side-org"]);
    // Members are visible only to each other, and a token for chosen repositories shows no membership.
    assert_eq!(logins("ghp_mona0000", "/users/mona/orgs").await, [""; 0]);
    assert_eq!(logins("github_pat_mona", "/user/orgs").await, [""; 0]);
    service.with_token("ghp_monarepo").get("/user/orgs").await.expect(403);
    service.anonymous().get("/user/orgs").await.expect(401);
    service.anonymous().get("/users/nobody/orgs").await.expect(404);
}
