//! Who may see and change hooks: administrators, with the right scope or permission. All others get 404, as for a hook
//! that does not exist, unless their token could see the hooks and lacks a permission.

use std::sync::LazyLock;

use http::Method;
use serde_json::json;

use super::{ORG_HOOKS, REPO_HOOKS, new_hook};
use crate::support::Service;
use crate::support::fixtures::apps_with_permission;

static REPO_STATE: LazyLock<String> = LazyLock::new(|| {
    apps_with_permission("repository_hooks", "contents: write, organization_hooks: write")
        .repo("octo-org/hello", "collaborators: [{ user: hubot, permission: maintain }]")
        .repo("octo-org/secret", "private: true")
        .classic("mona", "repo", "ghp_repo0000")
        .classic("mona", "\"read:repo_hook\"", "ghp_read0000")
        .classic("mona", "\"write:repo_hook\"", "ghp_write000")
        .classic("mona", "\"admin:repo_hook\"", "ghp_admin000")
        .classic("mona", "\"admin:org_hook\", \"admin:org\", public_repo", "ghp_others00")
        .classic("hubot", "repo", "ghp_maintain")
        .classic("stranger", "repo", "ghp_stranger")
        .oauth("mona", "\"write:repo_hook\"", "gho_write000")
        .oauth("mona", "user", "gho_user0000")
        .fine_grained("mona", "octo-org", "repository_hooks: write", "github_pat_write")
        .fine_grained("mona", "octo-org", "repository_hooks: read", "github_pat_read")
        .fine_grained("mona", "octo-org", "contents: write", "github_pat_blind")
        .fine_grained("mona", "other-org", "repository_hooks: write", "github_pat_other")
        .fine_grained("stranger", "octo-org", "repository_hooks: write", "github_pat_stranger")
        .to_string()
});

static ORG_STATE: LazyLock<String> = LazyLock::new(|| {
    apps_with_permission("organization_hooks", "contents: write, repository_hooks: write")
        .classic("mona", "\"admin:org_hook\"", "ghp_admin000")
        .classic("mona", "repo, \"admin:org\", \"admin:repo_hook\"", "ghp_others00")
        .classic("hubot", "\"admin:org_hook\"", "ghp_member00")
        .classic("stranger", "\"admin:org_hook\"", "ghp_stranger")
        .oauth("mona", "\"admin:org_hook\"", "gho_admin000")
        .oauth("mona", "repo", "gho_others00")
        .fine_grained("mona", "octo-org", "organization_hooks: write", "github_pat_write")
        .fine_grained("mona", "octo-org", "organization_hooks: read", "github_pat_read")
        .fine_grained("mona", "octo-org", "contents: write", "github_pat_blind")
        .fine_grained("mona", "other-org", "organization_hooks: write", "github_pat_other")
        .to_string()
});

/// What a token may do: read, write and delete hooks.
type Row = (&'static str, u16, u16, u16);

const REPO_ROWS: &[Row] = &[
    ("", 401, 401, 401),
    ("ghp_repo0000", 200, 201, 204),
    ("ghp_read0000", 200, 404, 404),
    ("ghp_write000", 200, 201, 404),
    ("ghp_admin000", 200, 201, 204),
    ("ghp_others00", 404, 404, 404),
    ("ghp_maintain", 404, 404, 404),
    ("ghp_stranger", 404, 404, 404),
    ("gho_write000", 200, 201, 404),
    ("gho_user0000", 404, 404, 404),
    ("github_pat_write", 200, 201, 204),
    ("github_pat_read", 200, 403, 403),
    ("github_pat_blind", 403, 403, 403),
    ("github_pat_other", 404, 404, 404),
    ("github_pat_stranger", 404, 404, 404),
    ("ghu_mona_writer", 200, 201, 204),
    ("ghu_mona_reader", 200, 403, 403),
    ("ghu_mona_blind", 403, 403, 403),
    ("ghu_mona_elsewhere", 404, 404, 404),
    ("ghu_stranger", 404, 404, 404),
    ("ghs_writer00", 200, 201, 204),
    ("ghs_reader00", 200, 403, 403),
    ("ghs_blind000", 403, 403, 403),
    ("ghs_elsewhere", 404, 404, 404),
];

const ORG_ROWS: &[Row] = &[
    ("", 401, 401, 401),
    ("ghp_admin000", 200, 201, 204),
    ("ghp_others00", 404, 404, 404),
    ("ghp_member00", 404, 404, 404),
    ("ghp_stranger", 404, 404, 404),
    ("gho_admin000", 200, 201, 204),
    ("gho_others00", 404, 404, 404),
    ("github_pat_write", 200, 201, 204),
    ("github_pat_read", 200, 403, 403),
    ("github_pat_blind", 403, 403, 403),
    ("github_pat_other", 404, 404, 404),
    ("ghu_mona_writer", 200, 201, 204),
    ("ghu_mona_reader", 200, 403, 403),
    ("ghu_mona_blind", 403, 403, 403),
    ("ghu_mona_elsewhere", 404, 404, 404),
    ("ghs_writer00", 200, 201, 204),
    ("ghs_reader00", 200, 403, 403),
    ("ghs_blind000", 403, 403, 403),
    ("ghs_elsewhere", 404, 404, 404),
];

/// Checks every operation. `admin` is a token that may do everything.
async fn check(service: &Service, hooks: &str, admin: &str, rows: &[Row]) {
    for (number, (token, read, write, delete)) in rows.iter().enumerate() {
        let client = if token.is_empty() { service.anonymous() } else { service.with_token(token) };
        let owner = service.with_token(admin);
        let made = owner.post(hooks, new_hook(&format!("http://example.com/{number}"))).await.expect(201).json();
        let path = format!("{hooks}/{}", made["id"]);
        for path in [hooks.to_owned(), path.clone(), format!("{path}/config"), format!("{path}/deliveries")] {
            assert_eq!(client.get(&path).await.status, *read, "{token} GET {path}");
        }
        let shown = client.get(&format!("{path}/deliveries/99")).await.status;
        assert_eq!(shown, if *read == 200 { 404 } else { *read }, "{token} delivery");
        let written = client.post(hooks, new_hook(&format!("http://example.com/{number}/2"))).await;
        assert_eq!(written.status, *write, "{token} POST {hooks}");
        if written.status == 201 {
            owner.delete(&format!("{hooks}/{}", written.json()["id"])).await.expect(204);
        }
        let ok = |status: u16| if *write == 201 { status } else { *write };
        assert_eq!(client.patch(&path, json!({})).await.status, ok(200), "{token} PATCH");
        assert_eq!(client.patch(&format!("{path}/config"), json!({})).await.status, ok(200), "{token} PATCH config");
        assert_eq!(client.post(&format!("{path}/pings"), json!({})).await.status, ok(204), "{token} ping");
        if hooks.starts_with("/repos") {
            assert_eq!(client.post(&format!("{path}/tests"), json!({})).await.status, ok(204), "{token} test");
        }
        let again = client.post(&format!("{path}/deliveries/99/attempts"), json!({})).await.status;
        assert_eq!(again, ok(404), "{token} redeliver");
        assert_eq!(client.delete(&path).await.status, *delete, "{token} DELETE");
        if *delete != 204 {
            owner.delete(&path).await.expect(204);
        }
    }
}

#[tokio::test]
async fn repo_hooks_need_admin_and_their_scope_or_permission() {
    let service = Service::with(&REPO_STATE).await;
    check(&service, REPO_HOOKS, "ghp_admin000", REPO_ROWS).await;
    check(&service, "/repos/octo-org/secret/hooks", "ghp_admin000", REPO_ROWS).await;
}

#[tokio::test]
async fn org_hooks_need_an_owner_and_their_scope_or_permission() {
    let service = Service::with(&ORG_STATE).await;
    check(&service, ORG_HOOKS, "ghp_admin000", ORG_ROWS).await;
}

#[tokio::test]
async fn absent_repository_and_hidden_hooks_look_the_same() {
    let service = Service::with(&REPO_STATE).await;
    for token in ["ghp_stranger", "ghp_maintain", "github_pat_stranger", "ghs_elsewhere"] {
        let client = service.with_token(token);
        let hidden = client.get(REPO_HOOKS).await.expect(404);
        let absent = client.get("/repos/octo-org/absent/hooks").await.expect(404);
        assert_eq!(hidden.body, absent.body, "{token}");
    }
}

#[tokio::test]
async fn archived_repository_shows_its_hooks_and_accepts_no_change() {
    let service = Service::with(&REPO_STATE).await;
    service.apply("repos: [{ name: octo-org/hello, archived: true, collaborators: [] }]").await;
    let client = service.with_token("ghp_admin000");
    client.get(REPO_HOOKS).await.expect(200);
    client.post(REPO_HOOKS, new_hook("http://example.com")).await.expect(403);
}

#[tokio::test]
async fn accepted_permissions_are_named_in_headers() {
    let service = Service::with(&REPO_STATE).await;
    let response = service.with_token("ghs_blind000").send(Method::POST, REPO_HOOKS, "{}").await.expect(403);
    assert_eq!(response.header("x-accepted-github-permissions"), Some("repository_hooks=write"));
    let response = service.with_token("ghp_write000").get(REPO_HOOKS).await.expect(200);
    assert_eq!(response.header("x-accepted-oauth-scopes"), Some("read:repo_hook"));
}
