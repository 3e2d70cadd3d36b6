//! Who may read and change issue fields, for each kind of token.

use std::sync::LazyLock;

use serde_json::json;

use super::{FIELDS, create_priority, path_of};
use crate::support::Service;
use crate::support::fixtures::apps_with_permission;

static STATE: LazyLock<String> = LazyLock::new(|| {
    apps_with_permission("issue_fields", "contents: write, organization_projects: write")
        .classic("mona", "admin:org", "ghp_mona_admin")
        .classic("mona", "read:org", "ghp_mona_read")
        .classic("mona", "write:org", "ghp_mona_write")
        .classic("mona", "repo, project", "ghp_mona_repo")
        .classic("hubot", "admin:org", "ghp_hubot_admin")
        .classic("hubot", "read:org", "ghp_hubot_read")
        .classic("stranger", "admin:org", "ghp_stranger")
        .oauth("mona", "admin:org", "gho_mona_admin")
        .oauth("mona", "read:org", "gho_mona_read")
        .oauth("mona", "", "gho_mona_none")
        .oauth("hubot", "admin:org", "gho_hubot_admin")
        .fine_grained("mona", "octo-org", "issue_fields: write", "github_pat_mona_write")
        .fine_grained("mona", "octo-org", "issue_fields: read", "github_pat_mona_read")
        .fine_grained("mona", "octo-org", "organization_projects: write", "github_pat_mona_blind")
        .fine_grained("mona", "other-org", "issue_fields: write", "github_pat_elsewhere")
        .fine_grained("hubot", "octo-org", "issue_fields: write", "github_pat_hubot")
        .fine_grained("stranger", "octo-org", "issue_fields: write", "github_pat_stranger")
        .app_user("hubot", "writer", "ghu_hubot_writer")
        .to_string()
});

/// The status of the list, and of each change.
const TABLE: &[(&str, u16, u16)] = &[
    ("ghp_mona_admin", 200, 200),
    ("ghp_mona_read", 200, 404),
    ("ghp_mona_write", 200, 404),
    ("ghp_mona_repo", 404, 404),
    ("ghp_hubot_admin", 200, 404),
    ("ghp_hubot_read", 200, 404),
    ("ghp_stranger", 404, 404),
    ("gho_mona_admin", 200, 200),
    ("gho_mona_read", 200, 404),
    ("gho_mona_none", 404, 404),
    ("gho_hubot_admin", 200, 404),
    ("github_pat_mona_write", 200, 200),
    ("github_pat_mona_read", 200, 403),
    ("github_pat_mona_blind", 403, 403),
    ("github_pat_elsewhere", 404, 404),
    ("github_pat_hubot", 200, 404),
    ("github_pat_stranger", 404, 404),
    ("ghu_mona_writer", 200, 200),
    ("ghu_mona_reader", 200, 403),
    ("ghu_mona_blind", 403, 403),
    ("ghu_mona_elsewhere", 404, 404),
    ("ghu_hubot_writer", 200, 404),
    ("ghu_stranger", 404, 404),
    ("ghs_writer00", 200, 200),
    ("ghs_reader00", 200, 403),
    ("ghs_blind000", 403, 403),
    ("ghs_elsewhere", 404, 404),
    ("ghp_unknown0", 401, 401),
];

#[tokio::test]
async fn issue_fields_match_rights_of_token_kind() {
    let service = Service::with(&STATE).await;
    let field = create_priority(&service).await;
    for (token, list, write) in TABLE {
        let client = service.with_token(token);
        assert_eq!(client.get(FIELDS).await.status, *list, "{token} lists");
        let created = client.post(FIELDS, json!({ "name": token, "data_type": "text" })).await;
        assert_eq!(created.status, *write, "{token} creates");
        let updated = client.patch(&path_of(&field), json!({ "description": token })).await;
        assert_eq!(updated.status, *write, "{token} updates");
        let deleted = if *write == 200 { created.json() } else { field.clone() };
        let expected = if *write == 200 { 204 } else { *write };
        assert_eq!(client.delete(&path_of(&deleted)).await.status, expected, "{token} deletes");
    }
}

#[tokio::test]
async fn anonymous_caller_gets_401_even_for_missing_organization() {
    let service = Service::with(&STATE).await;
    for path in [FIELDS, "/orgs/nobody/issue-fields"] {
        let response = service.anonymous().get(path).await.expect(401);
        assert_eq!(response.message(), "Requires authentication");
        service.anonymous().post(path, json!({})).await.expect(401);
    }
}

#[tokio::test]
async fn caller_without_access_cannot_detect_organization() {
    let service = Service::with(&STATE).await;
    let client = service.with_token("ghp_stranger");
    let hidden = client.get(FIELDS).await;
    let absent = client.get("/orgs/nobody/issue-fields").await;
    assert_eq!(hidden.comparable(), absent.comparable());
}
