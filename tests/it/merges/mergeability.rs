//! What a pull request says about its merge before it is merged.

use serde_json::{Value, json};

use crate::support::Tester;
use crate::support::wait::wait_until_async;

use super::*;

fn mergeability(pull: &Value) -> Value {
    json!([pull["mergeable"], pull["mergeable_state"]])
}

#[tokio::test]
async fn new_pull_request_does_not_wait_for_its_test_merge() {
    let fixture = ahead().await;
    let body = json!({ "title": "Again", "head": "feature", "base": "other" });
    let other = json!({ "ref": "refs/heads/other", "sha": fixture.base });
    fixture.user("mona").post(&format!("{ROCKET}/git/refs"), other).await.expect(201);
    let created = fixture.user("mona").post(&format!("{ROCKET}/pulls"), body).await.expect(201).json();
    assert_eq!(mergeability(&created), json!([null, "unknown"]));
    assert_eq!(created["merge_commit_sha"], Value::Null);
}

#[tokio::test]
async fn test_merge_of_head_that_is_ahead_has_the_tree_of_the_head() {
    let fixture = ahead().await;
    let pull = pull(&fixture).await;
    assert_eq!(mergeability(&pull), json!([true, "clean"]));
    let sha = pull["merge_commit_sha"].as_str().expect("a test merge");
    let commit = commit(&fixture, sha).await;
    assert_eq!(parents(&commit), [fixture.base.as_str(), fixture.head.as_str()]);
    assert_eq!(file(&fixture, sha).await, HEAD_FILE);
    assert_eq!(outcome(&pull)[1], false);
    assert_eq!(tip(&fixture, "main").await, fixture.base, "no branch moves");
}

#[tokio::test]
async fn test_merge_of_diverged_branches_has_both_changes() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let pull = pull(&fixture).await;
    assert_eq!(mergeability(&pull), json!([true, "clean"]));
    let sha = pull["merge_commit_sha"].as_str().expect("a test merge");
    assert_eq!(parents(&commit(&fixture, sha).await), [base.as_str(), fixture.head.as_str()]);
    assert_eq!(file(&fixture, sha).await, MERGED_FILE);
}

#[tokio::test]
async fn conflict_is_reported_and_disappears_with_the_next_push() {
    let (fixture, base) = diverged(CONFLICTING_FILE).await;
    let dirty = pull(&fixture).await;
    assert_eq!(mergeability(&dirty), json!([false, "dirty"]));
    assert_eq!(dirty["merge_commit_sha"], Value::Null);
    let resolved = fixture.commit_on(&base, &[("file", Some(HEAD_FILE))]);
    fixture.push("feature", &resolved).await;
    fixture.service.settled().await;
    assert_eq!(mergeability(&pull(&fixture).await), json!([true, "clean"]));
}

#[tokio::test]
async fn draft_that_can_be_merged_is_a_draft() {
    let fixture = ahead().await;
    let draft = fixture.commit_on(&fixture.base, &[("other", Some("1\n"))]);
    fixture.bring_objects().await;
    let branch = json!({ "ref": "refs/heads/draft", "sha": draft });
    fixture.user("mona").post(&format!("{ROCKET}/git/refs"), branch).await.expect(201);
    let body = json!({ "title": "Draft", "head": "draft", "base": "main", "draft": true });
    fixture.user("mona").post(&format!("{ROCKET}/pulls"), body).await.expect(201);
    fixture.service.settled().await;
    let pull = fixture.user("mona").get(&format!("{ROCKET}/pulls/2")).await.expect(200).json();
    assert_eq!(mergeability(&pull), json!([true, "draft"]));
}

#[tokio::test]
async fn objects_of_test_merges_survive_garbage_collection() {
    let (fixture, _) = diverged(BASE_FILE).await;
    let sha = pull(&fixture).await["merge_commit_sha"].as_str().expect("a test merge").to_owned();
    fixture.collect_garbage(&[plinth_core::pulls::gc_roots]).await;
    assert_eq!(file(&fixture, &sha).await, MERGED_FILE);
}

#[tokio::test]
async fn reading_starts_a_test_merge_that_was_interrupted() {
    let fixture = ahead().await;
    // As after a kill in the middle of the first attempt.
    let sql = "update pull_version set mergeability = null, test_merge = null, attempted_at = 1";
    let forgotten =
        fixture.service.store.write(Tester, (), move |tx, ()| Box::pin(async move { Ok(tx.execute(sql, &[]).await?) }));
    forgotten.await.expect("the store accepts the change");
    assert_eq!(pull(&fixture).await["mergeable_state"], "unknown");
    let is_known = async || pull(&fixture).await["mergeable"] == true;
    wait_until_async("the pull request can be merged", is_known).await;
}
