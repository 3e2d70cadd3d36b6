//! Who may see and add fields, for each kind of token, in public and private projects.

use serde_json::json;

use crate::support::Service;

const STATE: &str = "
users: [{ login: mona }, { login: hubot }, { login: stranger }]
orgs:
  - { login: octo-org, members: [{ user: mona, role: admin }, { user: hubot, role: member }] }
  - { login: other-org, members: [{ user: mona, role: admin }] }
projects:
  - { owner: octo-org, title: Open, public: true }
  - { owner: octo-org, title: Closed }
  - { owner: mona, title: Open, public: true }
  - { owner: mona, title: Closed }
apps:
  - { slug: writer, owner: octo-org, permissions: { organization_projects: write } }
  - { slug: reader, owner: octo-org, permissions: { organization_projects: read } }
  - { slug: blind, owner: octo-org, permissions: { contents: write, issue_fields: write } }
  - { slug: elsewhere, owner: octo-org, permissions: { organization_projects: write } }
installations:
  - { app: writer, account: octo-org, repositories: all }
  - { app: reader, account: octo-org, repositories: all }
  - { app: blind, account: octo-org, repositories: all }
  - { app: elsewhere, account: other-org, repositories: all }
tokens:
  - { kind: classic, user: mona, scopes: [project], token: ghp_mona_project }
  - { kind: classic, user: mona, scopes: ['read:project'], token: ghp_mona_read }
  - { kind: classic, user: mona, scopes: [repo, 'admin:org'], token: ghp_mona_blind }
  - { kind: classic, user: hubot, scopes: [project], token: ghp_hubot_project }
  - { kind: classic, user: stranger, scopes: [project], token: ghp_stranger }
  - { kind: oauth, user: mona, scopes: [project], token: gho_mona_project }
  - { kind: oauth, user: mona, scopes: ['read:project'], token: gho_mona_read }
  - { kind: oauth, user: mona, scopes: [], token: gho_mona_blind }
  - { kind: oauth, user: stranger, scopes: [project], token: gho_stranger }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { organization_projects: write }, token: github_pat_write }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { organization_projects: read }, token: github_pat_read }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { issue_fields: write }, token: github_pat_blind }
  - { kind: fine_grained, user: mona, owner: other-org, permissions: { organization_projects: write }, token: github_pat_elsewhere }
  - { kind: fine_grained, user: stranger, owner: octo-org, permissions: { organization_projects: write }, token: github_pat_stranger }
  - { kind: app_user, user: mona, app: writer, token: ghu_mona_writer }
  - { kind: app_user, user: mona, app: reader, token: ghu_mona_reader }
  - { kind: app_user, user: mona, app: blind, token: ghu_mona_blind }
  - { kind: app_user, user: mona, app: elsewhere, token: ghu_mona_elsewhere }
  - { kind: app_user, user: stranger, app: writer, token: ghu_stranger }
  - { kind: installation, app: writer, account: octo-org, token: ghs_writer00 }
  - { kind: installation, app: reader, account: octo-org, token: ghs_reader00 }
  - { kind: installation, app: blind, account: octo-org, token: ghs_blind000 }
  - { kind: installation, app: elsewhere, account: other-org, token: ghs_elsewhere }
";

/// Seeing and adding in the public project, then in the private one; an empty token is no credential.
type Line = (&'static str, (u16, u16), (u16, u16));

const IN_ORG: &[Line] = &[
    ("", (200, 401), (404, 404)),
    ("ghp_unknown0", (401, 401), (401, 401)),
    ("ghp_mona_project", (200, 201), (200, 201)),
    ("ghp_mona_read", (200, 403), (200, 403)),
    ("ghp_mona_blind", (200, 403), (404, 404)),
    ("ghp_hubot_project", (200, 201), (200, 201)),
    ("ghp_stranger", (200, 403), (404, 404)),
    ("gho_mona_project", (200, 201), (200, 201)),
    ("gho_mona_read", (200, 403), (200, 403)),
    ("gho_mona_blind", (200, 403), (404, 404)),
    ("gho_stranger", (200, 403), (404, 404)),
    ("github_pat_write", (200, 201), (200, 201)),
    ("github_pat_read", (200, 403), (200, 403)),
    ("github_pat_blind", (200, 403), (404, 404)),
    ("github_pat_elsewhere", (200, 403), (404, 404)),
    ("github_pat_stranger", (200, 403), (404, 404)),
    ("ghu_mona_writer", (200, 201), (200, 201)),
    ("ghu_mona_reader", (200, 403), (200, 403)),
    ("ghu_mona_blind", (200, 403), (404, 404)),
    ("ghu_mona_elsewhere", (200, 403), (404, 404)),
    ("ghu_stranger", (200, 403), (404, 404)),
    ("ghs_writer00", (200, 201), (200, 201)),
    ("ghs_reader00", (200, 403), (200, 403)),
    ("ghs_blind000", (200, 403), (404, 404)),
    ("ghs_elsewhere", (200, 403), (404, 404)),
];

const OF_USER: &[Line] = &[
    ("", (401, 401), (401, 401)),
    ("ghp_unknown0", (401, 401), (401, 401)),
    ("ghp_mona_project", (200, 201), (200, 201)),
    ("ghp_mona_read", (200, 403), (200, 403)),
    ("ghp_mona_blind", (200, 403), (404, 404)),
    ("ghp_hubot_project", (200, 403), (404, 404)),
    ("ghp_stranger", (200, 403), (404, 404)),
    ("gho_mona_project", (200, 201), (200, 201)),
    ("gho_mona_read", (200, 403), (200, 403)),
    ("gho_mona_blind", (200, 403), (404, 404)),
    ("gho_stranger", (200, 403), (404, 404)),
    ("github_pat_write", (403, 403), (403, 403)),
    ("ghu_mona_writer", (403, 403), (403, 403)),
    ("ghs_writer00", (403, 403), (403, 403)),
];

async fn check(owner: &str, lines: &[Line]) {
    let service = Service::with(STATE).await;
    for (token, in_public, in_private) in lines {
        let client = if token.is_empty() { service.anonymous() } else { service.with_token(token) };
        let places = [(1, in_public, owner), (2, in_private, owner)];
        for (number, (see, add), owner) in places {
            let project = format!("{owner}/projectsV2/{number}");
            let fields = format!("{project}/fields");
            assert_eq!(client.get(&project).await.status, *see, "{token} gets {project}");
            assert_eq!(client.get(&fields).await.status, *see, "{token} lists {fields}");
            let first = first_field(&service, &fields).await;
            assert_eq!(client.get(&first).await.status, *see, "{token} gets {first}");
            let body = json!({ "name": format!("Of {token}"), "data_type": "text" });
            assert_eq!(client.post(&fields, body).await.status, *add, "{token} adds to {fields}");
        }
    }
}

async fn first_field(service: &Service, fields: &str) -> String {
    let listed = service.with_token("ghp_mona_project").get(fields).await.expect(200).json();
    format!("{fields}/{}", listed[0]["id"])
}

#[tokio::test]
async fn organization_project_fields_match_rights_of_token_kind() {
    check("/orgs/octo-org", IN_ORG).await;
}

#[tokio::test]
async fn user_project_fields_require_scoped_token() {
    check("/users/mona", OF_USER).await;
}

#[tokio::test]
async fn forbidden_response_says_why() {
    let service = Service::with(STATE).await;
    let body = json!({ "name": "x", "data_type": "text" });
    for (token, path, message) in [
        ("ghs_writer00", "/users/mona/projectsV2/1/fields", "Resource not accessible by integration"),
        ("github_pat_write", "/users/mona/projectsV2/1/fields", "Resource not accessible by personal access token"),
        ("ghp_stranger", "/orgs/octo-org/projectsV2/1/fields", "Must have write access to the project"),
        ("ghs_reader00", "/orgs/octo-org/projectsV2/1/fields", "Resource not accessible by integration"),
    ] {
        assert_eq!(service.with_token(token).post(path, body.clone()).await.expect(403).message(), message);
    }
}

#[tokio::test]
async fn private_project_equals_missing_one() {
    let service = Service::with(STATE).await;
    for token in ["ghp_stranger", "ghs_blind000", "ghp_mona_blind"] {
        let client = service.with_token(token);
        for rest in ["", "/fields", "/fields/1"] {
            let hidden = client.get(&format!("/orgs/octo-org/projectsV2/2{rest}")).await;
            let absent = client.get(&format!("/orgs/octo-org/projectsV2/9{rest}")).await;
            assert_eq!(hidden.comparable(), absent.comparable(), "{token} {rest}");
            let nobody = client.get(&format!("/orgs/nobody/projectsV2/2{rest}")).await;
            assert_eq!(hidden.comparable(), nobody.comparable(), "{token} {rest}");
        }
        let body = json!({ "name": "x", "data_type": "text" });
        let hidden = client.post("/orgs/octo-org/projectsV2/2/fields", body.clone()).await;
        let absent = client.post("/orgs/octo-org/projectsV2/9/fields", body).await;
        assert_eq!(hidden.comparable(), absent.comparable(), "{token}");
    }
}

#[tokio::test]
async fn project_list_has_visibility_of_single_projects() {
    let service = Service::with(STATE).await;
    for (owner, lines) in [("/orgs/octo-org", IN_ORG), ("/users/mona", OF_USER)] {
        for (token, in_public, in_private) in lines {
            let client = if token.is_empty() { service.anonymous() } else { service.with_token(token) };
            let response = client.get(&format!("{owner}/projectsV2")).await;
            assert_eq!(response.status, in_public.0, "{token} lists the projects of {owner}");
            if response.status == 200 {
                let shown = response.json().as_array().expect("a list").len();
                assert_eq!(shown, if in_private.0 == 200 { 2 } else { 1 }, "{token} lists the projects of {owner}");
            }
        }
    }
}
