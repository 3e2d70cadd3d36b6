//! How much of an index PostgreSQL reads for a request.

use super::shared_commits::{Session, create_ref, fixture};
use crate::review_comments::deep_pages::{ComparedLists, PER_PAGE, REPO_COMMENTS, read};
use crate::support::wait::wait_until_async;

const EXISTING_REFS: i64 = 5_000;
const NEW_REFS: i64 = 16;
/// About as many as there are before some are deleted.
const CHANGES: i64 = 10_000;
const READS: i64 = 200;

/// PostgreSQL plans a statement for the mean repository, and uses that plan for the largest one, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_ref_reads_few_entries_of_a_large_repository() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    session
        .run(&format!(
            "insert into git_ref (repo_id, name, target, kind)
             select r.repo_id, 'refs/heads/old-' || i, r.target, r.kind
             from git_ref r, generate_series(1, {EXISTING_REFS}) i where r.name = 'refs/heads/main';
             alter table git_ref alter column repo_id set (n_distinct = -1); analyze git_ref"
        ))
        .await;
    for number in 0..NEW_REFS {
        create_ref(&fixture, &format!("new-{number}")).await.expect(201);
        create_ref(&fixture, &format!("a/directory/new-{number}")).await.expect(201);
    }
    create_ref(&fixture, "a/directory").await.expect(422);
    create_ref(&fixture, "a/directory/new-0/below").await.expect(422);
    session.end_others().await;
    let read = "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'git_ref_pkey'";
    let entries = session.count(read).await;
    assert!(entries < EXISTING_REFS, "{NEW_REFS} new refs have read {entries} entries");
}

/// To make a plan, PostgreSQL looks up the greatest entry of the index, once more than to carry it out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_for_changes_is_planned_once() {
    let fixture = fixture().await;
    let Some(session) = Session::open(&fixture).await else { return };
    // Of transactions that have ended.
    session
        .run(&format!(
            "insert into change (changed_by, scope, pulls)
             select cast(cast(pg_current_xact_id() as text) as bigint) * i / ({CHANGES} + 1), 1, false
             from generate_series(1, {CHANGES}) i; analyze change"
        ))
        .await;
    // Those that come next find all these rows when they make their plans.
    session.end_others().await;
    let read = async || fixture.user("mona").get("/repos/acme/rocket/git/ref/heads/main").await;
    wait_until_async("the service has sessions again", async || read().await.status == 200).await;
    for _ in 0..READS {
        read().await.expect(200);
    }
    session.end_others().await;
    let scans =
        session.count("select idx_scan from pg_stat_user_indexes where indexrelname = 'change_changed_by'").await;
    assert!((READS..READS * 7 / 4).contains(&scans), "{READS} reads have scanned the index {scans} times");
}

/// A page in the middle of a list by update is read from a sparse index, as long as nothing is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deep_page_by_update_reads_few_entries() {
    const PAGES: usize = 50;
    const OFFSET: usize = 900;
    let lists = ComparedLists::new().await;
    let Some(session) = Session::open(&lists.fixture).await else { return };
    session.run("analyze review_comment").await;
    let up = lists.expected_by_update("guest", None).await;
    let down: Vec<i64> = up.iter().rev().copied().collect();
    for (direction, all) in [("asc", up), ("desc", down)] {
        let query = format!("sort=updated&direction={direction}&per_page={PER_PAGE}&page={}", OFFSET / PER_PAGE + 1);
        for _ in 0..PAGES {
            let found = read(&lists.fixture.user("guest"), &format!("{REPO_COMMENTS}?{query}")).await.0;
            assert_eq!(found, all[OFFSET..][..PER_PAGE]);
        }
    }
    session.end_others().await;
    let read = "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'review_comment_repo_updated'";
    let entries = usize::try_from(session.count(read).await).expect("a number of entries");
    assert!(entries < PAGES * OFFSET / 2, "{entries} entries were read for {} pages", 2 * PAGES);
}
