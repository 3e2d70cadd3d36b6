//! How much of an index PostgreSQL reads for a write.

use super::shared_commits::{Session, create_ref, fixture};

const EXISTING_REFS: i64 = 5_000;
const NEW_REFS: i64 = 16;

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
