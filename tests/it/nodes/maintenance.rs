//! Maintenance of packs that servers share, in one process and on both databases.

use std::time::{Duration, SystemTime};

use plinth_core::objects::shared::Removals;
use serde_json::json;

use super::in_process::{ROCKET, Shared};
use crate::support::wait::wait_until_async;

const NOW: Removals = Removals { grace: Duration::ZERO, orphan_age: Duration::ZERO };

#[tokio::test]
async fn packs_that_one_server_joins_are_complete_on_all() {
    let shared = Shared::new().await;
    let (a, b) = (shared.node("a", u64::MAX).await, shared.node("b", u64::MAX).await);
    let mut blobs = Vec::new();
    for number in 0..6 {
        blobs.push(a.pack_blob(&format!("of a {number}")).await);
        blobs.push(b.pack_blob(&format!("of b {number}")).await);
    }
    assert!(a.copies().len() > 6 && shared.stored_files().len() >= 26);
    b.maintain().await;
    for blob in &blobs {
        assert!(a.has(blob).await && b.has(blob).await, "{blob}");
    }
    // The old files go after the grace period, and not before.
    let before = shared.stored_files().len();
    assert_eq!(a.packs.delete_removed(Removals::default()).await.expect("it can be listed"), 0);
    assert_eq!(shared.stored_files().len(), before);
    shared.clock.advance(1);
    assert!(a.packs.delete_removed(NOW).await.expect("they can be deleted") > 12);
    assert_eq!(shared.stored_files().len(), 2, "one pack and its index");
    let c = shared.node("c", u64::MAX).await;
    for blob in &blobs {
        assert!(c.has(blob).await, "{blob}");
    }
    assert_eq!(c.copies().len(), 1);
    // Copies of the old packs go once they are old enough.
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    for copy in a.copies() {
        let index = std::fs::File::open(copy.with_extension("idx")).expect("a pack has an index");
        index.set_modified(an_hour_ago).expect("it is our file");
    }
    a.care_for_copies().await;
    for blob in &blobs {
        assert!(a.has(blob).await, "{blob}");
    }
    assert_eq!(a.copies().len(), 1);
}

#[tokio::test]
async fn maintenance_of_an_idle_server_loses_nothing_of_a_busy_one() {
    let shared = Shared::new().await;
    let (a, b) = (shared.node("a", u64::MAX).await, shared.node("b", u64::MAX).await);
    let mut blobs = Vec::new();
    for number in 0..100 {
        let body = json!({ "content": format!("loose {number}") });
        let made = a.client().post(&format!("{ROCKET}/git/blobs"), body).await.expect(201);
        blobs.push(made.json()["sha"].as_str().expect("a name").to_owned());
        if number % 25 == 24 {
            b.maintain().await;
        }
    }
    for blob in &blobs {
        assert!(a.has(blob).await && b.has(blob).await, "{blob}");
    }
}

#[tokio::test]
async fn files_without_a_row_are_deleted_and_others_are_not() {
    let shared = Shared::new().await;
    let a = shared.node("a", u64::MAX).await;
    let blob = a.pack_blob("kept").await;
    let known = shared.stored_files();
    let stray = known[0].with_file_name("00ff-0.pack");
    std::fs::write(&stray, "left by a killed server").expect("it can be written");
    assert_eq!(a.packs.delete_orphans(Removals::default()).await.expect("they can be listed"), 0, "it may be new");
    assert_eq!(a.packs.delete_orphans(NOW).await.expect("they can be listed"), 1);
    assert!(!stray.exists());
    assert_eq!(shared.stored_files().len(), known.len());
    assert!(shared.node("b", u64::MAX).await.has(&blob).await);
}

#[tokio::test]
async fn copies_over_the_limit_are_removed_and_fetched_again() {
    let shared = Shared::new().await;
    let a = shared.node("a", u64::MAX).await;
    let blob = a.pack_blob("content").await;
    let copies = a.copies().len();
    assert!(copies > 1);
    a.care_for_copies().await;
    assert_eq!(a.copies().len(), copies, "they fit");
    drop(a);
    // After a restart nothing is in use.
    let a = shared.node("a", 10).await;
    a.care_for_copies().await;
    assert!(a.copies().is_empty());
    assert!(a.has(&blob).await);
    assert_eq!(a.copies().len(), copies);
    a.care_for_copies().await;
    assert_eq!(a.copies().len(), copies, "what was just used stays");
}

#[tokio::test]
async fn packs_of_a_deleted_repository_are_deleted() {
    let shared = Shared::new().await;
    let a = shared.node("a", u64::MAX).await;
    a.pack_blob("content").await;
    assert!(!shared.stored_files().is_empty());
    a.client().delete(ROCKET).await.expect(204);
    wait_until_async("the repository is removed", async || a.copies().is_empty()).await;
    shared.clock.advance(1);
    wait_until_async("its files are deleted", async || {
        a.packs.delete_removed(NOW).await.expect("they can be deleted");
        shared.stored_files().is_empty()
    })
    .await;
}
