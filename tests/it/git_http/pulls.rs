//! Pushes update pull requests and their comments.

use serde_json::{Value, json};

use super::host::{Host, OWNER};

const PULLS: &str = "/repos/octo-org/hello/pulls";

#[tokio::test]
async fn push_moves_pull_request_head_and_branch_deletion_closes_it() {
    let host = Host::start().await;
    let client = host.service.with_token(OWNER);
    host.work("work", OWNER, "octo-org/hello", 1).await;
    host.commit("work", "code.txt", "1\n2\n3\n").await;
    host.git("work", &["checkout", "--quiet", "-b", "feature"]).await.ok();
    let first = host.commit("work", "code.txt", "1\ntwo\n3\n").await;
    host.git("work", &["push", "--quiet", "origin", "main", "feature"]).await.ok();
    client.post(PULLS, json!({ "title": "Change", "head": "feature", "base": "main" })).await.expect(201);
    let body = json!({ "body": "Here", "path": "code.txt", "line": 2, "commit_id": first });
    client.post(&format!("{PULLS}/1/comments"), body).await.expect(201);

    let second = host.commit("work", "code.txt", "0\n1\ntwo\n3\n").await;
    host.git("work", &["push", "--quiet", "origin", "feature"]).await.ok();
    assert_eq!(client.get(&format!("{PULLS}/1")).await.expect(200).json()["head"]["sha"], second.as_str());
    let comment = client.get(&format!("{PULLS}/comments/1")).await.expect(200).json();
    assert_eq!((&comment["line"], &comment["commit_id"]), (&json!(3), &json!(second)));
    assert!(host.refs("octo-org/hello").await.contains(&format!("{second} refs/pull/1/head")));

    host.git("work", &["reset", "--quiet", "--hard", "main"]).await.ok();
    let forced = host.commit("work", "code.txt", "other\n").await;
    host.git("work", &["push", "--quiet", "--force", "origin", "feature"]).await.ok();
    let comment = client.get(&format!("{PULLS}/comments/1")).await.expect(200).json();
    assert_eq!((&comment["line"], &comment["commit_id"]), (&Value::Null, &json!(second)));
    host.git("", &["clone", "--quiet", &host.open_url("octo-org/hello"), "clone"]).await.ok();
    host.git("clone", &["fetch", "--quiet", "origin", "refs/pull/1/head"]).await.ok();
    assert_eq!(host.git("clone", &["rev-parse", "FETCH_HEAD"]).await.ok(), forced);

    host.git("work", &["push", "--quiet", "origin", ":feature"]).await.ok();
    assert_eq!(client.get(&format!("{PULLS}/1")).await.expect(200).json()["state"], "closed");
}
