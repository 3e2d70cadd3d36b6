//! Pull requests that a push merges.

use plinth_core::ref_updates::{Mover, move_refs};
use plinth_core::refs::{Change, Target};
use plinth_git::{ObjectKind, RefName};
use serde_json::json;

use super::*;
use crate::support::Tester;
use crate::support::wait::wait_until_async;

pub async fn wait_until_closed(fixture: &PullRequestFixture) -> Value {
    let is_closed = async || pull(fixture).await["state"] == "closed";
    wait_until_async("the pull request is closed", is_closed).await;
    pull(fixture).await
}

/// A merge commit, made by git.
fn merge_commit(fixture: &PullRequestFixture, base: &str, head: &str) -> String {
    fixture.work.git(&["checkout", "-q", "--detach", base]);
    fixture.work.git(&["merge", "-q", "--no-ff", "-m", "by hand", head]);
    let sha = fixture.work.git(&["rev-parse", "HEAD"]).trim().to_owned();
    fixture.work.git(&["tag", "-f", &format!("reachable-{sha}"), &sha]);
    sha
}

#[tokio::test]
async fn base_that_moves_to_the_head_merges_the_pull_request_at_once() {
    let fixture = ahead().await;
    let comment = fixture.comment(json!({ "line": 8 })).await.expect(201).json();
    fixture.push("main", &fixture.head).await;
    let merged = pull(&fixture).await;
    assert_eq!(outcome(&merged), json!(["closed", true, "mona", fixture.head]));
    assert_eq!((&merged["base"]["sha"], &merged["commits"]), (&json!(fixture.base), &json!(1)));
    fixture.user("guest").get(MERGE).await.expect(204);
    assert_eq!(fixture.get(&comment["id"]).await["line"], 8, "the diff is still the same");
}

#[tokio::test]
async fn push_of_a_merge_commit_merges_the_pull_request() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let comment = fixture.comment(json!({ "line": 8 })).await.expect(201).json();
    let by_hand = merge_commit(&fixture, &base, &fixture.head);
    let after = fixture.commit_on(&by_hand, &[("later", Some("1\n"))]);
    fixture.push("main", &after).await;
    let merged = wait_until_closed(&fixture).await;
    assert_eq!(outcome(&merged), json!(["closed", true, "mona", by_hand]), "the commit that brought the head");
    assert_eq!((&merged["base"]["sha"], &merged["commits"]), (&json!(base), &json!(1)));
    assert_eq!(fixture.get(&comment["id"]).await["line"], 8, "the diff is still that before the push");
}

#[tokio::test]
async fn head_that_moves_into_the_history_of_its_base_is_not_merged() {
    let (fixture, base) = diverged(BASE_FILE).await;
    fixture.push("feature", &base).await;
    fixture.service.settled().await;
    assert_eq!(outcome(&pull(&fixture).await).as_array().expect("a list")[..2], [json!("open"), json!(false)]);
}

#[tokio::test]
async fn push_of_other_commits_merges_nothing() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let next = fixture.commit_on(&base, &[("other", Some("1\n"))]);
    fixture.push("main", &next).await;
    fixture.service.settled().await;
    assert_eq!(outcome(&pull(&fixture).await).as_array().expect("a list")[..2], [json!("open"), json!(false)]);
}

#[tokio::test]
async fn maintenance_merges_what_a_stopped_service_has_left() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let by_hand = merge_commit(&fixture, &base, &fixture.head);
    fixture.bring_objects().await;
    move_only(&fixture, "main", (&base, &by_hand), "hubot").await;
    plinth_core::pulls::catch_up(&fixture.service.app).await.expect("maintenance succeeds");
    let merged = pull(&fixture).await;
    assert_eq!(outcome(&merged), json!(["closed", true, "hubot", by_hand]), "by who has pushed");
}

#[tokio::test]
async fn concurrent_refreshes_of_a_merged_pull_request_keep_its_diff() {
    let (fixture, base) = diverged(BASE_FILE).await;
    let comment = fixture.comment(json!({ "line": 8 })).await.expect(201).json();
    let by_hand = merge_commit(&fixture, &base, &fixture.head);
    fixture.bring_objects().await;
    move_only(&fixture, "main", (&base, &by_hand), "hubot").await;
    // All of them read the pull request before the first one closes it.
    let refresh = || plinth_core::pulls::catch_up(&fixture.service.app);
    let (first, second, third) = tokio::join!(refresh(), refresh(), refresh());
    first.and(second).and(third).expect("maintenance succeeds");
    let merged = pull(&fixture).await;
    assert_eq!((&merged["base"]["sha"], &merged["commits"]), (&json!(base), &json!(1)));
    assert_eq!(fixture.get(&comment["id"]).await["line"], 8, "the diff is still that before the push");
}

/// Moves a branch as this user, and leaves out what follows the transaction.
async fn move_only(fixture: &PullRequestFixture, branch: &str, (old, new): (&str, &str), login: &str) {
    let name = RefName::parse(&format!("refs/heads/{branch}")).expect("a name");
    let target = Target { sha: new.parse().expect("an id"), kind: ObjectKind::Commit };
    let change = Change { name, old: Some(old.parse().expect("an id")), new: Some(target) };
    let context = (fixture.repo_id().await, change, login.to_owned(), fixture.service.app.clock.now());
    let moved = fixture.service.store.write(Tester, context, |tx, (repo, change, login, now)| {
        Box::pin(async move {
            let mover = plinth_core::accounts::store::find_by_login(tx, login).await?.expect("the user exists");
            move_refs(tx, *repo, std::slice::from_ref(change), Mover::new(Some(mover.id), *now)).await
        })
    });
    assert!(moved.await.expect("the store accepts the change").outcomes.iter().all(Result::is_ok));
}
