//! Issues, their comments, labels, assignees and values of fields.

mod across;
mod assignees;
mod comments;
mod cost;
mod creating;
mod field_values;
mod labels;
mod listing;
mod rights;
mod state;
mod updating;

use serde_json::{Value, json};

use crate::support::pull_request::PullRequestFixture;

const ISSUES: &str = "/repos/acme/rocket/issues";

/// `acme/rocket` has the pull request 1 of mona, where hubot may push, and guest, reader and stranger may only read.
async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("file", "1\n")], &[("file", Some("2\n"))]).await
}

/// Creates an issue as mona, and returns it.
async fn create(fixture: &PullRequestFixture, body: Value) -> Value {
    create_as(fixture, "mona", body).await
}

async fn create_as(fixture: &PullRequestFixture, login: &str, body: Value) -> Value {
    fixture.user(login).post(ISSUES, body).await.expect(201).json()
}

/// The texts under a key of each item of a list.
fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().expect("a list").iter().map(|item| item[key].as_str().expect("a text")).collect()
}

/// The numbers of a list of issues.
async fn numbers(fixture: &PullRequestFixture, query: &str) -> Vec<i64> {
    let list = fixture.user("mona").get(&format!("{ISSUES}{query}")).await.expect(200).json();
    list.as_array().expect("a list").iter().map(|issue| issue["number"].as_i64().expect("a number")).collect()
}

/// Creates issues with the numbers 2, 3 and 4 at different times.
async fn three_issues(fixture: &PullRequestFixture) {
    for (login, body) in [
        ("mona", json!({ "title": "Two", "labels": ["bug", "later"], "assignees": ["hubot"] })),
        ("guest", json!({ "title": "Three", "body": "Ask @reader" })),
        ("hubot", json!({ "title": "Four", "labels": ["bug"] })),
    ] {
        fixture.service.advance(60);
        create_as(fixture, login, body).await;
    }
}
