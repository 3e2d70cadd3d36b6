//! Fields of projects.

mod conditional;
mod creating;
mod issue_fields;
mod members_only;
mod model;
mod paging;
pub use paging::link;
mod rights;
mod validation;

use std::sync::LazyLock;

use expect_test::expect;
use serde_json::{Value, json};

use crate::schemas;
use crate::support::fixtures::octo_org;
use crate::support::{Client, Service};

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona", "hubot"])
        .issue_field(
            "Priority",
            "single_select",
            "options: [{ name: High, color: red }, { name: Low, color: blue, description: Later }]",
        )
        .issue_field("Platforms", "multi_select", "options: [{ name: Linux, color: red }]")
        .issue_field("Effort", "number", "")
        .project("octo-org", "Roadmap", "")
        .project("octo-org", "Other", "")
        .project("mona", "Chores", "")
        .classic("mona", "project, admin:org", "ghp_mona0000")
        .to_string()
});
const ORG: &str = "/orgs/octo-org/projectsV2/1/fields";
const USER: &str = "/users/mona/projectsV2/1/fields";

fn mona(service: &Service) -> Client<'_> {
    service.with_token("ghp_mona0000")
}

/// Adds a field and returns it.
async fn add(service: &Service, path: &str, body: Value) -> Value {
    let response = mona(service).post(path, body).await.expect(201);
    let operation =
        if path.starts_with("/orgs") { "projects/add-field-for-org" } else { "projects/add-field-for-user" };
    schemas::check(operation, &response);
    response.json()
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list is an array");
    list.iter().map(|item| item["name"].as_str().expect("a name is text")).collect()
}

#[tokio::test]
async fn new_project_has_default_fields() {
    let service = Service::with(&STATE).await;
    let response = mona(&service).get(ORG).await.expect(200);
    schemas::check("projects/list-fields-for-org", &response);
    let listed = response.json();
    let shown: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|field| (field["name"].as_str().unwrap(), field["data_type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            ("Title", "title"),
            ("Assignees", "assignees"),
            ("Status", "single_select"),
            ("Labels", "labels"),
            ("Linked pull requests", "linked_pull_requests"),
            ("Milestone", "milestone"),
            ("Repository", "repository"),
            ("Type", "issue_type"),
            ("Reviewers", "reviewers"),
            ("Parent issue", "parent_issue"),
            ("Sub-issues progress", "sub_issues_progress"),
        ]
    );
    let response = mona(&service).get(USER).await.expect(200);
    schemas::check("projects/list-fields-for-user", &response);
    assert_eq!(response.json().as_array().unwrap().len(), 10, "types of issues belong to organizations");
    assert!(!names(&response.json()).contains(&"Type"));
}

#[tokio::test]
async fn status_field_has_three_options() {
    let service = Service::with(&STATE).await;
    let status = mona(&service).get(ORG).await.json()[2]["id"].clone();
    let response = mona(&service).get(&format!("{ORG}/{status}")).await;
    schemas::check("projects/get-field-for-org", &response);
    expect![[r#"
        200
        {
          "created_at": "2026-02-25T06:13:20Z",
          "data_type": "single_select",
          "id": 3,
          "name": "Status",
          "node_id": "PVTSSF_lAADAQM",
          "options": [
            {
              "color": "GREEN",
              "description": {
                "html": "This item hasn't been started",
                "raw": "This item hasn't been started"
              },
              "id": "f75ad846",
              "name": {
                "html": "Todo",
                "raw": "Todo"
              }
            },
            {
              "color": "YELLOW",
              "description": {
                "html": "This is actively being worked on",
                "raw": "This is actively being worked on"
              },
              "id": "47fc9ee4",
              "name": {
                "html": "In Progress",
                "raw": "In Progress"
              }
            },
            {
              "color": "PURPLE",
              "description": {
                "html": "This has been completed",
                "raw": "This has been completed"
              },
              "id": "98236657",
              "name": {
                "html": "Done",
                "raw": "Done"
              }
            }
          ],
          "project_url": "http://plinth.test/projects/1",
          "updated_at": "2026-02-25T06:13:20Z"
        }"#]]
    .assert_eq(&response.to_string());
}

#[tokio::test]
async fn field_is_found_only_in_its_project() {
    let service = Service::with(&STATE).await;
    let notes = add(&service, ORG, json!({ "name": "Notes", "data_type": "text" })).await;
    let found = mona(&service).get(&format!("{ORG}/{}", notes["id"])).await.expect(200);
    assert_eq!(found.json(), notes);
    for path in [
        format!("/orgs/octo-org/projectsV2/2/fields/{}", notes["id"]),
        format!("{USER}/{}", notes["id"]),
        format!("/orgs/octo-org/projectsV2/3/fields/{}", notes["id"]),
        format!("/orgs/mona/projectsV2/1/fields/{}", notes["id"]),
        format!("/users/octo-org/projectsV2/1/fields/{}", notes["id"]),
        format!("{ORG}/0"),
        format!("{ORG}/x"),
        format!("{ORG}/99999999999999999999"),
        "/orgs/octo-org/projectsV2/x/fields".into(),
    ] {
        assert_eq!(mona(&service).get(&path).await.status, 404, "{path}");
    }
    let found = mona(&service).get(&format!("/orgs/OCTO-ORG/projectsV2/1/fields/{}", notes["id"])).await;
    assert_eq!(found.expect(200).json()["id"], notes["id"]);
    let user_field = add(&service, USER, json!({ "name": "Notes", "data_type": "text" })).await;
    let response = mona(&service).get(&format!("{USER}/{}", user_field["id"])).await.expect(200);
    schemas::check("projects/get-field-for-user", &response);
    assert_eq!(response.json(), user_field);
}
