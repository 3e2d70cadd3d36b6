//! Repositories of an installation, and properties that all lists have.

use expect_test::expect;

use super::{names, service, suspend};

#[tokio::test]
async fn installation_lists_its_repositories() {
    let service = service().await;
    let response = service.with_token("ghs_helper00").get("/installation/repositories?per_page=1").await.expect(200);
    expect![[r#"
        200
        {
          "repositories": [
            {
              "allow_auto_merge": false,
              "allow_forking": true,
              "allow_merge_commit": true,
              "allow_rebase_merge": true,
              "allow_squash_merge": true,
              "archive_url": "http://plinth.test/repos/octo-org/hello/{archive_format}{/ref}",
              "archived": false,
              "assignees_url": "http://plinth.test/repos/octo-org/hello/assignees{/user}",
              "blobs_url": "http://plinth.test/repos/octo-org/hello/git/blobs{/sha}",
              "branches_url": "http://plinth.test/repos/octo-org/hello/branches{/branch}",
              "clone_url": "http://plinth.test/octo-org/hello.git",
              "collaborators_url": "http://plinth.test/repos/octo-org/hello/collaborators{/collaborator}",
              "comments_url": "http://plinth.test/repos/octo-org/hello/comments{/number}",
              "commits_url": "http://plinth.test/repos/octo-org/hello/commits{/sha}",
              "compare_url": "http://plinth.test/repos/octo-org/hello/compare/{base}...{head}",
              "contents_url": "http://plinth.test/repos/octo-org/hello/contents/{+path}",
              "contributors_url": "http://plinth.test/repos/octo-org/hello/contributors",
              "created_at": "2026-02-25T06:13:20Z",
              "custom_properties": {},
              "default_branch": "main",
              "delete_branch_on_merge": false,
              "deployments_url": "http://plinth.test/repos/octo-org/hello/deployments",
              "description": "Says hello",
              "disabled": false,
              "downloads_url": "http://plinth.test/repos/octo-org/hello/downloads",
              "events_url": "http://plinth.test/repos/octo-org/hello/events",
              "fork": false,
              "forks": 0,
              "forks_count": 0,
              "forks_url": "http://plinth.test/repos/octo-org/hello/forks",
              "full_name": "octo-org/hello",
              "git_commits_url": "http://plinth.test/repos/octo-org/hello/git/commits{/sha}",
              "git_refs_url": "http://plinth.test/repos/octo-org/hello/git/refs{/sha}",
              "git_tags_url": "http://plinth.test/repos/octo-org/hello/git/tags{/sha}",
              "git_url": "git://plinth.test/octo-org/hello.git",
              "has_discussions": false,
              "has_downloads": true,
              "has_issues": true,
              "has_pages": false,
              "has_projects": true,
              "has_wiki": false,
              "homepage": null,
              "hooks_url": "http://plinth.test/repos/octo-org/hello/hooks",
              "html_url": "http://plinth.test/octo-org/hello",
              "id": 1,
              "is_template": false,
              "issue_comment_url": "http://plinth.test/repos/octo-org/hello/issues/comments{/number}",
              "issue_events_url": "http://plinth.test/repos/octo-org/hello/issues/events{/number}",
              "issues_url": "http://plinth.test/repos/octo-org/hello/issues{/number}",
              "keys_url": "http://plinth.test/repos/octo-org/hello/keys{/key_id}",
              "labels_url": "http://plinth.test/repos/octo-org/hello/labels{/name}",
              "language": null,
              "languages_url": "http://plinth.test/repos/octo-org/hello/languages",
              "license": null,
              "merges_url": "http://plinth.test/repos/octo-org/hello/merges",
              "milestones_url": "http://plinth.test/repos/octo-org/hello/milestones{/number}",
              "mirror_url": null,
              "name": "hello",
              "network_count": 0,
              "node_id": "R_kgAB",
              "notifications_url": "http://plinth.test/repos/octo-org/hello/notifications{?since,all,participating}",
              "open_issues": 0,
              "open_issues_count": 0,
              "owner": {
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
              "private": false,
              "pulls_url": "http://plinth.test/repos/octo-org/hello/pulls{/number}",
              "pushed_at": "2026-02-25T06:13:20Z",
              "releases_url": "http://plinth.test/repos/octo-org/hello/releases{/id}",
              "size": 0,
              "ssh_url": "git@plinth.test:octo-org/hello.git",
              "stargazers_count": 0,
              "stargazers_url": "http://plinth.test/repos/octo-org/hello/stargazers",
              "statuses_url": "http://plinth.test/repos/octo-org/hello/statuses/{sha}",
              "subscribers_count": 0,
              "subscribers_url": "http://plinth.test/repos/octo-org/hello/subscribers",
              "subscription_url": "http://plinth.test/repos/octo-org/hello/subscription",
              "svn_url": "http://plinth.test/octo-org/hello",
              "tags_url": "http://plinth.test/repos/octo-org/hello/tags",
              "teams_url": "http://plinth.test/repos/octo-org/hello/teams",
              "temp_clone_token": "",
              "template_repository": null,
              "topics": [],
              "trees_url": "http://plinth.test/repos/octo-org/hello/git/trees{/sha}",
              "updated_at": "2026-02-25T06:13:20Z",
              "url": "http://plinth.test/repos/octo-org/hello",
              "visibility": "public",
              "watchers": 0,
              "watchers_count": 0,
              "web_commit_signoff_required": false
            }
          ],
          "repository_selection": "selected",
          "total_count": 2
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(
        response.header("link"),
        Some(
            "<http://plinth.test/installation/repositories?per_page=1&page=2>; rel=\"next\", \
             <http://plinth.test/installation/repositories?per_page=1&page=2>; rel=\"last\""
        )
    );
}

#[tokio::test]
async fn token_lists_intersection_with_its_installation() {
    let service = service().await;
    let list = async |token| names(&service.with_token(token).get("/installation/repositories").await.expect(200));
    assert_eq!(list("ghs_helper00").await, ["octo-org/hello", "octo-org/secret"]);
    assert_eq!(list("ghs_narrow00").await, ["octo-org/secret"]);
    assert_eq!(list("ghs_other000").await, ["octo-org/hello", "octo-org/secret", "octo-org/extra"]);
    let narrowed = service.with_token("ghs_narrow00").get("/installation/repositories").await.expect(200);
    assert_eq!(narrowed.json()["repository_selection"], "selected");
    let all = service.with_token("ghs_other000").get("/installation/repositories").await.expect(200);
    assert_eq!(all.json()["repository_selection"], "all");
}

#[tokio::test]
async fn installation_on_all_repositories_includes_later_ones() {
    let service = service().await;
    service.apply("repos: [{ name: octo-org/late }]").await;
    let all = service.with_token("ghs_other000").get("/installation/repositories").await.expect(200);
    assert_eq!(names(&all), ["octo-org/hello", "octo-org/secret", "octo-org/extra", "octo-org/late"]);
    let selected = service.with_token("ghs_helper00").get("/installation/repositories").await.expect(200);
    assert_eq!(names(&selected), ["octo-org/hello", "octo-org/secret"]);
}

#[tokio::test]
async fn installation_without_repositories_lists_none() {
    let service = service().await;
    service
        .apply(
            "installations: [{ app: other, account: empty-org, repositories: [] }]\n\
             tokens: [{ kind: installation, app: other, account: empty-org, token: ghs_empty000 }]",
        )
        .await;
    let response = service.with_token("ghs_empty000").get("/installation/repositories").await.expect(200);
    assert_eq!(response.body, r#"{"total_count":0,"repository_selection":"selected","repositories":[]}"#);
    assert_eq!(response.header("link"), None);
}

#[tokio::test]
async fn unchanged_lists_return_304() {
    let service = service().await;
    for (token, path) in [
        ("ghs_helper00", "/installation/repositories"),
        ("ghu_mona0000", "/user/installations"),
        ("ghu_mona0000", "/user/installations/1/repositories"),
    ] {
        let first = service.with_token(token).get(path).await.expect(200);
        let tag = first.header("etag").expect("a tag").to_owned();
        let client = service.with_token(token).header("if-none-match", &tag);
        let again = client.get(path).await.expect(304);
        assert!(again.body.is_empty(), "{path}");
        service.with_token("ghp_mona0000").put("/user/installations/1/repositories/3").await.expect(204);
        service.advance(1);
        if path != "/user/installations" {
            client.get(path).await.expect(200);
        }
        service.with_token("ghp_mona0000").delete("/user/installations/1/repositories/3").await.expect(204);
    }
}

/// The ETag of one caller is not valid for another.
#[tokio::test]
async fn etag_of_list_does_not_authorize_other_callers() {
    let service = service().await;
    let path = "/user/installations/1/repositories";
    let tag = service.with_token("ghu_mona0000").get(path).await.expect(200).header("etag").expect("a tag").to_owned();
    service.with_token("ghu_zoe00000").header("if-none-match", &tag).get(path).await.expect(404);
}

#[tokio::test]
async fn suspended_installation_is_shown_and_forbidden() {
    let service = service().await;
    suspend(&service).await;
    let list = service.with_token("ghu_mona0000").get("/user/installations").await.expect(200);
    assert_eq!(list.json()["installations"][0]["suspended_at"], "2026-02-25T06:13:20Z");
    let text = "This installation has been suspended";
    let repos = service.with_token("ghu_mona0000").get("/user/installations/1/repositories").await.expect(403);
    assert_eq!(repos.message(), text);
    let own = service.with_token("ghs_helper00").get("/installation/repositories").await.expect(403);
    assert_eq!(own.message(), text);
}
