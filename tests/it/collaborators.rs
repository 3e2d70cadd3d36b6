//! Giving roles in a repository to users, and taking them away.

use std::sync::LazyLock;

use expect_test::expect;
use http::Method;
use serde_json::{Value, json};

use crate::support::fixtures::StateFile;
use crate::support::{Client, Response, Service};

static STATE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .users(&["mona", "hubot", "stranger"])
        .org("acme", "{ user: mona, role: admin }, { user: hubot, role: member }")
        .repo("acme/secret", "private: true, collaborators: [{ user: hubot, permission: maintain }]")
        .repo("acme/old", "archived: true")
        .repo("mona/own", "")
        .app("helper", "acme", "administration: write", "")
        .app("narrow", "acme", "administration: read, contents: write", "")
        .installation("helper", "acme", "all")
        .installation("narrow", "acme", "all")
        .classic("mona", "repo", "ghp_mona")
        .classic("mona", "", "ghp_unscoped")
        .classic("hubot", "repo", "ghp_hubot")
        .classic("stranger", "repo", "ghp_stranger")
        .fine_grained("mona", "acme", "administration: write", "github_pat_admin")
        .fine_grained("mona", "acme", "administration: read, contents: write", "github_pat_contents")
        .installation_token("helper", "acme", "ghs_helper")
        .installation_token("narrow", "acme", "ghs_narrow")
        .to_string()
});

const STRANGER: &str = "/repos/acme/secret/collaborators/stranger";

async fn put(client: &Client<'_>, path: &str, body: Value) -> Response {
    client.send(Method::PUT, path, body.to_string()).await
}

async fn role(client: &Client<'_>, path: &str) -> Value {
    client.get(&format!("{path}/permission")).await.expect(200).json()["role_name"].clone()
}

#[tokio::test]
async fn permission_becomes_role_at_once() {
    let service = Service::with(&STATE).await;
    let (mona, stranger) = (service.with_token("ghp_mona"), service.with_token("ghp_stranger"));
    stranger.get("/repos/acme/secret").await.expect(404);
    for (permission, role_name) in
        [("pull", "read"), ("triage", "triage"), ("push", "write"), ("maintain", "maintain"), ("admin", "admin")]
    {
        assert_eq!(put(&mona, STRANGER, json!({ "permission": permission })).await.expect(204).body, "");
        assert_eq!(role(&mona, STRANGER).await, role_name);
        let seen = stranger.get("/repos/acme/secret").await.expect(200).json();
        assert_eq!(seen["permissions"]["push"], ["write", "maintain", "admin"].contains(&role_name));
    }
    put(&mona, STRANGER, json!({})).await.expect(204);
    assert_eq!(role(&mona, STRANGER).await, "write", "the default is push");
    put(&mona, STRANGER, json!({ "permission": null })).await.expect(204);
    mona.put(STRANGER).await.expect(204);
    assert_eq!(role(&mona, STRANGER).await, "write", "no body is an empty one");
    put(&mona, "/repos/mona/own/collaborators/STRANGER", json!({ "permission": "triage" })).await.expect(204);
    assert_eq!(role(&mona, "/repos/mona/own/collaborators/stranger").await, "triage");
}

#[tokio::test]
async fn removed_collaborator_loses_access_at_once() {
    let service = Service::with(&STATE).await;
    let (mona, stranger) = (service.with_token("ghp_mona"), service.with_token("ghp_stranger"));
    put(&mona, STRANGER, json!({ "permission": "push" })).await.expect(204);
    let seen = stranger.get("/repos/acme/secret").await.expect(200);
    let tag = seen.header("etag").expect("a tag").to_owned();
    mona.delete(STRANGER).await.expect(204);
    stranger.get("/repos/acme/secret").await.expect(404);
    stranger.header("if-none-match", &tag).get("/repos/acme/secret").await.expect(404);
    mona.get(STRANGER).await.expect(404);
    // Another time is no error, and a role as a member of the organization remains.
    mona.delete(STRANGER).await.expect(204);
    mona.delete("/repos/acme/secret/collaborators/hubot").await.expect(204);
    assert_eq!(role(&mona, "/repos/acme/secret/collaborators/hubot").await, "read");
}

#[tokio::test]
async fn collaborator_leaves_and_removes_nobody_else() {
    let service = Service::with(&STATE).await;
    let (mona, stranger) = (service.with_token("ghp_mona"), service.with_token("ghp_stranger"));
    put(&mona, STRANGER, json!({ "permission": "maintain" })).await.expect(204);
    for path in ["/repos/acme/secret/collaborators/hubot", "/repos/acme/secret/collaborators/nobody"] {
        let rejected = stranger.delete(path).await.expect(403).json();
        assert_eq!(rejected["message"], "Must have admin rights to Repository.");
    }
    put(&stranger, STRANGER, json!({ "permission": "admin" })).await.expect(403);
    assert_eq!(role(&mona, STRANGER).await, "maintain");
    stranger.delete(STRANGER).await.expect(204);
    stranger.delete(STRANGER).await.expect(404);
}

#[tokio::test]
async fn collaborators_are_changed_by_administrators() {
    let service = Service::with(&STATE).await;
    for (token, status) in [
        ("ghp_mona", 204),
        ("github_pat_admin", 204),
        ("ghs_helper", 204),
        ("ghp_unscoped", 404),
        ("github_pat_contents", 403),
        ("ghs_narrow", 403),
        ("ghp_hubot", 403),
        ("ghp_stranger", 404),
    ] {
        let client = service.with_token(token);
        assert_eq!(put(&client, STRANGER, json!({ "permission": "pull" })).await.status, status, "{token} adds");
        assert_eq!(client.delete(STRANGER).await.status, status, "{token} removes");
    }
    put(&service.anonymous(), STRANGER, json!({})).await.expect(404);
    put(&service.anonymous(), "/repos/mona/own/collaborators/hubot", json!({})).await.expect(401);
    service.anonymous().delete("/repos/mona/own/collaborators/hubot").await.expect(401);
    put(&service.with_token("ghp_mona"), "/repos/acme/old/collaborators/hubot", json!({})).await.expect(403);
}

#[tokio::test]
async fn collaborators_are_users_and_not_the_owner() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_mona");
    for login in ["nobody", "acme", "helper[bot]"] {
        put(&mona, &format!("/repos/mona/own/collaborators/{login}"), json!({})).await.expect(404);
        mona.delete(&format!("/repos/mona/own/collaborators/{login}")).await.expect(404);
    }
    let owner = put(&mona, "/repos/mona/own/collaborators/mona", json!({})).await.expect(422).json();
    let message = "Repository owner cannot be a collaborator";
    assert_eq!(owner["errors"], json!([{ "resource": "Repository", "code": "custom", "message": message }]));
    let word = put(&mona, "/repos/mona/own/collaborators/hubot", json!({ "permission": "owner" })).await.expect(422);
    expect![[r#"
        Invalid request.

        For 'properties/permission', owner is not a member of ["pull", "triage", "push", "maintain", "admin"]."#]]
    .assert_eq(&word.message());
    mona.get("/repos/mona/own/collaborators/hubot").await.expect(404);
}

#[tokio::test]
async fn state_file_rejects_owner_as_collaborator_with_its_line() {
    let service = Service::with(&STATE).await;
    let text = "repos:\n  - name: mona/own\n    collaborators:\n      - { user: mona, permission: read }\n";
    let error = service.try_apply(text).await.expect_err("the owner is no collaborator");
    assert!(error.to_string().contains("line 4, repos.collaborators.user: "), "{error}");
}
