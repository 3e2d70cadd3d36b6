//! Issue fields and projects of a state file.

use std::path::Path;

use plinth::state_file::State;
use serde_json::json;

use super::{FIELDS, admin};
use crate::support::Service;

const ACCOUNTS: &str = "
users: [{ login: mona }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }]
tokens: [{ kind: classic, user: mona, scopes: ['admin:org', project], token: ghp_mona_admin }]
";
const FILE: &str = "
issue_fields:
  - { org: octo-org, name: Priority, data_type: single_select, visibility: all, options: [{ name: High, color: red, priority: 1 }, { name: Low, color: blue, priority: 2 }] }
  - { org: octo-org, name: Due, data_type: date, description: When }
projects:
  - owner: octo-org
    title: Roadmap
    public: true
    fields:
      - { name: Notes, data_type: text }
      - { name: Stage, data_type: single_select, single_select_options: [{ name: First, color: RED }, { name: Second }] }
      - name: Sprint
        data_type: iteration
        iteration_configuration:
          start_date: 2026-02-02
          duration: 14
          iterations: [{ title: One, start_date: 2026-02-02, duration: 14 }]
      - { issue_field: priority }
  - { owner: mona, title: Chores }
";

async fn apply(service: &Service, text: &str) -> Result<(Vec<String>, Vec<String>), String> {
    let state = State::parse(text, Path::new(".")).map_err(|error| error.to_string())?;
    let report = state
        .apply(&service.store, &service.app.repositories, service.app.clock.now())
        .await
        .map_err(|error| error.to_string())?;
    Ok((report.created, report.changed))
}

#[tokio::test]
async fn a_file_makes_fields_and_projects_once() {
    let service = Service::with(ACCOUNTS).await;
    let (made, changed) = apply(&service, FILE).await.expect("the file is good");
    assert_eq!(
        made,
        [
            "issue field Priority of octo-org",
            "issue field Due of octo-org",
            "project 1 of octo-org (Roadmap)",
            "project field Notes",
            "project field Stage",
            "project field Sprint",
            "project field Priority",
            "project 1 of mona (Chores)",
        ]
    );
    assert!(changed.is_empty());
    let fields = admin(&service).get(FIELDS).await.expect(200).json();
    assert_eq!(fields[0]["visibility"], "all");
    assert_eq!(fields[1]["description"], "When");
    let listed = admin(&service).get("/orgs/octo-org/projectsV2/1/fields").await.expect(200).json();
    assert_eq!(listed[12]["options"][0]["color"], "RED");
    assert_eq!(listed[13]["configuration"]["iterations"][0]["start_date"], "2026-02-02");
    assert_eq!(listed[14]["issue_field_id"], fields[0]["id"]);
    assert_eq!(apply(&service, FILE).await, Ok((Vec::new(), Vec::new())), "the second time nothing changes");
    assert_eq!(admin(&service).get(FIELDS).await.json(), fields);
}

#[tokio::test]
async fn a_changed_file_changes_what_it_says() {
    let service = Service::with(ACCOUNTS).await;
    apply(&service, FILE).await.expect("the file is good");
    let before = admin(&service).get(FIELDS).await.json();
    let changed = FILE
        .replace("{ name: High, color: red, priority: 1 }, ", "{ name: None, color: gray, priority: 1 }, ")
        .replace("title: Roadmap", "title: Plan");
    let (made, changed) = apply(&service, &changed).await.expect("the file is good");
    assert!(made.is_empty());
    assert_eq!(changed, ["issue field Priority of octo-org", "project 1 of octo-org (Plan)"]);
    let after = admin(&service).get(FIELDS).await.json();
    assert_eq!(after[0]["options"][1], before[0]["options"][1], "an option of the same name stays the same option");
    assert_eq!(after[0]["options"][0]["name"], "None");
    assert_ne!(after[0]["options"][0]["id"], before[0]["options"][0]["id"]);
    let project = admin(&service).get("/orgs/octo-org/projectsV2/1").await.json();
    assert_eq!(project["title"], json!("Plan"));
}

#[tokio::test]
async fn a_wrong_file_is_refused_with_line_and_field() {
    let service = Service::with(ACCOUNTS).await;
    apply(&service, FILE).await.expect("the file is good");
    for (text, complaint) in [
        (
            "issue_fields:\n  - { org: nobody, name: a, data_type: text }",
            "line 2, issue_fields.org: there is no organization \"nobody\"",
        ),
        (
            "issue_fields:\n\n  - { org: octo-org, name: a, data_type: single_select }",
            "line 3, issue_fields.name: Options can't be blank",
        ),
        (
            "issue_fields:\n  - { org: octo-org, name: Due, data_type: text }",
            "line 2, issue_fields.data_type: it exists with the data type date, which never changes",
        ),
        (
            "projects:\n  - { owner: nobody, title: a }",
            "line 2, projects.owner: there is no user or organization \"nobody\"",
        ),
        ("projects:\n  - { owner: mona, title: ' ' }", "line 2, projects.title: can't be blank"),
        (
            "projects:\n  - owner: mona\n    title: a\n    fields:\n      - { name: a, data_type: single_select }",
            "line 5, projects.fields: \"single_select_options\" wasn't supplied.",
        ),
        (
            "projects:\n  - { owner: mona, title: a, fields: [{ issue_field: Due }] }",
            "line 2, projects.fields: the owner has no issue field \"Due\"",
        ),
        (
            "projects:\n  - { owner: mona, title: a, fields: [{ name: Title, data_type: text }] }",
            "line 2, projects.fields: \"Title\" exists with the data type title, which never changes",
        ),
        (
            "projects:\n  - { owner: mona, title: a, fields: [{ name: Type, data_type: text }] }",
            "line 2, projects.fields: invalid fields: name: \"Type\" is the name of a built-in field",
        ),
    ] {
        assert_eq!(apply(&service, text).await, Err(complaint.to_owned()));
    }
    let unknown = apply(&service, "projects:\n  - { owner: mona, title: a, colour: red }").await.expect_err("unknown");
    assert!(unknown.contains("colour") && unknown.contains("line 2"), "{unknown}");
}
