//! Repositories.

use expect_test::expect;
use serde_json::{Value, json};

use crate::accounts::STATE;
use crate::support::Service;
use crate::support::pull_request::{PULL, PullRequestFixture};

#[tokio::test]
async fn get_repository_returns_every_field() {
    let service = Service::with(&STATE).await;
    let response = service.with_token("ghp_hubothubot").get("/repos/octo-org/hello").await;
    expect![[r#"
        200
        {
          "allow_auto_merge": false,
          "allow_forking": true,
          "allow_merge_commit": true,
          "allow_rebase_merge": true,
          "allow_squash_merge": true,
          "archive_url": "http://plinth.test/repos/octo-org/Hello/{archive_format}{/ref}",
          "archived": false,
          "assignees_url": "http://plinth.test/repos/octo-org/Hello/assignees{/user}",
          "blobs_url": "http://plinth.test/repos/octo-org/Hello/git/blobs{/sha}",
          "branches_url": "http://plinth.test/repos/octo-org/Hello/branches{/branch}",
          "clone_url": "http://plinth.test/octo-org/Hello.git",
          "collaborators_url": "http://plinth.test/repos/octo-org/Hello/collaborators{/collaborator}",
          "comments_url": "http://plinth.test/repos/octo-org/Hello/comments{/number}",
          "commits_url": "http://plinth.test/repos/octo-org/Hello/commits{/sha}",
          "compare_url": "http://plinth.test/repos/octo-org/Hello/compare/{base}...{head}",
          "contents_url": "http://plinth.test/repos/octo-org/Hello/contents/{+path}",
          "contributors_url": "http://plinth.test/repos/octo-org/Hello/contributors",
          "created_at": "2026-02-25T06:13:20Z",
          "default_branch": "main",
          "delete_branch_on_merge": false,
          "deployments_url": "http://plinth.test/repos/octo-org/Hello/deployments",
          "description": "First",
          "disabled": false,
          "downloads_url": "http://plinth.test/repos/octo-org/Hello/downloads",
          "events_url": "http://plinth.test/repos/octo-org/Hello/events",
          "fork": false,
          "forks": 0,
          "forks_count": 0,
          "forks_url": "http://plinth.test/repos/octo-org/Hello/forks",
          "full_name": "octo-org/Hello",
          "git_commits_url": "http://plinth.test/repos/octo-org/Hello/git/commits{/sha}",
          "git_refs_url": "http://plinth.test/repos/octo-org/Hello/git/refs{/sha}",
          "git_tags_url": "http://plinth.test/repos/octo-org/Hello/git/tags{/sha}",
          "git_url": "git://plinth.test/octo-org/Hello.git",
          "has_discussions": false,
          "has_downloads": true,
          "has_issues": true,
          "has_pages": false,
          "has_projects": true,
          "has_wiki": false,
          "homepage": null,
          "hooks_url": "http://plinth.test/repos/octo-org/Hello/hooks",
          "html_url": "http://plinth.test/octo-org/Hello",
          "id": 1,
          "is_template": false,
          "issue_comment_url": "http://plinth.test/repos/octo-org/Hello/issues/comments{/number}",
          "issue_events_url": "http://plinth.test/repos/octo-org/Hello/issues/events{/number}",
          "issues_url": "http://plinth.test/repos/octo-org/Hello/issues{/number}",
          "keys_url": "http://plinth.test/repos/octo-org/Hello/keys{/key_id}",
          "labels_url": "http://plinth.test/repos/octo-org/Hello/labels{/name}",
          "language": null,
          "languages_url": "http://plinth.test/repos/octo-org/Hello/languages",
          "license": null,
          "merges_url": "http://plinth.test/repos/octo-org/Hello/merges",
          "milestones_url": "http://plinth.test/repos/octo-org/Hello/milestones{/number}",
          "mirror_url": null,
          "name": "Hello",
          "network_count": 0,
          "node_id": "R_kgAB",
          "notifications_url": "http://plinth.test/repos/octo-org/Hello/notifications{?since,all,participating}",
          "open_issues": 0,
          "open_issues_count": 0,
          "organization": {
            "avatar_url": "http://plinth.test/avatars/3",
            "events_url": "http://plinth.test/users/octo-org/events{/privacy}",
            "followers_url": "http://plinth.test/users/octo-org/followers",
            "following_url": "http://plinth.test/users/octo-org/following{/other_user}",
            "gists_url": "http://plinth.test/users/octo-org/gists{/gist_id}",
            "gravatar_id": "",
            "html_url": "http://plinth.test/octo-org",
            "id": 3,
            "login": "octo-org",
            "node_id": "O_kgAD",
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
          "owner": {
            "avatar_url": "http://plinth.test/avatars/3",
            "events_url": "http://plinth.test/users/octo-org/events{/privacy}",
            "followers_url": "http://plinth.test/users/octo-org/followers",
            "following_url": "http://plinth.test/users/octo-org/following{/other_user}",
            "gists_url": "http://plinth.test/users/octo-org/gists{/gist_id}",
            "gravatar_id": "",
            "html_url": "http://plinth.test/octo-org",
            "id": 3,
            "login": "octo-org",
            "node_id": "O_kgAD",
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
          "permissions": {
            "admin": false,
            "maintain": false,
            "pull": true,
            "push": false,
            "triage": false
          },
          "private": false,
          "pulls_url": "http://plinth.test/repos/octo-org/Hello/pulls{/number}",
          "pushed_at": "2026-02-25T06:13:20Z",
          "releases_url": "http://plinth.test/repos/octo-org/Hello/releases{/id}",
          "size": 0,
          "ssh_url": "git@plinth.test:octo-org/Hello.git",
          "stargazers_count": 0,
          "stargazers_url": "http://plinth.test/repos/octo-org/Hello/stargazers",
          "statuses_url": "http://plinth.test/repos/octo-org/Hello/statuses/{sha}",
          "subscribers_count": 0,
          "subscribers_url": "http://plinth.test/repos/octo-org/Hello/subscribers",
          "subscription_url": "http://plinth.test/repos/octo-org/Hello/subscription",
          "svn_url": "http://plinth.test/octo-org/Hello",
          "tags_url": "http://plinth.test/repos/octo-org/Hello/tags",
          "teams_url": "http://plinth.test/repos/octo-org/Hello/teams",
          "temp_clone_token": "",
          "template_repository": null,
          "topics": [],
          "trees_url": "http://plinth.test/repos/octo-org/Hello/git/trees{/sha}",
          "updated_at": "2026-02-25T06:13:20Z",
          "url": "http://plinth.test/repos/octo-org/Hello",
          "visibility": "public",
          "watchers": 0,
          "watchers_count": 0,
          "web_commit_signoff_required": false
        }"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn urls_have_prefix_of_request() {
    let service = Service::with(&STATE).await;
    let client = service.anonymous().header("host", "code.example:8443");
    let plain = client.get("/repos/octo-org/hello").await.expect(200).json();
    let prefixed = client.get("/api/v3/repos/octo-org/hello").await.expect(200).json();
    assert_eq!(plain["url"], "http://code.example:8443/repos/octo-org/Hello");
    assert_eq!(prefixed["url"], "http://code.example:8443/api/v3/repos/octo-org/Hello");
    assert_eq!(prefixed["clone_url"], "http://code.example:8443/octo-org/Hello.git");
    assert_eq!(prefixed["owner"]["repos_url"], "http://code.example:8443/api/v3/users/octo-org/repos");
}

#[tokio::test]
async fn user_creates_and_deletes_repository() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let made = mona.post("/user/repos", json!({ "name": "Notes", "private": true })).await.expect(201);
    assert_eq!(made.header("location"), Some("http://plinth.test/repos/Mona/Notes"));
    let made = made.json();
    assert_eq!((&made["full_name"], &made["private"]), (&json!("Mona/Notes"), &json!(true)));
    assert_eq!(made["permissions"]["admin"], true);

    let again = mona.post("/user/repos", json!({ "name": "notes" })).await.expect(422);
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "errors": [
            {
              "code": "custom",
              "field": "name",
              "message": "name already exists on this account",
              "resource": "Repository"
            }
          ],
          "message": "Repository creation failed.",
          "status": "422"
        }"#]]
    .assert_eq(&again.to_string());

    mona.delete("/repos/mona/notes").await.expect(204);
    mona.get("/repos/mona/notes").await.expect(404);
    let next = mona.post("/user/repos", json!({ "name": "Notes" })).await.expect(201).json();
    assert!(next["id"].as_i64() > made["id"].as_i64(), "numbers are not used twice");
}

#[tokio::test]
async fn member_administers_repository_it_creates_in_organization() {
    let service = Service::with(&STATE).await;
    let hubot = service.with_token("ghp_hubothubot");
    let made = hubot.post("/orgs/octo-org/repos", json!({ "name": "bots" })).await.expect(201).json();
    assert_eq!((&made["owner"]["login"], &made["permissions"]["admin"]), (&json!("octo-org"), &json!(true)));
    let theirs = hubot.get("/repos/octo-org/hello").await.expect(200).json();
    assert_eq!(theirs["permissions"]["push"], false, "membership alone reads");
    hubot.delete("/repos/octo-org/hello").await.expect(403);
}

#[tokio::test]
async fn create_repository_reports_every_invalid_field() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let rejected =
        mona.post("/user/repos", json!({ "name": "z".repeat(101), "description": "x".repeat(351) })).await.expect(422);
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "errors": [
            {
              "code": "custom",
              "field": "name",
              "message": "name is too long (maximum is 100 characters)",
              "resource": "Repository"
            },
            {
              "code": "custom",
              "field": "description",
              "message": "description is too long (maximum is 350 characters)",
              "resource": "Repository"
            }
          ],
          "message": "Repository creation failed.",
          "status": "422"
        }"#]]
    .assert_eq(&rejected.to_string());
    let shapeless = mona.post("/user/repos", json!({ "private": "yes", "visibility": "internal" })).await.expect(422);
    expect![[r#"
        422
        {
          "documentation_url": "http://plinth.test/docs#repos/create-for-authenticated-user",
          "message": "Invalid request.\n\n\"name\" wasn't supplied.\nFor 'properties/private', yes is not a boolean.\nFor 'properties/visibility', internal is not a member of [\"public\", \"private\"].",
          "status": "422"
        }"#]].assert_eq(&shapeless.to_string());
}

#[tokio::test]
async fn private_repository_requires_repo_scope() {
    let service = Service::with(&STATE).await;
    let hubot = service.with_token("ghp_hubotpublic");
    hubot.post("/user/repos", json!({ "name": "hidden", "private": true })).await.expect(403);
    hubot.post("/user/repos", json!({ "name": "open" })).await.expect(201);
    hubot.get("/repos/octo-org/secret").await.expect(404);
}

#[tokio::test]
async fn repository_counts_open_pull_requests_and_names_its_organization() {
    let fixture = PullRequestFixture::new(&[("a", "1\n")], &[("a", Some("2\n"))]).await;
    let mona = fixture.user("mona");
    let counts = |repo: &Value| (repo["open_issues_count"].clone(), repo["open_issues"].clone());
    let repo = mona.get("/repos/acme/rocket").await.expect(200).json();
    assert_eq!(counts(&repo), (json!(1), json!(1)));
    assert_eq!(repo["organization"], repo["owner"]);
    let pull = mona.get(PULL).await.expect(200).json();
    assert_eq!(counts(&pull["base"]["repo"]), (json!(1), json!(1)));
    let closed = mona.patch(PULL, json!({ "state": "closed" })).await.expect(200).json();
    assert_eq!(counts(&closed["head"]["repo"]), (json!(0), json!(0)));
    assert_eq!(counts(&mona.get("/repos/acme/rocket").await.json()), (json!(0), json!(0)));
    let own = mona.post("/user/repos", json!({ "name": "own" })).await.expect(201).json();
    assert_eq!(own["organization"], Value::Null);
    assert!(own.as_object().expect("an object").contains_key("organization"));
}
