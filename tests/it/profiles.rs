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
