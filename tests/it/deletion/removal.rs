//! Everything in a deleted repository is removed in the end, and nothing else.

use plinth_core::repos::deletion;
use serde_json::json;

use super::{DELETES, OTHER, ROCKET, count, directory, fixture, mark, rows};
use crate::support::Service;
use crate::support::wait::wait_until_async;

async fn wait_until_removed(service: &Service) {
    let is_removed = async || count(&service.store, ROCKET).await == 0;
    wait_until_async("all rows of the repository are removed", is_removed).await;
}

#[tokio::test]
async fn deletion_removes_all_rows_and_directory_of_the_repository_and_of_no_other() {
    let (fixture, _) = fixture().await;
    let service = &fixture.service;
    let of_other = rows(&service.store, OTHER).await;
    assert!(directory(service, ROCKET).exists());
    service.with_token(DELETES).delete("/repos/acme/rocket").await.expect(204);
    fixture.user("mona").get("/repos/acme/rocket").await.expect(404);
    fixture.user("mona").post("/orgs/acme/repos", json!({ "name": "rocket" })).await.expect(201);
    wait_until_removed(service).await;
    assert!(!directory(service, ROCKET).exists());
    assert_eq!(rows(&service.store, OTHER).await, of_other);
    assert!(directory(service, OTHER).exists());
    fixture.user("mona").get("/repos/acme/rocket").await.expect(200);
}

/// As at the next start, or after a command that was interrupted.
#[tokio::test]
async fn run_removes_all_repositories_that_are_marked() {
    let (fixture, _) = fixture().await;
    let service = &fixture.service;
    mark(service, ROCKET).await;
    mark(service, OTHER).await;
    deletion::remove_all(&service.app).await;
    for repo in [ROCKET, OTHER] {
        assert_eq!(count(&service.store, repo).await, 0);
        assert!(!directory(service, repo).exists());
    }
}

#[tokio::test]
async fn repository_that_is_not_deleted_is_never_removed() {
    let (fixture, _) = fixture().await;
    let service = &fixture.service;
    let before = rows(&service.store, ROCKET).await;
    deletion::remove_all(&service.app).await;
    deletion::remove(&service.app, ROCKET).await.expect("nothing is to be done");
    assert_eq!(rows(&service.store, ROCKET).await, before);
    assert!(directory(service, ROCKET).exists());
}
