//! Users, organizations and repositories by themselves.

use crate::support::Service;

#[tokio::test]
async fn a_user_sees_its_own_profile() {
    let service = Service::with(
        "users: [{ login: mona, name: Mona, email: mona@example.com }]\n\
         tokens: [{ kind: classic, user: mona, scopes: [repo], token: ghp_monamona }]",
    )
    .await;
    let answer = service.with_token("ghp_monamona").get("/user").await.expect(200);
    assert_eq!(answer.json()["login"], "mona");
    assert_eq!(answer.json()["email"], "mona@example.com");
    assert_eq!(answer.header("x-oauth-scopes"), Some("repo"));
}

/// Wherever a token reaches, it tells whose it is, and no more on that account than it was given.
#[tokio::test]
async fn a_token_for_another_account_still_tells_its_user() {
    let service = Service::with(
        "users: [{ login: mona }]\n\
         orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }]\n\
         apps: [{ slug: helper, owner: octo-org, permissions: { administration: write } }]\n\
         tokens:\n\
         - { kind: app_user, app: helper, user: mona, token: ghu_mona0000 }\n\
         - { kind: fine_grained, user: mona, owner: octo-org, permissions: { administration: write }, token: github_pat_mona }",
    )
    .await;
    for token in ["ghu_mona0000", "github_pat_mona"] {
        let client = service.with_token(token);
        assert_eq!(client.get("/user").await.expect(200).json()["login"], "mona");
        client.post("/user/repos", serde_json::json!({ "name": "hello" })).await.expect(403);
    }
}
