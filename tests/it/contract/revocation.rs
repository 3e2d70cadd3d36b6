//! A token that is revoked while its request waits for the store is not accepted.

use std::sync::LazyLock;

use http::Method;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::support::fixtures::{octo_org, two_branches};
use crate::support::wait::wait_until_async;
use crate::support::{Response, Service, Tester};

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona", "hubot"])
        .repo(
            "octo-org/hello",
            &two_branches(", { branch: other, from: main, author: mona, message: three, files: { a: three } }"),
        )
        .issue_field("Notes", "text", "")
        .project("octo-org", "Roadmap", "")
        .pull(
            "octo-org/hello",
            "hubot",
            "title: Two, head: next, base: main, comments: [{ author: mona, path: a, line: 1, body: first }, \
             { author: mona, path: a, line: 1, body: second }]",
        )
        .to_string()
});
const SCOPES: &str = "[repo, admin:org, project]";

/// Revokes a token in a transaction during which a request with that token arrives; returns the response.
async fn ended_meanwhile(service: &Service, token: &str, (method, path, body): (Method, &str, &Value)) -> Response {
    let text = format!("{{ kind: classic, user: mona, scopes: {SCOPES}, token: {token} }}");
    service.apply(&format!("tokens: [{text}]")).await;
    let client = service.with_token(token);
    // Caches the token's rights, so that nothing is read before the transaction.
    client.get("/user").await.expect(200);
    service.settled().await;
    let (begun, has_begun) = oneshot::channel();
    let (go, may_go) = std::sync::mpsc::channel::<()>();
    let slots = std::sync::Mutex::new((Some(begun), may_go));
    let context = (plinth_core::tokens::hash(token), service.app.clock.now(), slots);
    let ending = service.store.write(Tester, context, |tx, (hash, now, slots)| {
        Box::pin(async move {
            {
                let mut slots = slots.lock().expect("nobody panics");
                let _ = slots.0.take().map(|begun| begun.send(()));
                slots.1.recv().expect("the test goes on");
            }
            let found = plinth_core::tokens::store::find_by_hash(tx, hash).await?;
            Ok(plinth_core::tokens::store::end(tx, found.expect("the token exists"), *now).await?)
        })
    });
    let request = async {
        has_begun.await.expect("the transaction has begun");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let sent = client.send(method, path, body);
        let release = async {
            let times = service.app.transaction_times();
            wait_until_async("the request waits behind the open transaction", async || times.waiting() >= 2).await;
            go.send(()).expect("the transaction waits");
        };
        tokio::join!(sent, release).0
    };
    let (ended, response) = tokio::join!(ending, request);
    assert_eq!(ended.expect("the store accepts the change"), 1);
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn write_fails_when_token_is_revoked_while_it_waits() {
    let service = Service::with(&STATE).await;
    if service.app.is_shared_store() {
        // Transactions of PostgreSQL do not wait for each other, so none can commit in between.
        return;
    }
    let main = service.anonymous().get("/repos/octo-org/hello/git/ref/heads/main").await.expect(200).json();
    let next = service.anonymous().get("/repos/octo-org/hello/git/ref/heads/next").await.expect(200).json();
    let (main, next) = (&main["object"]["sha"], &next["object"]["sha"]);
    let comment = json!({ "body": "new", "commit_id": next, "path": "a", "line": 1 });
    let hello = "/repos/octo-org/hello";
    let changes = [
        (Method::POST, format!("{hello}/pulls/1/comments"), comment),
        (Method::POST, format!("{hello}/pulls/1/comments/1/replies"), json!({ "body": "new" })),
        (Method::PATCH, format!("{hello}/pulls/comments/1"), json!({ "body": "changed" })),
        (Method::DELETE, format!("{hello}/pulls/comments/2"), Value::Null),
        (Method::POST, format!("{hello}/pulls/1/reviews"), json!({ "body": "new", "event": "COMMENT" })),
        (Method::POST, format!("{hello}/pulls"), json!({ "title": "new", "head": "other", "base": "main" })),
        (Method::PATCH, format!("{hello}/pulls/1"), json!({ "title": "changed" })),
        (Method::POST, format!("{hello}/git/refs"), json!({ "ref": "refs/heads/new", "sha": main })),
        (Method::PATCH, format!("{hello}/git/refs/heads/main"), json!({ "sha": next })),
        (Method::DELETE, format!("{hello}/git/refs/heads/other"), Value::Null),
        (Method::POST, "/orgs/octo-org/issue-fields".into(), json!({ "name": "New", "data_type": "text" })),
        (Method::PATCH, "/orgs/octo-org/issue-fields/1".into(), json!({ "name": "Changed" })),
        (Method::DELETE, "/orgs/octo-org/issue-fields/1".into(), Value::Null),
        (Method::POST, "/orgs/octo-org/projectsV2/1/fields".into(), json!({ "name": "New", "data_type": "text" })),
    ];
    for (index, (method, path, body)) in changes.iter().enumerate() {
        let response = ended_meanwhile(&service, &format!("ghp_token{index:02}"), (method.clone(), path, body)).await;
        assert_eq!(response.status, 401, "{method} {path}: {}", response.message());
    }
    let token = format!("{{ kind: classic, user: mona, scopes: {SCOPES}, token: ghp_stillgood }}");
    service.apply(&format!("tokens: [{token}]")).await;
    // Each request is valid by itself, and none was executed before.
    for (method, path, body) in changes {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = service.with_token("ghp_stillgood").send(method.clone(), &path, body).await;
        assert!((200..300).contains(&response.status), "{method} {path}: {}", response.message());
    }
}
