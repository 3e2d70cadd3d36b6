//! Items of projects.

mod adding;
mod content;
mod cost;
mod deleting;
mod listing;
mod rights;
mod state_file;
mod values;

use serde_json::{Value, json};

use crate::support::Client;
use crate::support::pull_request::PullRequestFixture;

/// Public, with a field of each type and mirrors of two issue fields.
const ITEMS: &str = "/orgs/acme/projectsV2/1/items";
const FIELDS: &str = "/orgs/acme/projectsV2/1/fields";
const ISSUES: &str = "/repos/acme/rocket/issues";

const STATE: &str = "
orgs:
  - { login: acme, members: [{ user: reader, role: member }] }
repos:
  - { name: mona/secret, private: true }
issues:
  - { repo: acme/rocket, title: <Broken>, body: Since today, author: mona, labels: [bug], assignees: [hubot] }
  - { repo: mona/secret, title: Hidden, author: mona }
issue_fields:
  - { org: acme, name: Priority, data_type: single_select, visibility: all,
      options: [{ name: High, color: red, priority: 1 }, { name: Low, color: gray, priority: 2 }] }
  - { org: acme, name: Effort, data_type: number, visibility: all }
projects:
  - owner: acme
    title: Plan
    public: true
    fields:
      - { name: Notes, data_type: text }
      - { name: Points, data_type: number }
      - { name: Due, data_type: date }
      - { name: Sprint, data_type: iteration, iteration_configuration: { start_date: 2026-02-02, duration: 14,
          iterations: [{ title: One, start_date: 2026-02-02, duration: 14 }] } }
      - { issue_field: Priority }
      - { issue_field: Effort }
  - { owner: acme, title: Internal }
  - { owner: mona, title: Chores }
tokens:
  - { kind: classic, user: mona, scopes: [repo, project, 'admin:org', delete_repo], token: ghp_planner }
  - { kind: classic, user: reader, scopes: [repo, project], token: ghp_member }
";

/// `acme/rocket` has the pull request 1 and the issue 2, and `mona/secret` the issue 1. Mona owns acme, and reader is a
/// member of it, who cannot read `mona/secret`.
async fn fixture() -> PullRequestFixture {
    let fixture = PullRequestFixture::new(&[("file", "1\n")], &[("file", Some("2\n"))]).await;
    fixture.service.apply(STATE).await;
    fixture
}

fn mona(fixture: &PullRequestFixture) -> Client<'_> {
    fixture.service.with_token("ghp_planner")
}

fn member(fixture: &PullRequestFixture) -> Client<'_> {
    fixture.service.with_token("ghp_member")
}

fn in_rocket(kind: &str, number: i64) -> Value {
    json!({ "type": kind, "owner": "acme", "repo": "rocket", "number": number })
}

fn hidden() -> Value {
    json!({ "type": "Issue", "owner": "mona", "repo": "secret", "number": 1 })
}

/// Adds an item as mona, and returns it.
async fn add(fixture: &PullRequestFixture, body: Value) -> Value {
    mona(fixture).post(ITEMS, body).await.expect(201).json()
}

/// Adds the issue 2, and returns the path of the item.
async fn add_issue(fixture: &PullRequestFixture) -> String {
    format!("{ITEMS}/{}", add(fixture, in_rocket("Issue", 2)).await["id"])
}

/// The id of the field with this name.
async fn field(fixture: &PullRequestFixture, name: &str) -> i64 {
    let fields = mona(fixture).get(&format!("{FIELDS}?per_page=100")).await.expect(200).json();
    let found = fields.as_array().expect("a list").iter().find(|field| field["name"] == name);
    found.unwrap_or_else(|| panic!("there is no field {name}"))["id"].as_i64().expect("a number")
}

/// The value of the field with this name.
#[track_caller]
fn value(item: &Value, name: &str) -> Value {
    let found = item["fields"].as_array().expect("a list").iter().find(|field| field["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not shown"))["value"].clone()
}

/// Reads an item with some fields.
async fn get_with(fixture: &PullRequestFixture, path: &str, names: &[&str]) -> Value {
    let mut ids = Vec::new();
    for name in names {
        ids.push(field(fixture, name).await.to_string());
    }
    mona(fixture).get(&format!("{path}?fields={}", ids.join(","))).await.expect(200).json()
}
