//! No transaction of a removal touches more rows than its limit.

use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_core::repos::deletion::{self, Batch, Part};
use plinth_store::{Store, Transaction, params};

use super::{ROWS, count, rows};
use crate::support::fixtures::StateFile;
use crate::support::wait::wait_until_async;
use crate::support::{Service, Tester};

/// `mona/large`, after which `mona/small` has the same kinds of rows.
const LARGE: RepoId = RepoId(1);
const SMALL: RepoId = RepoId(2);
const LIMIT: i64 = 7;
const USERS: [&str; 9] = ["mona", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"];
/// Rows of each kind.
const MANY: i64 = 24;
/// The first of them have 4 MB each, of which three are more than a transaction may remove.
const LARGE_OBJECTS: i64 = 4;
const REFS: i64 = 5_000;

async fn service() -> Service {
    let state = StateFile::default().users(&USERS).repo("mona/large", "").repo("mona/small", "").classic(
        "mona",
        "repo, delete_repo",
        "ghp_monamona",
    );
    Service::with(&state.to_string()).await
}

/// Adds [`MANY`] rows to each table, with as many children of one row as there can be.
async fn fill(tx: &mut Transaction, repo: RepoId) -> Result<()> {
    let first = repo.0 * 1_000;
    for n in first..first + MANY {
        let version = n - first;
        let text = format!("refs/heads/{n:06}");
        tx.execute("insert into git_ref values ($1, $2, $3, 'commit')", params![repo, text, vec![0u8; 20]]).await?;
        let sql = "insert into git_object (repo_id, sha, kind, data, created_at) values ($1, $2, 'blob', $3, 1)";
        tx.execute(
            sql,
            params![
                repo,
                format!("{n:020}").into_bytes(),
                vec![0u8; if version < LARGE_OBJECTS { 4_000_000 } else { 10 }]
            ],
        )
        .await?;
        tx.execute("insert into contributor values ($1, $2)", params![repo, text]).await?;
        let sql = "insert into pull (id, repo_id, number, title, state, draft, head_ref, base_ref, review_comments, \
                   version, created_at, updated_at) values ($1, $2, $3, 'a', 'open', false, 'a', 'b', 0, 0, 1, 1)";
        tx.execute(sql, params![n, repo, version + 1]).await?;
        let sql =
            "insert into pull_version (pull_id, number, base_sha, head_sha, created_at) values ($1, $2, $3, $3, 1)";
        tx.execute(sql, params![first, version, vec![0u8; 20]]).await?;
        tx.execute("insert into review_request values ($1, 1, 1)", params![n]).await?;
        fill_issue(tx, repo, (n, first)).await?;
        let sql = "insert into review (id, repo_id, pull_id, state, body, commit_sha, created_at) \
                   values ($1, $2, $3, 'COMMENTED', '', $4, 1)";
        tx.execute(sql, params![n, repo, first, vec![0u8; 20]]).await?;
        let sql = "insert into review_thread (id, repo_id, pull_id, version, base_sha, head_sha, path, diff_hunk) \
                   values ($1, $2, $3, 0, $4, $4, 'a', $4)";
        tx.execute(sql, params![n, repo, first, vec![0u8; 20]]).await?;
        let sql = "insert into review_thread_place (thread_id, base_sha, head_sha, commit_sha) values ($1, $2, $3, $3)";
        tx.execute(sql, params![first, format!("{n:020}").into_bytes(), vec![0u8; 20]]).await?;
        let sql = "insert into review_comment (id, repo_id, pull_id, review_id, thread_id, in_reply_to_id, pending, body, \
                   created_at, updated_at) values ($1, $2, $3, $3, $3, $4, false, 'a', 1, 1)";
        tx.execute(sql, params![n, repo, first, (n > first).then_some(first)]).await?;
        let sql = "insert into commit_status (id, repo_id, sha, context, context_key, number, latest, state, created_at) \
                   values ($1, $2, $3, 'a', 'a', $4, false, 'success', 1)";
        tx.execute(sql, params![n, repo, vec![0u8; 20], version + 1]).await?;
        let sql = "insert into release (id, repo_id, tag_name, target, draft, prerelease, created_at, updated_at) \
                   values ($1, $2, $3, 'a', true, false, 1, 1)";
        tx.execute(sql, params![n, repo, text]).await?;
        let sql = "insert into release_asset (id, repo_id, release_id, name, content_type, state, size, created_at, \
                   updated_at) values ($1, $2, $3, $4, 'a', 'uploaded', 1, 1, 1)";
        tx.execute(sql, params![n, repo, first, text]).await?;
        let sql = "insert into release_asset_chunk (asset_id, number, data) values ($1, $2, $3)";
        tx.execute(sql, params![first, version, vec![0u8; 10]]).await?;
        let sql = "insert into token (id, hash, kind, hint, created_at) values ($1, $2, 'installation', 'a', 1)";
        tx.execute(sql, params![n, format!("{n:020}").into_bytes()]).await?;
        tx.execute("insert into token_repo values ($1, $2)", params![n, repo]).await?;
        let sql = "insert into webhook (id, repo_id, url, content_type, events, created_at, updated_at) \
                   values ($1, $2, 'a', 'json', '[]', 1, 1)";
        tx.execute(sql, params![n, repo]).await?;
        let sql = "insert into webhook_message (id, webhook_id, guid, event, payload, created_at) \
                   values ($1, $2, 'a', 'push', '{}', 1)";
        tx.execute(sql, params![n, first]).await?;
        let sql = "insert into webhook_delivery (id, message_id, webhook_id, due_at) values ($1, $2, $3, 1)";
        tx.execute(sql, params![n, first, first]).await?;
    }
    for (_, user) in USERS.iter().zip(1i64..) {
        let sql = "insert into notification (user_id, repo_id, pull_id, reason, unread, updated_at) \
                   values ($1, $2, $3, 'author', true, 1)";
        tx.execute(sql, params![user, repo, first]).await?;
    }
    Ok(())
}

/// Adds an issue and a label, and rows of the first issue.
async fn fill_issue(tx: &mut Transaction, repo: RepoId, (n, first): (i64, i64)) -> Result<()> {
    let sql = "insert into conversation (id, repo_id, number, is_pull) values ($1, $2, $1, false)";
    tx.execute(sql, params![n, repo]).await?;
    let sql = "insert into issue (id, repo_id, number, title, state, created_at, updated_at) \
               values ($1, $2, $1, 'a', 'open', 1, 1)";
    tx.execute(sql, params![n, repo]).await?;
    let sql = "insert into issue_comment (id, repo_id, conversation_id, body, created_at, updated_at) \
               values ($1, $2, $3, 'a', 1, 1)";
    tx.execute(sql, params![n, repo, first]).await?;
    let name = format!("label {n}");
    let sql = "insert into label (id, repo_id, name, name_key, color) values ($1, $2, $3, $3, '000000')";
    tx.execute(sql, params![n, repo, name]).await?;
    tx.execute("insert into issue_label values ($1, $2)", params![first, n]).await?;
    tx.execute("insert into issue_assignee values ($1, 1, 1)", params![n]).await?;
    tx.execute("insert into issue_mention values ($1, 1)", params![n]).await?;
    let sql = "insert into issue_field (id, org_id, name, name_key, data_type, visibility, created_at, updated_at) \
               values ($1, 1, $2, $2, 'single_select', 'all', 1, 1)";
    tx.execute(sql, params![n, name]).await?;
    let sql = "insert into issue_field_option (id, issue_field_id, name, color, priority, created_at, updated_at) \
               values ($1, $1, 'a', 'red', 1, 1, 1)";
    tx.execute(sql, params![n]).await?;
    tx.execute("insert into issue_field_value (conversation_id, issue_field_id) values ($1, $2)", params![first, n])
        .await?;
    tx.execute("insert into issue_field_value_option values ($1, $2)", params![first, n]).await?;
    let sql = "insert into project (id, owner_id, number, title, public, created_at, updated_at) \
               values ($1, 1, $1, 'a', true, 1, 1)";
    tx.execute(sql, params![n]).await?;
    let sql = "insert into project_field (id, project_id, name, name_key, data_type, created_at, updated_at) \
               values ($1, $1, 'a', 'a', 'text', 1, 1)";
    tx.execute(sql, params![n]).await?;
    let sql = "insert into project_item (id, project_id, conversation_id, created_at, updated_at) \
               values ($1, $1, $2, 1, 1)";
    tx.execute(sql, params![n, first]).await?;
    tx.execute("insert into project_item_value values ($1, $1, 'a')", params![n]).await?;
    Ok(())
}

async fn remove_batch(store: &Store, part: Part) -> Batch {
    let work = store
        .write(Tester, part, |tx, part| Box::pin(async move { deletion::remove_batch(tx, LARGE, *part, LIMIT).await }));
    work.await.expect("the store accepts the change")
}

/// Replies whose comment is not known any more.
async fn strays(store: &Store) -> i64 {
    let sql = "select count(*) from review_comment where in_reply_to_id is null and id <> review_id";
    store.read().await.expect("readable").one::<(i64,)>(sql, &[]).await.expect("readable").0
}

#[tokio::test]
async fn each_transaction_removes_rows_of_one_table_within_its_limit() {
    let service = service().await;
    let store = &service.store;
    let filled = store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            fill(tx, LARGE).await?;
            fill(tx, SMALL).await?;
            deletion::mark(tx, LARGE).await
        })
    });
    filled.await.expect("the store accepts the rows");
    let of_small = rows(store, SMALL).await;
    let mut objects = Vec::new();
    for part in [Part::Content, Part::Everything] {
        loop {
            let before = rows(store, LARGE).await;
            let batch = remove_batch(store, part).await;
            let after = rows(store, LARGE).await;
            let removed = |index: usize| before[index].1 - after[index].1;
            let touched: Vec<_> = (0..ROWS.len()).filter(|index| removed(*index) > 0).collect();
            assert_eq!(strays(store).await, 0, "a reply was changed");
            match batch {
                Batch::Finished if part == Part::Content => assert!(touched.is_empty()),
                Batch::Finished => {
                    assert_eq!((touched, count(store, LARGE).await), (vec![0], 0), "only the repository");
                }
                Batch::Removed(reported) => {
                    let [table] = touched[..] else { panic!("{before:?} became {after:?}") };
                    assert!(removed(table) <= LIMIT, "{before:?} became {after:?}");
                    assert_eq!(i64::try_from(reported).expect("few"), removed(table), "{}", ROWS[table].0);
                    if ROWS[table].0 == "git_object" {
                        objects.push(removed(table));
                    }
                }
            }
            if batch == Batch::Finished {
                break;
            }
        }
    }
    assert_eq!(objects, [3, 7, 7, 7], "the sizes of objects are limited, too");
    assert_eq!(rows(store, SMALL).await, of_small);
}

#[tokio::test]
async fn deletion_of_many_refs_takes_many_transactions() {
    let service = service().await;
    let filled = service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            for number in 0..REFS {
                let (name, target) = (format!("refs/heads/{number:06}"), vec![0u8; 20]);
                tx.execute("insert into git_ref values ($1, $2, $3, 'commit')", params![LARGE, name, target]).await?;
            }
            Ok(())
        })
    });
    filled.await.expect("the store accepts the rows");
    let transactions = || service.app.transaction_times().histogram().counts.iter().sum::<u64>();
    let before = transactions();
    service.with_token("ghp_monamona").delete("/repos/mona/large").await.expect(204);
    wait_until_async("all rows are removed", async || count(&service.store, LARGE).await == 0).await;
    let least = u64::try_from(REFS / deletion::TRANSACTION_ROWS_MAX).expect("few");
    let made = transactions() - before;
    assert!(made > least && least >= 10, "{REFS} refs took {made} transactions");
}
