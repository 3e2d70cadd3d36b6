//! The grouping writer: waiting transactions run one after another, each in a savepoint, and share one commit.
//!
//! A sync of the log costs milliseconds and is the same for one transaction or a hundred, so whoever arrives while
//! a commit is under way goes into the next one. Nobody is answered before the commit that holds its changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::pooled::{Opened, Role};
use super::watch::Watch;
use super::{Pooled, Shared};
use crate::db::{Connection, DbError};
use crate::error::{Error, Result};

/// Transactions that may wait; more are turned away rather than kept waiting past their time.
const QUEUE_CAPACITY: usize = 4096;
/// Transactions in one commit, so that the first does not wait for an endless queue.
const GROUP_MAX: usize = 256;

/// Runs a transaction, then says how to answer its caller once the commit is decided.
type Job = Box<dyn FnOnce(&mut Connection) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<(), &DbError>) + Send>;

#[derive(Clone)]
pub struct Writer {
    queue: SyncSender<Job>,
}

impl Writer {
    /// Gives the connection to a thread of its own, which ends with the last handle.
    pub fn start(connection: rusqlite::Connection, home: Arc<Shared>) -> Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE_CAPACITY);
        std::thread::Builder::new().name("plinth-writer".into()).spawn(move || {
            let mut connection = Connection::Sqlite(Pooled::new(Opened::new(connection), home.clone(), Role::Writer));
            while let Ok(first) = jobs.recv() {
                // Threads that are ready to run may be about to bring changes, which then share the commit.
                std::thread::yield_now();
                run_group(&mut connection, &home.watch, first, &jobs);
            }
        })?;
        Ok(Self { queue })
    }

    pub async fn run<C, T, F>(&self, context: C, work: F) -> Result<T>
    where
        C: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Connection, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let outcome = in_savepoint(connection, &context, &work);
            Box::new(move |committed| {
                let outcome = outcome.and_then(|value| match committed {
                    Ok(()) => Ok(value),
                    Err(error) => Err(Error::Unavailable(format!("the change could not be made durable: {error}"))),
                });
                // A caller that has gone away needs no answer.
                let _ = answer.send(outcome);
            })
        });
        match self.queue.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(Error::Unavailable("too many changes are waiting".into())),
            Err(TrySendError::Disconnected(_)) => return Err(Error::internal("the writer thread has ended")),
        }
        answered.await.map_err(|_| Error::internal("the writer thread dropped a change"))?
    }
}

fn run_group(connection: &mut Connection, watch: &Watch, first: Job, jobs: &Receiver<Job>) {
    if let Err(error) = statement(connection, "begin immediate") {
        return refuse_group(connection, first, &error);
    }
    let group = watch.begin();
    let mut answers = vec![first(connection)];
    // Some faults make SQLite undo the whole transaction. Then nobody else may run as if it were still there.
    while answers.len() < GROUP_MAX && is_open(connection) {
        let Ok(job) = jobs.try_recv() else { break };
        answers.push(job(connection));
    }
    let committed = statement(connection, "commit");
    if committed.is_err() {
        // A commit that failed may have left the transaction open; the next group must not inherit it.
        let _ = statement(connection, "rollback");
    }
    watch.end(&group);
    for answer in answers {
        answer(committed.as_ref().copied());
    }
}

/// Without a transaction nothing may run, so the job only learns why.
fn refuse_group(connection: &mut Connection, first: Job, error: &DbError) {
    // The job's statements would run in autocommit; query_only turns each into an error instead.
    let _ = statement(connection, "pragma query_only = on");
    first(connection)(Err(error));
    let _ = statement(connection, "pragma query_only = off");
}

fn in_savepoint<C, T>(
    connection: &mut Connection,
    context: &C,
    work: &impl for<'a> Fn(&'a mut Connection, &'a C) -> BoxFuture<'a, Result<T>>,
) -> Result<T> {
    statement(connection, "savepoint change")?;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let finished = work(connection, context).now_or_never();
        finished.unwrap_or_else(|| Err(Error::internal("a transaction waited for the outside")))
    }))
    .unwrap_or_else(|_| Err(Error::internal("a transaction panicked")));
    match outcome {
        Ok(value) => {
            statement(connection, "release change")?;
            Ok(value)
        }
        Err(error) => {
            // Where SQLite has undone the whole transaction already, there is nothing left to undo.
            if is_open(connection) {
                statement(connection, "rollback to change")?;
                statement(connection, "release change")?;
            }
            Err(error)
        }
    }
}

fn is_open(connection: &Connection) -> bool {
    let Connection::Sqlite(connection) = connection else { unreachable!("the writer owns an SQLite connection") };
    !connection.is_autocommit()
}

fn statement(connection: &mut Connection, sql: &'static str) -> Result<(), DbError> {
    let Connection::Sqlite(connection) = connection else { unreachable!("the writer owns an SQLite connection") };
    connection.prepare_cached(sql)?.raw_execute()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::db::params;
    use crate::db::sqlite::{Durability, Engine};
    use crate::error::{Error, Result};

    const ACCOUNTS: i64 = 20_000;

    async fn count(engine: &Engine, like: &'static str) -> i64 {
        let mut reader = engine.reader().expect("it can be read");
        let sql = "select count(*) from account where login like $1";
        reader.optional::<(i64,)>(sql, params![like]).expect("it runs").expect("a count is always there").0
    }

    /// Far more pages than are kept in memory for undoing: they go through a file.
    #[tokio::test]
    async fn a_change_of_many_pages_is_made_and_undone_as_a_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let engine = Engine::open(&folder.path().join("store"), Durability::None).expect("a store can be opened");
        let made = engine.write((), |tx, ()| {
            Box::pin(async move {
                for number in 0..ACCOUNTS {
                    let sql = "insert into account (kind, login, login_key, created_at, updated_at) \
                               values ('User', 'a', $1, 0, 0)";
                    tx.execute(sql, params![format!("{:040}", number * 7_919 % ACCOUNTS)]).await?;
                }
                Ok(())
            })
        });
        made.await.expect("the store takes many rows");
        let change = |to: &'static str, outcome: fn() -> Result<()>| {
            engine.write((), move |tx, ()| {
                Box::pin(async move {
                    tx.execute("update account set login = $1, login_key = login_key || 'x'", params![to]).await?;
                    outcome()
                })
            })
        };
        change("b", || Ok(())).await.expect("the store takes a change of every row");
        assert_eq!((count(&engine, "a").await, count(&engine, "b").await), (0, ACCOUNTS));
        let undone = change("c", || Err(Error::Conflict("no".into()))).await;
        assert!(matches!(undone, Err(Error::Conflict(_))));
        assert_eq!((count(&engine, "b").await, count(&engine, "c").await), (ACCOUNTS, 0));
    }
}
