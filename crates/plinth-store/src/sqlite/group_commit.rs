//! Group commit: waiting transactions run one after another and share one commit.
//!
//! A sync of the log takes milliseconds, for one transaction or for a hundred, so transactions that arrive during a commit
//! go into the next one. Nobody gets a result before the commit that has its changes.
//!
//! A transaction that fails must leave nothing behind. To roll it back alone, SQLite would have to copy every page that
//! any of them touches; but hardly one fails after it has written something. So a group runs without savepoints. If one
//! was needed after all, the whole group is rolled back and runs again, each transaction in a savepoint of its own.

use std::sync::mpsc::Receiver;

use super::Pooled;
use super::change_tracker::ChangeTracker;
use super::queued_write::QueuedWrite;
use crate::{Connection, DbError, Transaction};

/// Transactions in one commit, so that the first does not wait for an endless queue.
const GROUP_MAX: usize = 256;

/// Runs `group` and whatever else waits, commits, and returns the outcomes to the callers.
pub fn write_group(
    tx: &mut Transaction,
    changes: &ChangeTracker,
    mut group: Vec<QueuedWrite>,
    waiting: &Receiver<QueuedWrite>,
) -> Result<(), DbError> {
    let mut written = in_transaction(tx, changes, |tx| run_all(tx, changes, &mut group, waiting));
    if matches!(written, Ok(GroupOutcome::MustRollBack)) {
        written = in_transaction(tx, changes, |tx| run_each(tx, changes, &mut group));
    }
    for write in group {
        write.complete(written.as_ref().map(|_| ()));
    }
    written.map(drop)
}

enum GroupOutcome {
    CanCommit,
    /// A transaction failed after it had written something.
    MustRollBack,
}

/// Runs a group and commits it, or rolls all of it back.
fn in_transaction(
    tx: &mut Transaction,
    changes: &ChangeTracker,
    run: impl FnOnce(&mut Transaction) -> Result<GroupOutcome, DbError>,
) -> Result<GroupOutcome, DbError> {
    statement(tx, "begin immediate")?;
    let group = changes.begin(sqlite(tx));
    let ended = run(tx).and_then(|outcome| match outcome {
        GroupOutcome::CanCommit => statement(tx, "commit").map(|()| outcome),
        GroupOutcome::MustRollBack => Ok(outcome),
    });
    if !matches!(ended, Ok(GroupOutcome::CanCommit)) {
        // A commit that failed may have left the transaction open; the next group must not inherit it.
        let _ = statement(tx, "rollback");
    }
    changes.end(&group, sqlite(tx), ended.as_ref().map(|_| ()));
    ended
}

/// Runs whatever waits, until something has to be rolled back.
fn run_all(
    tx: &mut Transaction,
    changes: &ChangeTracker,
    group: &mut Vec<QueuedWrite>,
    waiting: &Receiver<QueuedWrite>,
) -> Result<GroupOutcome, DbError> {
    let mut next = 0;
    while let Some(write) = group.get_mut(next) {
        let before = sqlite(tx).total_changes();
        changes.begin_transaction();
        let succeeded = write.run(tx);
        check_open(tx)?;
        if !succeeded && sqlite(tx).total_changes() != before {
            return Ok(GroupOutcome::MustRollBack);
        }
        next += 1;
        if group.len() < GROUP_MAX {
            group.extend(waiting.try_recv());
        }
    }
    Ok(GroupOutcome::CanCommit)
}

/// Runs a group again and rolls back those that fail, each by itself.
fn run_each(tx: &mut Transaction, changes: &ChangeTracker, group: &mut [QueuedWrite]) -> Result<GroupOutcome, DbError> {
    for write in group {
        statement(tx, "savepoint change")?;
        changes.begin_transaction();
        let succeeded = write.run(tx);
        check_open(tx)?;
        if !succeeded {
            statement(tx, "rollback to change")?;
        }
        statement(tx, "release change")?;
    }
    Ok(GroupOutcome::CanCommit)
}

/// Some errors make SQLite roll back the whole transaction. Then no other transaction may run as if it were still open.
fn check_open(tx: &mut Transaction) -> Result<(), DbError> {
    match sqlite(tx).is_autocommit() {
        true => Err(DbError::Fault("SQLite has rolled back the transaction".into())),
        false => Ok(()),
    }
}

fn statement(tx: &mut Transaction, sql: &'static str) -> Result<(), DbError> {
    sqlite(tx).prepare_cached(sql)?.raw_execute()?;
    Ok(())
}

fn sqlite(tx: &Transaction) -> &Pooled {
    let Connection::Sqlite(connection) = &**tx else { unreachable!("the writer owns an SQLite connection") };
    connection
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use crate::params;
    use crate::sqlite::Engine;
    use crate::sqlite::tests::{label, opened};
    use plinth_base::error::{Error, Result};

    const ACCOUNTS: i64 = 20_000;
    const INSERT: &str =
        "insert into account (kind, login, login_key, created_at, updated_at) values ('User', 'a', $1, 0, 0)";

    fn count(engine: &Engine, like: &'static str) -> i64 {
        let mut reader = engine.reader().expect("it can be read");
        let sql = "select count(*) from account where login like $1";
        reader.optional::<(i64,)>(sql, params![like]).expect("it runs").expect("a count is always there").0
    }

    /// Far more pages than the journal keeps in memory: they go through a file.
    #[tokio::test]
    async fn transaction_of_many_pages_commits_and_rolls_back_as_a_whole() {
        let (_directory, engine) = opened();
        let inserted = engine.write_unchecked(label(), (), |tx, ()| {
            Box::pin(async move {
                for number in 0..ACCOUNTS {
                    tx.execute(INSERT, params![format!("{:040}", number * 7_919 % ACCOUNTS)]).await?;
                }
                Ok(())
            })
        });
        inserted.await.expect("the store takes many rows");
        let change = |to: &'static str, outcome: fn() -> Result<()>| {
            engine.write_unchecked(label(), (), move |tx, ()| {
                Box::pin(async move {
                    tx.execute("update account set login = $1, login_key = login_key || 'x'", params![to]).await?;
                    outcome()
                })
            })
        };
        change("b", || Ok(())).await.expect("the store takes a change of every row");
        assert_eq!((count(&engine, "a"), count(&engine, "b")), (0, ACCOUNTS));
        let rolled_back = change("c", || Err(Error::Conflict("no".into()))).await;
        assert!(matches!(rolled_back, Err(Error::Conflict(_))));
        assert_eq!((count(&engine, "b"), count(&engine, "c")), (ACCOUNTS, 0));
    }

    /// What a transaction does after its insert.
    #[derive(Clone, Copy)]
    enum Then {
        Succeed,
        Fail,
        FailAtOnce,
        Panic,
    }

    /// Lets transactions wait until all of them are in one group. Returns their outcomes, and how often they ran.
    async fn in_one_group(engine: &Engine, changes: Vec<(&'static str, Then)>) -> (Vec<Result<()>>, usize) {
        let runs = Arc::new(AtomicUsize::new(0));
        let (release, released) = mpsc::channel::<()>();
        let released = parking_lot::Mutex::new(released);
        let first = engine.write_unchecked(label(), released, |_, released| {
            let _ = released.lock().recv();
            Box::pin(async { Ok(()) })
        });
        let waiting = changes.into_iter().map(|(key, then)| {
            engine.write_unchecked(label(), (key, then, runs.clone()), |tx, (key, then, runs)| {
                Box::pin(async move {
                    runs.fetch_add(1, Ordering::Relaxed);
                    if !matches!(then, Then::FailAtOnce) {
                        tx.execute(INSERT, params![*key]).await?;
                    }
                    match then {
                        Then::Succeed => Ok(()),
                        Then::Fail | Then::FailAtOnce => Err(Error::Conflict("no".into())),
                        Then::Panic => panic!("on purpose"),
                    }
                })
            })
        });
        // The sender is dropped afterwards, so that a second run does not wait.
        let release = async move { release.send(()).expect("the writer waits for it") };
        let (first, outcomes, ()) = tokio::join!(first, futures_util::future::join_all(waiting), release);
        first.expect("the first transaction does nothing");
        (outcomes, runs.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn transaction_is_not_queued_before_its_future_is_polled() {
        let (_directory, engine) = opened();
        let change = || {
            engine
                .write_unchecked(label(), (), |tx, ()| Box::pin(async { Ok(tx.execute(INSERT, params!["a"]).await?) }))
        };
        drop(change());
        assert_eq!(change().await.expect("the name is free"), 1);
        assert_eq!(count(&engine, "a"), 1);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn context_is_dropped_before_the_caller_is_notified() {
        /// Slow, so that the test fails if the caller is notified first.
        struct Slow(Arc<AtomicUsize>);
        impl Drop for Slow {
            fn drop(&mut self) {
                std::thread::sleep(std::time::Duration::from_millis(50));
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let (_directory, engine) = opened();
        let dropped = Arc::new(AtomicUsize::new(0));
        engine
            .write_unchecked(label(), Slow(dropped.clone()), |_, _| Box::pin(async { Ok(()) }))
            .await
            .expect("it does nothing");
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn failing_transaction_leaves_nothing_and_does_not_affect_its_group() {
        let (_directory, engine) = opened();
        for failure in [Then::Fail, Then::Panic] {
            let before = count(&engine, "a");
            let keys = [["a", "b", "c", "d"], ["e", "f", "g", "h"]][usize::from(before > 0)];
            let then = [Then::Succeed, failure, Then::Succeed, failure];
            let (outcomes, _) = in_one_group(&engine, keys.into_iter().zip(then).collect()).await;
            assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true, false]);
            assert_eq!(count(&engine, "a") - before, 2);
        }
    }

    #[tokio::test]
    async fn transaction_that_fails_before_it_writes_does_not_rerun_its_group() {
        let (_directory, engine) = opened();
        let changes = vec![("a", Then::Succeed), ("b", Then::FailAtOnce), ("a", Then::Succeed), ("c", Then::Succeed)];
        let (outcomes, runs) = in_one_group(&engine, changes).await;
        assert_eq!(
            outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, false, false, true],
            "one key is taken"
        );
        assert_eq!((count(&engine, "a"), runs), (2, 4));
    }
}
