//! Who may see and change issue fields, for each kind of token.

use serde_json::json;

use super::{FIELDS, create_priority, path_of};
use crate::support::Service;

const STATE: &str = "
users: [{ login: mona }, { login: hubot }, { login: stranger }]
orgs:
  - { login: octo-org, members: [{ user: mona, role: admin }, { user: hubot, role: member }] }
  - { login: other-org, members: [{ user: mona, role: admin }] }
apps:
  - { slug: writer, owner: octo-org, permissions: { issue_fields: write } }
  - { slug: reader, owner: octo-org, permissions: { issue_fields: read } }
  - { slug: blind, owner: octo-org, permissions: { contents: write, organization_projects: write } }
  - { slug: elsewhere, owner: octo-org, permissions: { issue_fields: write } }
installations:
  - { app: writer, account: octo-org, repositories: all }
  - { app: reader, account: octo-org, repositories: all }
  - { app: blind, account: octo-org, repositories: all }
  - { app: elsewhere, account: other-org, repositories: all }
tokens:
  - { kind: classic, user: mona, scopes: ['admin:org'], token: ghp_mona_admin }
  - { kind: classic, user: mona, scopes: ['read:org'], token: ghp_mona_read }
  - { kind: classic, user: mona, scopes: ['write:org'], token: ghp_mona_write }
  - { kind: classic, user: mona, scopes: [repo, project], token: ghp_mona_repo }
  - { kind: classic, user: hubot, scopes: ['admin:org'], token: ghp_hubot_admin }
  - { kind: classic, user: hubot, scopes: ['read:org'], token: ghp_hubot_read }
  - { kind: classic, user: stranger, scopes: ['admin:org'], token: ghp_stranger }
  - { kind: oauth, user: mona, scopes: ['admin:org'], token: gho_mona_admin }
  - { kind: oauth, user: mona, scopes: ['read:org'], token: gho_mona_read }
  - { kind: oauth, user: mona, scopes: [], token: gho_mona_none }
  - { kind: oauth, user: hubot, scopes: ['admin:org'], token: gho_hubot_admin }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { issue_fields: write }, token: github_pat_mona_write }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { issue_fields: read }, token: github_pat_mona_read }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { organization_projects: write }, token: github_pat_mona_blind }
  - { kind: fine_grained, user: mona, owner: other-org, permissions: { issue_fields: write }, token: github_pat_elsewhere }
  - { kind: fine_grained, user: hubot, owner: octo-org, permissions: { issue_fields: write }, token: github_pat_hubot }
  - { kind: fine_grained, user: stranger, owner: octo-org, permissions: { issue_fields: write }, token: github_pat_stranger }
  - { kind: app_user, user: mona, app: writer, token: ghu_mona_writer }
  - { kind: app_user, user: mona, app: reader, token: ghu_mona_reader }
  - { kind: app_user, user: mona, app: blind, token: ghu_mona_blind }
  - { kind: app_user, user: mona, app: elsewhere, token: ghu_mona_elsewhere }
  - { kind: app_user, user: hubot, app: writer, token: ghu_hubot_writer }
  - { kind: app_user, user: stranger, app: writer, token: ghu_stranger }
  - { kind: installation, app: writer, account: octo-org, token: ghs_writer00 }
  - { kind: installation, app: reader, account: octo-org, token: ghs_reader00 }
  - { kind: installation, app: blind, account: octo-org, token: ghs_blind000 }
  - { kind: installation, app: elsewhere, account: other-org, token: ghs_elsewhere }
";

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
    let service = Service::with(STATE).await;
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
    let service = Service::with(STATE).await;
    for path in [FIELDS, "/orgs/nobody/issue-fields"] {
        let response = service.anonymous().get(path).await.expect(401);
        assert_eq!(response.message(), "Requires authentication");
        service.anonymous().post(path, json!({})).await.expect(401);
    }
}

#[tokio::test]
async fn caller_without_access_cannot_detect_organization() {
    let service = Service::with(STATE).await;
    let client = service.with_token("ghp_stranger");
    let hidden = client.get(FIELDS).await;
    let absent = client.get("/orgs/nobody/issue-fields").await;
    assert_eq!(hidden.comparable(), absent.comparable());
}
