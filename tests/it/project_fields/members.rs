//! Issue fields that only members of the organization may see, and tokens that may not read issue fields.

use serde_json::{Value, json};

use crate::support::Service;

const STATE: &str = "
users: [{ login: mona }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }]
issue_fields:
  - { org: octo-org, name: Secret, data_type: text }
  - { org: octo-org, name: Open, data_type: text, visibility: all }
projects:
  - { owner: octo-org, title: Public, public: true }
  - { owner: octo-org, title: Private }
apps:
  - { slug: both, owner: octo-org, permissions: { organization_projects: write, issue_fields: read } }
  - { slug: planner, owner: octo-org, permissions: { organization_projects: write } }
installations:
  - { app: both, account: octo-org, repositories: all }
  - { app: planner, account: octo-org, repositories: all }
tokens:
  - { kind: classic, user: mona, scopes: [project, 'admin:org'], token: ghp_admin000 }
  - { kind: classic, user: mona, scopes: [project, 'read:org'], token: ghp_both0000 }
  - { kind: classic, user: mona, scopes: [project, repo], token: ghp_projects }
  - { kind: oauth, user: mona, scopes: [project, 'read:org'], token: gho_both0000 }
  - { kind: oauth, user: mona, scopes: [project], token: gho_projects }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { organization_projects: write, issue_fields: read }, token: github_pat_both }
  - { kind: fine_grained, user: mona, owner: octo-org, permissions: { organization_projects: write }, token: github_pat_projects }
  - { kind: app_user, user: mona, app: both, token: ghu_both0000 }
  - { kind: app_user, user: mona, app: planner, token: ghu_projects }
  - { kind: installation, app: both, account: octo-org, token: ghs_both0000 }
  - { kind: installation, app: planner, account: octo-org, token: ghs_projects }
";
const PUBLIC: &str = "/orgs/octo-org/projectsV2/1/fields";
const PRIVATE: &str = "/orgs/octo-org/projectsV2/2/fields";
const ISSUE_FIELDS: &str = "/orgs/octo-org/issue-fields";

async fn issue_field(service: &Service, name: &str) -> Value {
    let listed = service.with_token("ghp_admin000").get(ISSUE_FIELDS).await.expect(200).json();
    let found = listed.as_array().and_then(|list| list.iter().find(|field| field["name"] == name));
    found.expect("the state has this issue field")["id"].clone()
}

#[tokio::test]
async fn adding_an_issue_field_takes_the_right_to_read_issue_fields() {
    for kind in ["ghp", "gho", "github_pat", "ghu", "ghs"] {
        let service = Service::with(STATE).await;
        let field = issue_field(&service, "Secret").await;
        let name = |rights: &str| match kind {
            "github_pat" => format!("{kind}_{rights}"),
            _ => format!("{kind}_{rights:0<8}"),
        };
        let without = service.with_token(&name("projects"));
        // Whether the field exists makes no difference.
        for id in [field.clone(), json!(999)] {
            without.post(PRIVATE, json!({ "issue_field_id": id })).await.expect(403);
        }
        without.post(PRIVATE, json!({ "name": "Own", "data_type": "text" })).await.expect(201);
        let with = service.with_token(&name("both"));
        with.post(PRIVATE, json!({ "issue_field_id": 999 })).await.expect(422);
        with.post(PRIVATE, json!({ "issue_field_id": field })).await.expect(201);
    }
}

#[tokio::test]
async fn a_field_for_members_is_not_shown_in_a_public_project() {
    let service = Service::with(STATE).await;
    let admin = service.with_token("ghp_admin000");
    let (secret, open) = (issue_field(&service, "Secret").await, issue_field(&service, "Open").await);
    let refused = admin.post(PUBLIC, json!({ "issue_field_id": secret })).await.expect(422);
    let errors = &refused.json()["errors"][0];
    assert_eq!((&errors["field"], &errors["code"]), (&json!("issue_field_id"), &json!("custom")));
    let message = "an issue field for members of the organization cannot be added to a public project";
    assert_eq!(errors["message"], message);
    let listed = service.anonymous().get(PUBLIC).await.expect(200);
    assert!(!String::from_utf8_lossy(&listed.body).contains("Secret"));
    admin.post(PRIVATE, json!({ "issue_field_id": secret })).await.expect(201);

    // What is shown to everyone cannot come to be for members, until it is no longer shown.
    admin.post(PUBLIC, json!({ "issue_field_id": open })).await.expect(201);
    let path = format!("{ISSUE_FIELDS}/{open}");
    let narrow = json!({ "visibility": "organization_members_only" });
    let refused = admin.patch(&path, narrow.clone()).await.expect(422);
    assert!(refused.to_string().contains("Visibility must be all while a public project shows the field"), "{refused}");
    admin.patch(&path, json!({ "description": "for all", "visibility": "all" })).await.expect(200);
    // A field that only a private project shows may change as it likes.
    admin.patch(&format!("{ISSUE_FIELDS}/{secret}"), json!({ "visibility": "all" })).await.expect(200);
    admin.patch(&format!("{ISSUE_FIELDS}/{secret}"), narrow).await.expect(200);
}

#[tokio::test]
async fn a_state_file_is_held_to_the_same() {
    let service = Service::with(STATE).await;
    let following = |public: bool, field: &str| {
        let projects = "projects:\n  - { owner: octo-org, title: Public, public: true }\n";
        format!(
            "{projects}  - {{ owner: octo-org, title: Private, public: {public}, fields: [{{ issue_field: {field} }}] }}\n"
        )
    };
    let error = service.try_apply(&following(true, "Secret")).await.expect_err("a field for members");
    assert!(error.contains("cannot be added to a public project"), "{error}");
    service.try_apply(&following(false, "Secret")).await.expect("a private project may show it");
    let error = service.try_apply(&following(true, "Open")).await.expect_err("it would show everyone");
    assert!(error.contains("\"Secret\" mirrors an issue field that only members"), "{error}");
    service.apply("issue_fields: [{ org: octo-org, name: Secret, data_type: text, visibility: all }]").await;
    service.try_apply(&following(true, "Open")).await.expect("nothing is for members any more");
    let narrow = "issue_fields: [{ org: octo-org, name: Secret, data_type: text }]";
    let error = service.try_apply(narrow).await.expect_err("a public project shows it");
    assert!(error.contains("Visibility must be all"), "{error}");
}
