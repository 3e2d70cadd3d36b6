//! Releases and their files.

mod assets;
mod drafts;
mod lifecycle;
mod uploads;

use axum::body::Body;
use http::Method;
use plinth_store::params;
use serde_json::{Value, json};

use crate::support::Response;
use crate::support::pull_request::PullRequestFixture;

const ROCKET: &str = "/repos/acme/rocket";
const RELEASES: &str = "/repos/acme/rocket/releases";

/// mona and hubot may push to `acme/rocket`, and guest may read it.
async fn fixture() -> PullRequestFixture {
    PullRequestFixture::new(&[("a", "1\n")], &[("a", Some("2\n"))]).await
}

async fn create(fixture: &PullRequestFixture, body: Value) -> Value {
    fixture.user("hubot").post(RELEASES, body).await.expect(201).json()
}

async fn update(fixture: &PullRequestFixture, release: &Value, body: Value) -> Response {
    fixture.user("hubot").patch(&format!("{RELEASES}/{}", release["id"]), body).await
}

async fn upload(fixture: &PullRequestFixture, release: &Value, query: &str, body: impl Into<Body>) -> Response {
    let path = format!("{RELEASES}/{}/assets?{query}", release["id"]);
    fixture.user("hubot").header("content-type", "application/gzip").send(Method::POST, &path, body).await
}

/// The commit of a tag, if there is one.
async fn tag(fixture: &PullRequestFixture, name: &str) -> Option<String> {
    let found = fixture.user("guest").get(&format!("{ROCKET}/git/ref/tags/{name}")).await;
    (found.status == 200).then(|| found.json()["object"]["sha"].as_str().expect("an id").to_owned())
}

fn tags(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|release| release["tag_name"].as_str().expect("a tag")).collect()
}

/// How many rows of a table there are.
async fn count(fixture: &PullRequestFixture, sql: &'static str) -> i64 {
    let mut db = fixture.service.store.read().await.expect("the store can be read");
    db.one::<(i64,)>(sql, params![]).await.expect("the store can be read").0
}

/// What GitHub's clients read of an error.
fn errors(response: &Response) -> Value {
    json!([response.status, response.json()["errors"]])
}
