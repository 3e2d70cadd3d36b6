//! What a node has in memory, while another one writes.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::in_process::{Node, ROCKET, Shared};
use crate::support::memory::count_hits;

const CACHE_BYTES_MAX: u64 = 1 << 20;
const REFS: [&str; 2] = ["/repos/mona/rocket/git/ref/heads/one", "/repos/mona/rocket/git/ref/heads/two"];
const COMMENTS: [&str; 2] = ["/repos/mona/rocket/pulls/comments/1", "/repos/mona/rocket/pulls/comments/2"];
const LIST: &str = "/repos/mona/rocket/pulls/1/comments";
const PATHS: [&str; 5] = [REFS[0], REFS[1], COMMENTS[0], COMMENTS[1], LIST];
static REQUESTS: AtomicU32 = AtomicU32::new(0);

/// A resource as the second node shows it, and whether it was in its memory.
async fn read(node: &Node, path: &str) -> (Value, bool) {
    let before = count_hits(&node.app);
    // Unlike all requests before, so that no response is found.
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed).to_string();
    let shown = node.client().header("x-test", &number).get(path).await.expect(200).json();
    (shown, count_hits(&node.app) > before)
}

async fn tip(node: &Node, branch: &str) -> Value {
    read(node, &format!("{ROCKET}/git/ref/heads/{branch}")).await.0["object"]["sha"].clone()
}

async fn create_ref(node: &Node, name: &str, sha: &Value) {
    let new = json!({ "ref": format!("refs/heads/{name}"), "sha": sha });
    node.client().post(&format!("{ROCKET}/git/refs"), new).await.expect(201);
}

#[tokio::test]
async fn write_of_another_node_invalidates_what_shows_it_only() {
    let shared = Shared::new().await;
    let (writer, reader) = (shared.node("a", CACHE_BYTES_MAX).await, shared.node("b", CACHE_BYTES_MAX).await);
    let (main, next) = (tip(&writer, "main").await, tip(&writer, "next").await);
    create_ref(&writer, "one", &main).await;
    create_ref(&writer, "two", &main).await;
    let pull = json!({ "title": "Two", "head": "next", "base": "main" });
    writer.client().post(&format!("{ROCKET}/pulls"), pull).await.expect(201);
    let comment = json!({ "body": "new", "commit_id": next, "path": "a", "line": 1 });
    for _ in COMMENTS {
        writer.client().post(LIST, comment.clone()).await.expect(201);
    }
    let (moved, edited) = (json!({ "sha": next, "force": true }), json!({ "body": "edited" }));
    let patch = |path: &'static str, body: Value| (http::Method::PATCH, path, body);
    let all = [true; 5];
    for (write, expected) in [
        (patch("/repos/mona/rocket/git/refs/heads/one", moved.clone()), [false, true, true, true, true]),
        (patch("/repos/mona/rocket/git/refs/heads/two", moved), [true, false, true, true, true]),
        (patch(COMMENTS[0], edited.clone()), [true, true, false, true, false]),
        (patch(COMMENTS[1], edited), [true, true, true, false, false]),
        ((http::Method::POST, LIST, comment), [true, true, true, true, false]),
        ((http::Method::POST, "/repos/mona/rocket/issues", json!({ "title": "no part of any" })), all),
        ((http::Method::DELETE, COMMENTS[0], Value::Null), [true, true, false, false, false]),
    ] {
        let (method, path, body) = write;
        let what = format!("{method} {path}");
        for path in PATHS {
            read(&reader, path).await;
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let is_deletion = method == http::Method::DELETE;
        let written = writer.client().send(method, path, body).await;
        assert!((200..300).contains(&written.status), "{what}: {written:?}");
        for (path, is_expected) in PATHS.into_iter().zip(expected) {
            if is_deletion && path == COMMENTS[0] {
                reader.client().get(path).await.expect(404);
                continue;
            }
            let (shown, is_hit) = read(&reader, path).await;
            // Another program that writes to an SQLite database may have changed anything.
            let is_expected = is_expected && shared.database.is_postgres();
            assert_eq!(is_hit, is_expected, "{path} after {what}");
            assert_eq!(shown, writer.client().get(path).await.expect(200).json(), "{path} after {what}");
        }
    }
}
