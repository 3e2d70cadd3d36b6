//! Installations that a user can see.

use expect_test::expect;

use super::{ids, service};

#[tokio::test]
async fn user_lists_installations_of_calling_app() {
    let service = service().await;
    let response = service.with_token("ghu_hubot000").get("/user/installations").await.expect(200);
    expect![[r#"
        200
        {
          "installations": [
            {
              "access_tokens_url": "http://plinth.test/app/installations/1/access_tokens",
              "account": {
                "avatar_url": "http://plinth.test/avatars/5",
                "events_url": "http://plinth.test/users/octo-org/events{/privacy}",
                "followers_url": "http://plinth.test/users/octo-org/followers",
                "following_url": "http://plinth.test/users/octo-org/following{/other_user}",
                "gists_url": "http://plinth.test/users/octo-org/gists{/gist_id}",
                "gravatar_id": "",
                "html_url": "http://plinth.test/octo-org",
                "id": 5,
                "login": "octo-org",
                "node_id": "O_kgAF",
                "organizations_url": "http://plinth.test/users/octo-org/orgs",
                "received_events_url": "http://plinth.test/users/octo-org/received_events",
                "repos_url": "http://plinth.test/users/octo-org/repos",
                "site_admin": false,
                "starred_url": "http://plinth.test/users/octo-org/starred{/owner}{/repo}",
                "subscriptions_url": "http://plinth.test/users/octo-org/subscriptions",
                "type": "Organization",
                "url": "http://plinth.test/users/octo-org",
                "user_view_type": "public"
              },
              "app_id": 1,
              "app_slug": "helper",
              "client_id": "Iv23helper",
              "created_at": "2026-02-25T06:13:20Z",
              "events": [
                "push"
              ],
              "has_multiple_single_files": false,
              "html_url": "http://plinth.test/organizations/octo-org/settings/installations/1",
              "id": 1,
              "permissions": {
                "contents": "write",
                "issues": "read",
                "metadata": "read"
              },
              "repositories_url": "http://plinth.test/installation/repositories",
              "repository_selection": "selected",
              "single_file_name": null,
              "single_file_paths": [],
              "suspended_at": null,
              "suspended_by": null,
              "target_id": 5,
              "target_type": "Organization",
              "updated_at": "2026-02-25T06:13:20Z"
            }
          ],
          "total_count": 1
        }"#]]
    .assert_eq(&response.to_string());
}

/// Rule 3: owner, organization member and collaborator see an installation of the app; nobody else does.
#[tokio::test]
async fn installation_is_visible_only_to_users_with_access() {
    let service = service().await;
    let list = async |token| ids(&service.with_token(token).get("/user/installations").await.expect(200));
    assert_eq!(list("ghu_mona0000").await, [1, 2]);
    assert_eq!(list("ghu_hubot000").await, [1]);
    assert_eq!(list("ghu_nina0000").await, [1]);
    assert_eq!(list("ghu_zoe00000").await, [0i64; 0]);
    assert_eq!(list("ghu_other000").await, [3]);
}

/// A collaborator of a repository outside the installation does not see it.
#[tokio::test]
async fn collaborator_on_other_repository_does_not_see_installation() {
    let service = service().await;
    service
        .apply("repos: [{ name: octo-org/extra, private: true, collaborators: [{ user: zoe, permission: admin }] }]")
        .await;
    let zoe = service.with_token("ghu_zoe00000");
    assert_eq!(ids(&zoe.get("/user/installations").await.expect(200)), [0i64; 0]);
    zoe.get("/user/installations/1/repositories").await.expect(404);
}

#[tokio::test]
async fn user_installations_are_paged() {
    let service = service().await;
    let mona = service.with_token("ghu_mona0000");
    let first = mona.get("/user/installations?per_page=1").await.expect(200);
    assert_eq!((ids(&first), first.json()["total_count"].as_i64()), (vec![1], Some(2)));
    let second = mona.get("/user/installations?per_page=1&page=2").await.expect(200);
    assert_eq!(ids(&second), [2]);
    assert_eq!(
        second.header("link"),
        Some(
            "<http://plinth.test/user/installations?per_page=1&page=1>; rel=\"prev\", \
             <http://plinth.test/user/installations?per_page=1&page=1>; rel=\"first\""
        )
    );
    let beyond = mona.get("/user/installations?per_page=1&page=1000000000").await.expect(200);
    assert_eq!((ids(&beyond), beyond.json()["total_count"].as_i64()), (vec![], Some(2)));
}
