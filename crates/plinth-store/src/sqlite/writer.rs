//! The grouping writer: waiting transactions run one after another and share one commit.
//!
//! A sync of the log costs milliseconds and is the same for one transaction or a hundred, so whoever arrives while
//! a commit is under way goes into the next one. Nobody is answered before the commit that holds its changes.
//!
//! A transaction that fails must leave nothing behind. To be able to undo it alone, SQLite would have to copy every page
//! that any of them touches; but hardly one fails after it has written something. So a group runs without that, and where
//! it was needed after all, the group is undone as a whole and run once more, each transaction in a savepoint of its own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use super::change::Change;
use super::watch::Watch;
use super::{Pooled, Shared, writer_thread};
use crate::{Connection, DbError, Transaction};
use plinth_base::error::{Error, Result};

/// Transactions that may wait; more are turned away rather than kept waiting past their time.
const QUEUE_CAPACITY: usize = 4096;
/// Transactions in one commit, so that the first does not wait for an endless queue.
const GROUP_MAX: usize = 256;

#[derive(Clone)]
pub struct Writer {
    queue: SyncSender<Box<dyn Change>>,
}

impl Writer {
    /// Gives the connection to a thread of its own, which ends with the last handle.
    pub fn start(connection: rusqlite::Connection, home: Arc<Shared>) -> Result<Self> {
        let (queue, changes) = sync_channel(QUEUE_CAPACITY);
        let thread = std::thread::Builder::new().name("plinth-writer".into());
        thread.spawn(move || writer_thread::run(connection, &home, &changes))?;
        Ok(Self { queue })
    }

    /// Lets a change wait for its turn.
    pub fn send(&self, change: Box<dyn Change>) -> Result<()> {
        match self.queue.try_send(change) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Error::Unavailable("too many changes are waiting".into())),
            Err(TrySendError::Disconnected(_)) => Err(Error::internal("the writer thread has ended")),
        }
    }
}

pub(super) fn write_group(
    tx: &mut Transaction,
    watch: &Watch,
    first: Box<dyn Change>,
    waiting: &Receiver<Box<dyn Change>>,
) -> Result<(), DbError> {
    let mut group = vec![first];
    let mut written = in_transaction(tx, watch, |tx| make_all(tx, &mut group, waiting));
    if matches!(written, Ok(Made::Spoilt)) {
        written = in_transaction(tx, watch, |tx| make_each(tx, &mut group));
    }
    for change in group {
        change.answer(written.as_ref().map(|_| ()));
    }
    written.map(drop)
}

/// What came of a group.
enum Made {
    /// What went well can be committed.
    Sound,
    /// Something that failed has left something behind.
    Spoilt,
}

/// Runs a group and commits it, or undoes all of it.
fn in_transaction(
    tx: &mut Transaction,
    watch: &Watch,
    make: impl FnOnce(&mut Transaction) -> Result<Made, DbError>,
) -> Result<Made, DbError> {
    statement(tx, "begin immediate")?;
    let group = watch.begin();
    let ended = make(tx).and_then(|made| match made {
        Made::Sound => statement(tx, "commit").map(|()| made),
        Made::Spoilt => Ok(made),
    });
    if !matches!(ended, Ok(Made::Sound)) {
        // A commit that failed may have left the transaction open; the next group must not inherit it.
        let _ = statement(tx, "rollback");
    }
    watch.end(&group);
    ended
}

/// Runs whatever waits, until something has to be undone.
fn make_all(
    tx: &mut Transaction,
    group: &mut Vec<Box<dyn Change>>,
    waiting: &Receiver<Box<dyn Change>>,
) -> Result<Made, DbError> {
    let mut next = 0;
    while let Some(change) = group.get_mut(next) {
        let before = sqlite(tx).total_changes();
        let went_well = change.make(tx);
        check_open(tx)?;
        if !went_well && sqlite(tx).total_changes() != before {
            return Ok(Made::Spoilt);
        }
        next += 1;
        if next < GROUP_MAX {
            group.extend(waiting.try_recv());
        }
    }
    Ok(Made::Sound)
}

/// Runs a group again, undoing by themselves those that fail.
fn make_each(tx: &mut Transaction, group: &mut [Box<dyn Change>]) -> Result<Made, DbError> {
    for change in group {
        statement(tx, "savepoint change")?;
        let went_well = change.make(tx);
        check_open(tx)?;
        if !went_well {
            statement(tx, "rollback to change")?;
        }
        statement(tx, "release change")?;
    }
    Ok(Made::Sound)
}

/// Some faults make SQLite undo the whole transaction. Then nobody else may run as if it were still there.
fn check_open(tx: &mut Transaction) -> Result<(), DbError> {
    match sqlite(tx).is_autocommit() {
        true => Err(DbError::Fault("SQLite has undone the transaction".into())),
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
    use crate::sqlite::{Durability, Engine};
    use plinth_base::error::{Error, Result};

    const ACCOUNTS: i64 = 20_000;
    const INSERT: &str =
        "insert into account (kind, login, login_key, created_at, updated_at) values ('User', 'a', $1, 0, 0)";

    fn opened() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let engine = Engine::open(&folder.path().join("store"), Durability::None, Arc::default())
            .expect("a store can be opened");
        (folder, engine)
    }

    fn count(engine: &Engine, like: &'static str) -> i64 {
        let mut reader = engine.reader().expect("it can be read");
        let sql = "select count(*) from account where login like $1";
        reader.optional::<(i64,)>(sql, params![like]).expect("it runs").expect("a count is always there").0
    }

    /// Far more pages than are kept in memory for undoing: they go through a file.
    #[tokio::test]
    async fn a_change_of_many_pages_is_made_and_undone_as_a_whole() {
        let (_folder, engine) = opened();
        let made = engine.write("test", (), |tx, ()| {
            Box::pin(async move {
                for number in 0..ACCOUNTS {
                    tx.execute(INSERT, params![format!("{:040}", number * 7_919 % ACCOUNTS)]).await?;
                }
                Ok(())
            })
        });
        made.await.expect("the store takes many rows");
        let change = |to: &'static str, outcome: fn() -> Result<()>| {
            engine.write("test", (), move |tx, ()| {
                Box::pin(async move {
                    tx.execute("update account set login = $1, login_key = login_key || 'x'", params![to]).await?;
                    outcome()
                })
            })
        };
        change("b", || Ok(())).await.expect("the store takes a change of every row");
        assert_eq!((count(&engine, "a"), count(&engine, "b")), (0, ACCOUNTS));
        let undone = change("c", || Err(Error::Conflict("no".into()))).await;
        assert!(matches!(undone, Err(Error::Conflict(_))));
        assert_eq!((count(&engine, "b"), count(&engine, "c")), (ACCOUNTS, 0));
    }

    /// What a change does after its insert.
    #[derive(Clone, Copy)]
    enum Then {
        Succeed,
        Fail,
        FailAtOnce,
        Panic,
    }

    /// Lets changes wait until all of them are in one group. Tells what came of each, and how often they ran.
    async fn in_one_group(engine: &Engine, changes: Vec<(&'static str, Then)>) -> (Vec<Result<()>>, usize) {
        let runs = Arc::new(AtomicUsize::new(0));
        let (open, door) = mpsc::channel::<()>();
        let door = parking_lot::Mutex::new(door);
        let hold = engine.write("test", door, |_, door| {
            let _ = door.lock().recv();
            Box::pin(async { Ok(()) })
        });
        let waiting = changes.into_iter().map(|(key, then)| {
            engine.write("test", (key, then, runs.clone()), |tx, (key, then, runs)| {
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
        // Whoever runs again finds the door open.
        let release = async move { open.send(()).expect("the writer waits for it") };
        let (held, answers, ()) = tokio::join!(hold, futures_util::future::join_all(waiting), release);
        held.expect("the first change does nothing");
        (answers, runs.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn a_change_that_nobody_waits_for_is_not_made() {
        let (_folder, engine) = opened();
        let change =
            || engine.write("test", (), |tx, ()| Box::pin(async { Ok(tx.execute(INSERT, params!["a"]).await?) }));
        drop(change());
        assert_eq!(change().await.expect("the name is free"), 1);
        assert_eq!(count(&engine, "a"), 1);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_a_change_was_made_with_is_gone_when_it_is_answered() {
        /// Takes its time, so that whoever does not wait for it comes first.
        struct Slow(Arc<AtomicUsize>);
        impl Drop for Slow {
            fn drop(&mut self) {
                std::thread::sleep(std::time::Duration::from_millis(50));
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let (_folder, engine) = opened();
        let gone = Arc::new(AtomicUsize::new(0));
        engine.write("test", Slow(gone.clone()), |_, _| Box::pin(async { Ok(()) })).await.expect("it does nothing");
        assert_eq!(gone.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_change_that_fails_leaves_nothing_and_takes_nobody_with_it() {
        let (_folder, engine) = opened();
        for failure in [Then::Fail, Then::Panic] {
            let before = count(&engine, "a");
            let keys = [["a", "b", "c", "d"], ["e", "f", "g", "h"]][usize::from(before > 0)];
            let then = [Then::Succeed, failure, Then::Succeed, failure];
            let (answers, _) = in_one_group(&engine, keys.into_iter().zip(then).collect()).await;
            assert_eq!(answers.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true, false]);
            assert_eq!(count(&engine, "a") - before, 2);
        }
    }

    #[tokio::test]
    async fn a_change_that_fails_before_it_writes_costs_the_others_nothing() {
        let (_folder, engine) = opened();
        let changes = vec![("a", Then::Succeed), ("b", Then::FailAtOnce), ("a", Then::Succeed), ("c", Then::Succeed)];
        let (answers, runs) = in_one_group(&engine, changes).await;
        assert_eq!(
            answers.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, false, false, true],
            "one key is taken"
        );
        assert_eq!((count(&engine, "a"), runs), (2, 4));
    }
}
