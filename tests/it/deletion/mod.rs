//! Deletion of repositories: from the response on nobody finds them, and then everything in them is removed in batches.

mod batches;
mod removal;
mod visibility;

use std::path::PathBuf;

use plinth_base::ids::RepoId;
use plinth_core::repos::deletion;
use plinth_store::{Store, params};
use serde_json::{Value, json};

use crate::support::fixtures::StateFile;
use crate::support::pull_request::{COMMENTS, PULL, PullRequestFixture};
use crate::support::{Service, Tester};

/// `acme/rocket`, which the tests delete, and `acme/other`, which stays.
const ROCKET: RepoId = RepoId(1);
const OTHER: RepoId = RepoId(2);
const DELETES: &str = "ghp_deletes";

/// The tables with rows of a repository, and how many there are.
const ROWS: [(&str, &str); 33] = [
    ("repo", "select count(*) from repo where id = $1"),
    ("collaborator", "select count(*) from collaborator where repo_id = $1"),
    ("installation_repo", "select count(*) from installation_repo where repo_id = $1"),
    ("token_repo", "select count(*) from token_repo where repo_id = $1"),
    ("git_ref", "select count(*) from git_ref where repo_id = $1"),
    ("git_object", "select count(*) from git_object where repo_id = $1"),
    ("contributor", "select count(*) from contributor where repo_id = $1"),
    ("notification", "select count(*) from notification where repo_id = $1"),
    ("pull", "select count(*) from pull where repo_id = $1"),
    ("pull_version", "select count(*) from pull_version v join pull p on p.id = v.pull_id where p.repo_id = $1"),
    ("review_request", "select count(*) from review_request q join pull p on p.id = q.pull_id where p.repo_id = $1"),
    ("conversation", "select count(*) from conversation where repo_id = $1"),
    ("issue", "select count(*) from issue where repo_id = $1"),
    ("issue_comment", "select count(*) from issue_comment where repo_id = $1"),
    ("label", "select count(*) from label where repo_id = $1"),
    (
        "issue_label",
        "select count(*) from issue_label u join conversation c on c.id = u.conversation_id where c.repo_id = $1",
    ),
    (
        "issue_assignee",
        "select count(*) from issue_assignee u join conversation c on c.id = u.conversation_id where c.repo_id = $1",
    ),
    (
        "issue_mention",
        "select count(*) from issue_mention u join conversation c on c.id = u.conversation_id where c.repo_id = $1",
    ),
    (
        "issue_field_value",
        "select count(*) from issue_field_value u join conversation c on c.id = u.conversation_id where c.repo_id = $1",
    ),
    (
        "issue_field_value_option",
        "select count(*) from issue_field_value_option u join conversation c on c.id = u.conversation_id \
         where c.repo_id = $1",
    ),
    (
        "project_item",
        "select count(*) from project_item u join conversation c on c.id = u.conversation_id where c.repo_id = $1",
    ),
    (
        "project_item_value",
        "select count(*) from project_item_value v join project_item u on u.id = v.item_id \
         join conversation c on c.id = u.conversation_id where c.repo_id = $1",
    ),
    ("review", "select count(*) from review where repo_id = $1"),
    ("review_thread", "select count(*) from review_thread where repo_id = $1"),
    (
        "review_thread_place",
        "select count(*) from review_thread_place l join review_thread t on t.id = l.thread_id where t.repo_id = $1",
    ),
    ("review_comment", "select count(*) from review_comment where repo_id = $1"),
    ("commit_status", "select count(*) from commit_status where repo_id = $1"),
    ("release", "select count(*) from release where repo_id = $1"),
    ("release_asset", "select count(*) from release_asset where repo_id = $1"),
    (
        "release_asset_chunk",
        "select count(*) from release_asset_chunk c join release_asset s on s.id = c.asset_id where s.repo_id = $1",
    ),
    ("webhook", "select count(*) from webhook where repo_id = $1"),
    (
        "webhook_message",
        "select count(*) from webhook_message m join webhook w on w.id = m.webhook_id where w.repo_id = $1",
    ),
    (
        "webhook_delivery",
        "select count(*) from webhook_delivery d join webhook w on w.id = d.webhook_id where w.repo_id = $1",
    ),
];

/// The number of rows of a repository in each table.
async fn rows(store: &Store, repo: RepoId) -> Vec<(&'static str, i64)> {
    let mut db = store.read().await.expect("the store can be read");
    let mut rows = Vec::new();
    for (table, sql) in ROWS {
        rows.push((table, db.one::<(i64,)>(sql, params![repo]).await.expect("the store can be read").0));
    }
    rows
}

async fn count(store: &Store, repo: RepoId) -> i64 {
    rows(store, repo).await.iter().map(|(_, count)| count).sum()
}

fn directory(service: &Service, repo: RepoId) -> PathBuf {
    service.directory().join(format!("data/repositories/{:02x}/{repo}.git", repo.0))
}

/// Marks a repository as deleted without starting its removal.
async fn mark(service: &Service, repo: RepoId) {
    let marked = service.store.write(Tester, repo, |tx, repo| Box::pin(deletion::mark(tx, *repo)));
    marked.await.expect("the store accepts the change");
}

/// What [`fixture`] has created in `acme/rocket`.
struct Created {
    comment: i64,
    review: i64,
    /// Of mona, by whom the pull request is.
    notification: String,
    head: String,
}

/// A service in which `acme/rocket` has rows in every table, and `acme/other` in most.
async fn fixture() -> (PullRequestFixture, Created) {
    let fixture = PullRequestFixture::new(&[("file", "1\n2\n3\n")], &[("file", Some("1\ntwo\n3\n"))]).await;
    fixture.service.apply(&apps()).await;
    let root = fixture.comment_as("guest", json!({ "line": 2, "body": "@hubot?" })).await.expect(201).json();
    let reply = format!("{COMMENTS}/{}/replies", root["id"]);
    fixture.user("reader").post(&reply, json!({ "body": "Yes" })).await.expect(201);
    let review = json!({ "event": "COMMENT", "body": "Fine" });
    let review = fixture.user("hubot").post(&format!("{PULL}/reviews"), review).await.expect(200).json();
    let reviewers = json!({ "reviewers": ["hubot"] });
    fixture.user("mona").post(&format!("{PULL}/requested_reviewers"), reviewers).await.expect(201);
    create_issue(&fixture).await;
    fixture.user("mona").post("/repos/acme/rocket/git/blobs", json!({ "content": "loose" })).await.expect(201);
    let status = format!("/repos/acme/rocket/statuses/{}", fixture.head);
    fixture.user("mona").post(&status, json!({ "state": "success" })).await.expect(201);
    let release = fixture.user("mona").post("/repos/acme/rocket/releases", json!({ "tag_name": "v1" })).await;
    let upload = format!("/repos/acme/rocket/releases/{}/assets?name=a", release.expect(201).json()["id"]);
    fixture.user("mona").send(http::Method::POST, &upload, "bytes").await.expect(201);
    let head = fixture.commit_on(&fixture.head, &[("file", Some("0\n1\ntwo\n3\n"))]);
    fixture.push("feature", &head).await;
    let in_other = json!({ "body": "Stays", "commit_id": fixture.head, "path": "file", "line": 2 });
    fixture.user("guest").post("/repos/acme/other/pulls/1/comments", in_other).await.expect(201);
    insert_hooks(&fixture.service).await;
    fixture.service.settled().await;
    let notifications = fixture.user("mona").get("/notifications").await.expect(200).json();
    let of_rocket = |notification: &&Value| notification["repository"]["full_name"] == "acme/rocket";
    let notification = notifications.as_array().and_then(|list| list.iter().find(of_rocket)).expect("a notification");
    let created = Created {
        comment: root["id"].as_i64().expect("a number"),
        review: review["id"].as_i64().expect("a number"),
        notification: notification["id"].as_str().expect("a text").to_owned(),
        head,
    };
    for (table, count) in rows(&fixture.service.store, ROCKET).await {
        assert!(count > 0, "the fixture has no row in {table}");
    }
    (fixture, created)
}

/// An issue with a label, an assignee, a mention, a comment and the value of a field, in a project.
async fn create_issue(fixture: &PullRequestFixture) {
    let fields = "org: acme, name: Priority, data_type: single_select, options: [{ name: High, color: red }]";
    fixture.service.apply(&StateFile::default().entry("issue_fields", fields).to_string()).await;
    let values = json!([{ "field_id": 1, "value": "High" }]);
    let body = json!({ "title": "Broken", "body": "@guest", "labels": ["bug"], "assignees": ["hubot"],
                       "issue_field_values": values });
    let issue = fixture.user("mona").post("/repos/acme/rocket/issues", body).await.expect(201).json();
    let path = format!("/repos/acme/rocket/issues/{}/comments", issue["number"]);
    fixture.user("guest").post(&path, json!({ "body": "Same here" })).await.expect(201);
    let item = format!("{{ content: 'acme/rocket#{}', values: {{ Status: Todo }} }}", issue["number"]);
    let project = format!("owner: acme, title: Plan, items: [{item}]");
    fixture.service.apply(&StateFile::default().entry("projects", &project).to_string()).await;
}

/// A hook of each repository, with a delivery.
async fn insert_hooks(service: &Service) {
    let inserted = service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            for repo in [ROCKET, OTHER] {
                let sql = "insert into webhook (id, repo_id, url, content_type, events, created_at, updated_at) \
                           values ($1, $1, 'http://192.0.2.1', 'json', '[]', 1, 1)";
                tx.execute(sql, params![repo]).await?;
                let sql = "insert into webhook_message (id, webhook_id, guid, event, payload, created_at) \
                           values ($1, $1, 'a', 'push', '{}', 1)";
                tx.execute(sql, params![repo]).await?;
                let sql =
                    "insert into webhook_delivery (message_id, webhook_id, due_at, delivered_at) values ($1, $1, 1, 1)";
                tx.execute(sql, params![repo]).await?;
            }
            Ok(())
        })
    });
    inserted.await.expect("the store accepts the rows");
}

/// The app `some` has both repositories, and `all` has all.
fn apps() -> String {
    let permissions = "contents: write, metadata: read";
    StateFile::default()
        .app("some", "acme", permissions, "client_id: Iv23some")
        .app("all", "acme", permissions, "client_id: Iv23all")
        .installation("some", "acme", "[acme/rocket, acme/other]")
        .installation("all", "acme", "all")
        .classic("mona", "repo, delete_repo", DELETES)
        .app_user("mona", "some", "ghu_monasome")
        .app_user("hubot", "all", "ghu_hubotall")
        .installation_token("some", "acme", "ghs_some0000")
        .installation_token("some", "acme, repositories: [acme/rocket]", "ghs_narrow00")
        .installation_token("all", "acme", "ghs_all00000")
        .to_string()
}
