//! Tests of the engine: what a commit invalidates.

mod transaction_numbers;

use futures_util::future::BoxFuture;

use super::*;
use crate::Transaction;
use crate::work::{Slot, Work};
use crate::{Connection, Dependency, Effect, InvalidationScope};
use plinth_base::ids::RepoId;

const USER: &str = "insert into account (id, kind, login, login_key, created_at, updated_at) \
                    values (1, 'User', 'mona', 'mona', 0, 0)";
const REPO: &str = "insert into repo (id, owner_id, name, name_key, private, default_branch, created_at, \
                    updated_at) values (1, 1, 'a', 'a', true, 'main', 0, 0)";
const REF: &str = "insert into git_ref (repo_id, name, target, kind) values (1, 'refs/heads/a', x'00', 'commit')";
const COUNTER_AND_RIGHT: &str = "update repo set ref_generation = ref_generation + 1, private = false";
const A: InvalidationScope = InvalidationScope::Repo(RepoId(1));
const B: InvalidationScope = InvalidationScope::Repo(RepoId(2));

pub fn opened() -> (tempfile::TempDir, Engine) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let engine = open(&directory);
    (directory, engine)
}

fn open(directory: &tempfile::TempDir) -> Engine {
    let file = directory.path().join("store");
    Engine::open(&file, Durability::None, Default::default()).expect("a store can be opened")
}

pub fn label() -> WriteLabel {
    WriteLabel { operation: "test", scope: InvalidationScope::Everything }
}

/// Work without a check.
struct Unchecked<C, T, F> {
    context: C,
    work: F,
    outcome: Slot<T>,
}

impl<C, T, F> Work for Unchecked<C, T, F>
where
    C: Send + Sync,
    T: Send,
    F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync,
{
    fn expected(&self) -> Option<&crate::collections::Expected> {
        None
    }

    fn run<'a>(&'a self, tx: &'a mut Transaction) -> BoxFuture<'a, Result<()>> {
        let done = (self.work)(tx, &self.context);
        Box::pin(async move { done.await.map(|value| *self.outcome.lock() = Some(value)) })
    }
}

impl Engine {
    /// Runs `work` in a transaction without a check.
    pub fn write_unchecked<C, T, F>(
        &self,
        label: WriteLabel,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<T>> + Send + use<C, T, F>
    where
        C: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync + 'static,
    {
        let outcome = Slot::default();
        let written = self.write(label, Box::new(Unchecked { context, work, outcome: outcome.clone() }));
        async move {
            written.await?;
            let returned = outcome.lock().take();
            Ok(returned.expect("a transaction that was committed has run"))
        }
    }
}

fn now(engine: &Engine) -> Generations {
    engine.generations().expect("no transaction is being committed")
}

/// Which of rights, the content of A and the content of B are unchanged since then.
fn unchanged(engine: &Engine, since: Generations) -> [bool; 3] {
    now(engine);
    let Shared { changes, .. } = &*engine.shared;
    [Dependency::Rights, Dependency::Content(A), Dependency::Content(B)]
        .map(|dependency| changes.is_unchanged_in_group(since, dependency))
}

/// Runs a statement in a transaction for repository A. Returns what is unchanged inside the transaction and after it.
/// Readers see nothing of it before the commit.
async fn write(engine: &Engine, sql: &'static str, effect: Effect) -> Result<[[bool; 3]; 2]> {
    let before = now(engine);
    let label = WriteLabel { operation: "test", scope: A };
    let inside = engine.write_unchecked(label, engine.clone(), move |tx, engine| {
        Box::pin(async move {
            match effect {
                Effect::Content => tx.content_only().execute(sql, &[]).await?,
                _ => tx.execute(sql, &[]).await?,
            };
            assert_eq!(engine.generations(), Some(before), "readers do not see what is not committed");
            Ok(unchanged(engine, before))
        })
    });
    Ok([inside.await?, unchanged(engine, before)])
}

#[tokio::test]
async fn transaction_invalidates_what_its_statements_declare() {
    let (_directory, engine) = opened();
    for sql in [USER, REPO] {
        assert_eq!(write(&engine, sql, Effect::Rights).await.expect("it is right"), [[false; 3]; 2], "{sql}");
    }
    let after = write(&engine, REF, Effect::Content).await.expect("it is right");
    assert_eq!(after, [[true, false, true]; 2]);
    assert_eq!(unchanged(&engine, now(&engine)), [true; 3], "nothing has changed since");
}

#[tokio::test]
async fn counter_with_a_right_beside_it_invalidates_rights_or_fails() {
    let (_directory, engine) = opened();
    for sql in [USER, REPO] {
        write(&engine, sql, Effect::Rights).await.expect("it is right");
    }
    assert!(write(&engine, COUNTER_AND_RIGHT, Effect::Content).await.is_err());
    let mut reader = engine.reader().expect("it can be read");
    let private = reader.optional::<(bool,)>("select private from repo", &[]).expect("it runs");
    assert_eq!(private, Some((true,)), "a statement with a wrong declaration does not run");
    let after = write(&engine, COUNTER_AND_RIGHT, Effect::Rights).await.expect("it is right");
    assert_eq!(after, [[false; 3]; 2]);
}

#[tokio::test]
async fn commit_of_another_process_invalidates_everything() {
    let (directory, engine) = opened();
    write(&engine, USER, Effect::Rights).await.expect("it is right");
    write(&engine, REPO, Effect::Rights).await.expect("it is right");
    let before = now(&engine);
    let other = rusqlite::Connection::open(directory.path().join("store")).expect("another can open it");
    other.execute(REF, []).expect("it can write");
    assert_eq!(unchanged(&engine, before), [false; 3]);
    let before = now(&engine);
    other.execute("delete from git_ref", []).expect("it can write");
    let inside = engine.write_unchecked(label(), engine.clone(), move |_, engine| {
        let Shared { changes, .. } = &*engine.shared;
        let is_unchanged = changes.is_unchanged_in_group(before, Dependency::Rights);
        Box::pin(async move { Ok(is_unchanged) })
    });
    assert!(!inside.await.expect("it only reads"), "the writer finds it without a request");
}

#[tokio::test]
async fn read_lock_ends_with_a_commit_and_does_not_keep_the_log_from_restarting() {
    let (directory, engine) = opened();
    write(&engine, USER, Effect::Rights).await.expect("it is right");
    let check_often = || (0..20).for_each(|_| assert!(engine.generations().is_some()));
    check_often();
    assert!(engine.shared.changes.has_read_lock());
    let other = rusqlite::Connection::open(directory.path().join("store")).expect("another can open it");
    other.execute(REPO, []).expect("it can write");
    now(&engine);
    assert!(!engine.shared.changes.has_read_lock(), "another process has committed");
    for number in 0..2_000 {
        let sql = "update account set updated_at = updated_at + 1, name = hex(zeroblob(500))";
        write(&engine, sql, Effect::Rights).await.expect("it is right");
        if number % 100 == 0 {
            check_often();
            assert!(engine.shared.changes.has_read_lock());
        }
    }
    let log = std::fs::metadata(directory.path().join("store-wal")).expect("it has a log").len();
    assert!(log < 16 << 20, "the log was restarted every thousand pages: {log} bytes");
}

#[tokio::test]
async fn second_store_of_the_same_file_can_be_closed() {
    let (directory, engine) = opened();
    write(&engine, USER, Effect::Rights).await.expect("it is right");
    let before = now(&engine);
    let second = open(&directory);
    write(&second, REPO, Effect::Rights).await.expect("it is right");
    drop(second);
    assert_eq!(unchanged(&engine, before), [false; 3]);
    write(&engine, REF, Effect::Content).await.expect("the locks are still there");
}

const HOOK: &str = "insert into webhook (org_id, url, content_type, events, created_at, updated_at) \
                    values (1, 'http://a.test', 'json', '[]', 0, 0)";

/// Whether a transaction finds a hook, before and after it runs a statement.
async fn has_webhooks(engine: &Engine, sql: Option<&'static str>, fails: bool) -> [bool; 2] {
    let found = Arc::new(Mutex::new([false; 2]));
    let outcome = engine.write_unchecked(label(), found.clone(), move |tx, found| {
        Box::pin(async move {
            let before = tx.has_webhooks().await?;
            if let Some(sql) = sql {
                tx.execute(sql, &[]).await?;
            }
            *found.lock() = [before, tx.has_webhooks().await?];
            if fails { Err(Error::Conflict("no".into())) } else { Ok(()) }
        })
    });
    assert_eq!(outcome.await.is_err(), fails);
    *found.lock()
}

#[tokio::test]
async fn hooks_are_found_from_the_transaction_that_changes_them() {
    let (directory, engine) = opened();
    assert_eq!(has_webhooks(&engine, Some(USER), false).await, [false, false]);
    assert_eq!(has_webhooks(&engine, Some(HOOK), true).await, [false, true]);
    assert_eq!(has_webhooks(&engine, None, false).await, [false, false], "the hook was rolled back");
    assert_eq!(has_webhooks(&engine, Some(HOOK), false).await, [false, true]);
    assert_eq!(has_webhooks(&engine, None, false).await, [true, true]);
    let elsewhere = open(&directory);
    assert_eq!(has_webhooks(&elsewhere, Some("update webhook set active = false"), false).await, [true, false]);
    assert_eq!(has_webhooks(&engine, None, false).await, [false, false], "another process has changed it");
}

#[tokio::test]
async fn hooks_are_not_read_again_until_rights_change() {
    let (_directory, engine) = opened();
    assert_eq!(has_webhooks(&engine, Some(USER), false).await, [false, false]);
    assert_eq!(has_webhooks(&engine, None, false).await, [false, false]);
    let found = engine.write_unchecked(label(), (), |tx, ()| {
        Box::pin(async move {
            let Connection::Sqlite(connection) = &**tx else { unreachable!("the engine is SQLite") };
            // Without a declaration, so that only a read could find it.
            connection.execute_batch(HOOK).map_err(DbError::from)?;
            let unread = tx.has_webhooks().await?;
            tx.execute("update account set site_admin = true", &[]).await?;
            Ok([unread, tx.has_webhooks().await?])
        })
    });
    assert_eq!(found.await.expect("both statements run"), [false, true]);
}
