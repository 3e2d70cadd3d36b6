//! Object storage that is away, silent or slow.

use std::time::{Duration, Instant};

use serde_json::json;

use super::storage::Storage;
use super::{Nodes, ROCKET, clone, commit, get, git, push, remote, send, tip, try_git};
use crate::store::proxy::Proxy;
use crate::support::wait::wait_until;

/// A request ends before its timeout and a little more.
const RESPONSE_MAX: Duration = Duration::from_secs(15);

/// What works and what does not, on a server that has a copy of the rocket, while the storage is away.
#[track_caller]
fn check_outage(a: &crate::process::Server, work: &std::path::Path) {
    let before = tip(a, "main");
    commit(work, "file", "not stored");
    let started = Instant::now();
    let failed = try_git(work, &["push", "--quiet", &remote(a), "HEAD:main"]);
    assert!(!failed.status.success(), "the push is rejected");
    assert!(String::from_utf8_lossy(&failed.stderr).contains("503"), "{failed:?}");
    assert!(started.elapsed() < 2 * RESPONSE_MAX, "{:?}", started.elapsed());
    assert_eq!(tip(a, "main"), before, "nothing has changed");
    git(work, &["reset", "--quiet", "--hard", "HEAD~1"]);
    // Without objects, and with objects of the database.
    let issue = send(a, "POST", &format!("{ROCKET}/issues"), &json!({ "title": "still works" }));
    assert_eq!(issue.status(), 201, "{issue:?}");
    let blob = send(a, "POST", &format!("{ROCKET}/git/blobs"), &json!({ "content": "x" }));
    assert_eq!(blob.status(), 201, "{blob:?}");
    // With objects that are on this disk.
    let started = Instant::now();
    get(a, &format!("{ROCKET}/contents/file"));
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(a.request("GET /readyz HTTP/1.1", "").status(), 200);
}

#[test]
fn outage_of_storage_rejects_pushes_and_nothing_else() {
    let Some(storage) = Storage::start_s3() else { return };
    let Some(mut nodes) = Nodes::with_storage(storage) else { return };
    let a = nodes.start("a");
    let work = clone(&a, &nodes.of("work"));
    commit(&work, "file", "stored");
    push(&work, &a);
    let b = nodes.start("b");
    nodes.storage.take_down();
    check_outage(&a, &work);
    let started = Instant::now();
    assert_eq!(b.get(&format!("{ROCKET}/contents/file")).status(), 503, "this server has no copy");
    assert!(started.elapsed() < RESPONSE_MAX, "{:?}", started.elapsed());
    // A server that starts again meanwhile serves what needs no objects.
    drop(b);
    let b = nodes.start("b");
    assert_eq!(b.get(&format!("{ROCKET}/git/ref/heads/main")).status(), 200);
    nodes.storage.bring_up();
    wait_until("the object can be read again", || b.get(&format!("{ROCKET}/contents/file")).status() == 200);
    let pushed = commit(&work, "file", "stored again");
    push(&work, &a);
    assert_eq!(tip(&b, "main"), pushed);
    git(&clone(&b, &nodes.of("copy")), &["fsck", "--strict"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_storage_rejects_pushes_and_nothing_else() {
    let Some(storage) = Storage::start_s3() else { return };
    let proxy = Proxy::start(storage.address()).await;
    let test = move || {
        let Some(mut nodes) = Nodes::with_storage(storage) else { return };
        nodes.storage.set_endpoint(proxy.address);
        let a = nodes.start("a");
        let work = clone(&a, &nodes.of("work"));
        commit(&work, "file", "stored");
        push(&work, &a);
        proxy.fall_silent();
        check_outage(&a, &work);
        proxy.come_back();
        let mut attempts = 0;
        wait_until("the storage responds again", || {
            attempts += 1;
            let pushed = commit(&work, "file", &format!("attempt {attempts}"));
            let output = try_git(&work, &["push", "--quiet", &remote(&a), "HEAD:main"]);
            output.status.success() && tip(&a, "main") == pushed
        });
    };
    tokio::task::spawn_blocking(test).await.expect("the test does not panic");
}
