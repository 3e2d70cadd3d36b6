//! Issue fields that only members of the organization may see, and tokens that may not read issue fields.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::support::Service;
use crate::support::fixtures::octo_org;

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona"])
        .issue_field("Secret", "text", "")
        .issue_field("Open", "text", "visibility: all")
        .project("octo-org", "Public", "public: true")
        .project("octo-org", "Private", "")
        .installed_app("both", "organization_projects: write, issue_fields: read", "octo-org")
        .installed_app("planner", "organization_projects: write", "octo-org")
        .classic("mona", "project, admin:org", "ghp_admin000")
        .classic("mona", "project, read:org", "ghp_both0000")
        .classic("mona", "project, repo", "ghp_projects")
        .oauth("mona", "project, read:org", "gho_both0000")
        .oauth("mona", "project", "gho_projects")
        .fine_grained("mona", "octo-org", "organization_projects: write, issue_fields: read", "github_pat_both")
        .fine_grained("mona", "octo-org", "organization_projects: write", "github_pat_projects")
        .app_user("mona", "both", "ghu_both0000")
        .app_user("mona", "planner", "ghu_projects")
        .installation_token("both", "octo-org", "ghs_both0000")
        .installation_token("planner", "octo-org", "ghs_projects")
        .to_string()
});
const PUBLIC: &str = "/orgs/octo-org/projectsV2/1/fields";
const PRIVATE: &str = "/orgs/octo-org/projectsV2/2/fields";
const ISSUE_FIELDS: &str = "/orgs/octo-org/issue-fields";

async fn issue_field(service: &Service, name: &str) -> Value {
    let listed = service.with_token("ghp_admin000").get(ISSUE_FIELDS).await.expect(200).json();
    let found = listed.as_array().and_then(|list| list.iter().find(|field| field["name"] == name));
    found.expect("the state has this issue field")["id"].clone()
}

#[tokio::test]
async fn adding_issue_field_requires_right_to_read_issue_fields() {
    for kind in ["ghp", "gho", "github_pat", "ghu", "ghs"] {
        let service = Service::with(&STATE).await;
        let field = issue_field(&service, "Secret").await;
        let name = |rights: &str| match kind {
            "github_pat" => format!("{kind}_{rights}"),
            _ => format!("{kind}_{rights:0<8}"),
        };
        let without = service.with_token(&name("projects"));
        // The response is the same whether the field exists or not.
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
async fn members_only_field_is_hidden_in_public_project() {
    let service = Service::with(&STATE).await;
    let admin = service.with_token("ghp_admin000");
    let (secret, open) = (issue_field(&service, "Secret").await, issue_field(&service, "Open").await);
    let rejected = admin.post(PUBLIC, json!({ "issue_field_id": secret })).await.expect(422);
    let errors = &rejected.json()["errors"][0];
    assert_eq!((&errors["field"], &errors["code"]), (&json!("issue_field_id"), &json!("custom")));
    let message = "an issue field for members of the organization cannot be added to a public project";
    assert_eq!(errors["message"], message);
    let listed = service.anonymous().get(PUBLIC).await.expect(200);
    assert!(!String::from_utf8_lossy(&listed.body).contains("Secret"));
    admin.post(PRIVATE, json!({ "issue_field_id": secret })).await.expect(201);

    // A field that a public project shows cannot become members-only until it is removed there.
    admin.post(PUBLIC, json!({ "issue_field_id": open })).await.expect(201);
    let path = format!("{ISSUE_FIELDS}/{open}");
    let narrow = json!({ "visibility": "organization_members_only" });
    let rejected = admin.patch(&path, narrow.clone()).await.expect(422);
    assert!(
        rejected.to_string().contains("Visibility must be all while a public project shows the field"),
        "{rejected}"
    );
    admin.patch(&path, json!({ "description": "for all", "visibility": "all" })).await.expect(200);
    // A field that only a private project shows can change freely.
    admin.patch(&format!("{ISSUE_FIELDS}/{secret}"), json!({ "visibility": "all" })).await.expect(200);
    admin.patch(&format!("{ISSUE_FIELDS}/{secret}"), narrow).await.expect(200);
}

#[tokio::test]
async fn state_file_rejects_members_only_field_in_public_project() {
    let service = Service::with(&STATE).await;
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
