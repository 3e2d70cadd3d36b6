//! Many clients that write to one repository at the same time.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::pull_request::PullRequestFixture;

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
