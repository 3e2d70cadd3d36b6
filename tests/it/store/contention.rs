//! Many clients that write to one repository, or to different ones, at the same time.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::pull_request::PullRequestFixture;
use crate::support::{Service, fixtures};

const CLIENTS: usize = 64;
const WRITES: usize = 4;

/// They wait for each other, and none gets an error for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writes_to_one_repository_all_succeed() {
    let fixture = PullRequestFixture::new(&[("file", "one\ntwo\n")], &[("file", Some("one\nthree\n"))]).await;
    let clients = (0..CLIENTS).map(async |client| {
        let mut statuses = Vec::new();
        for write in 0..WRITES {
            let user = fixture.user(if client % 2 == 0 { "mona" } else { "hubot" });
            let response = if (client + write) % 4 < 2 {
                let body = json!({ "ref": format!("refs/heads/{client}-{write}"), "sha": fixture.head });
                user.post("/repos/acme/rocket/git/refs", body).await
            } else {
                let body = json!({ "body": format!("{client} {write}"), "commit_id": fixture.head, "path": "file", "line": 2 });
                user.post("/repos/acme/rocket/pulls/1/comments", body).await
            };
            statuses.push(response.status);
        }
        statuses
    });
    let statuses: Vec<u16> = join_all(clients).await.concat();
    let failed: Vec<u16> = statuses.iter().copied().filter(|status| *status != 201).collect();
    assert_eq!(failed, Vec::<u16>::new(), "of {}", statuses.len());
    let pull = fixture.user("mona").get("/repos/acme/rocket/pulls/1").await.expect(200).json();
    assert_eq!(pull["review_comments"], CLIENTS * WRITES / 2);
}

const REPOSITORIES: usize = 32;
const WRITES_TO_EACH: usize = 8;
/// PostgreSQL notices conflicts by page, so a repository needs some pages of its own, before and after the new refs.
const EXISTING_REFS: usize = 400;
/// Rows of different repositories can be in one page, so a few transactions conflict. Without index scans, more failed than
/// succeeded.
const CONFLICTS_MAX: i64 = 32;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writes_to_different_repositories_rarely_conflict() {
    let repos = 0..REPOSITORIES;
    let state = repos
        .clone()
        .fold(fixtures::mona(), |state, index| state.repo(&format!("mona/repo-{index}"), &fixtures::two_branches("")));
    let service = Service::with(&state.to_string()).await;
    let Some(url) = service.database_url() else { return };
    let fill = format!(
        "insert into git_ref (repo_id, name, target, kind)
         select r.repo_id, 'refs/heads/' || side || i, r.target, r.kind
         from git_ref r, generate_series(1, {EXISTING_REFS}) i, unnest(array['before/', 'old/']) side
         where r.name = 'refs/heads/main'; analyze"
    );
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("it accepts");
    let connection = tokio::spawn(connection);
    client.batch_execute(&fill).await.expect("the statements are valid");
    let user = service.with_token("ghp_monamona");
    let main = user.get("/repos/mona/repo-0/git/ref/heads/main").await.expect(200).json()["object"]["sha"].clone();
    let clients = repos.map(async |index| {
        for write in 0..WRITES_TO_EACH {
            let body = json!({ "ref": format!("refs/heads/new-{write}"), "sha": main });
            service
                .with_token("ghp_monamona")
                .post(&format!("/repos/mona/repo-{index}/git/refs"), body)
                .await
                .expect(201);
        }
    });
    join_all(clients).await;
    // Sessions report what they did at the latest when they end.
    let end = "select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity \
               where datname = current_database() and pid <> pg_backend_pid()";
    count(&client, end).await;
    let rolled_back = "select xact_rollback from pg_stat_database where datname = current_database()";
    let conflicts = count(&client, rolled_back).await;
    assert!(conflicts <= CONFLICTS_MAX, "{conflicts} transactions failed and ran again");
    drop(client);
    let _ = connection.await;
}

async fn count(client: &tokio_postgres::Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.expect("the statement is valid").get(0)
}
