//! Who may read and add fields, for each kind of token, in public and private projects.

use std::sync::LazyLock;

use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::apps_with_permission;

static STATE: LazyLock<String> = LazyLock::new(|| {
    apps_with_permission("organization_projects", "contents: write, issue_fields: write")
        .project("octo-org", "Open", "public: true")
        .project("octo-org", "Closed", "")
        .project("mona", "Open", "public: true")
        .project("mona", "Closed", "")
        .classic("mona", "project", "ghp_mona_project")
        .classic("mona", "read:project", "ghp_mona_read")
        .classic("mona", "repo, admin:org", "ghp_mona_blind")
        .classic("hubot", "project", "ghp_hubot_project")
        .classic("stranger", "project", "ghp_stranger")
        .oauth("mona", "project", "gho_mona_project")
        .oauth("mona", "read:project", "gho_mona_read")
        .oauth("mona", "", "gho_mona_blind")
        .oauth("stranger", "project", "gho_stranger")
        .fine_grained("mona", "octo-org", "organization_projects: write", "github_pat_write")
        .fine_grained("mona", "octo-org", "organization_projects: read", "github_pat_read")
        .fine_grained("mona", "octo-org", "issue_fields: write", "github_pat_blind")
        .fine_grained("mona", "other-org", "organization_projects: write", "github_pat_elsewhere")
        .fine_grained("stranger", "octo-org", "organization_projects: write", "github_pat_stranger")
        .to_string()
});

/// The statuses of reading and adding in the public project, then in the private one; an empty token is no credential.
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
    let service = Service::with(&STATE).await;
    for (token, in_public, in_private) in lines {
        let client = if token.is_empty() { service.anonymous() } else { service.with_token(token) };
        let projects = [(1, in_public, owner), (2, in_private, owner)];
        for (number, (see, add), owner) in projects {
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
    let service = Service::with(&STATE).await;
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
    let service = Service::with(&STATE).await;
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
    let service = Service::with(&STATE).await;
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
