//! The embedded engine: readers in place, one writer thread that commits many transactions at once.

mod change;
mod pooled;
mod recovery;
mod watch;
mod writer;
mod writer_state;
mod writer_thread;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rusqlite::config::DbConfig;

use super::{DbError, Durability, Generations, Schema, Transaction, TransactionTimes, migrations};
use change::{Change, Waiting};
use plinth_base::error::{Error, Result};
pub use pooled::Pooled;
use pooled::{Opened, Role};
use watch::Watch;
use writer::Writer;
use writer_state::WriterState;

const STATEMENT_CACHE_CAPACITY: usize = 512;
const BUSY_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);
/// Older releases could corrupt the write-ahead log when two connections wrote at once.
const OLDEST_SAFE_VERSION: i32 = 3_051_003;

#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    writer: Writer,
}

struct Shared {
    file: PathBuf,
    durability: Durability,
    writer: WriterState,
    times: Arc<TransactionTimes>,
    idle_readers: Mutex<Vec<Opened>>,
    /// The last field, since it must be dropped after the connections.
    watch: Watch,
}

impl Engine {
    pub fn open(file: &Path, durability: Durability, times: Arc<TransactionTimes>) -> Result<Self> {
        if rusqlite::version_number() < OLDEST_SAFE_VERSION {
            return Err(Error::internal(format!("SQLite {} is too old to be safe", rusqlite::version())));
        }
        let cannot_open = |error: &dyn std::fmt::Display| {
            Error::Unavailable(format!("cannot open the database {}: {error}", file.display()))
        };
        let mut connection = open_writer(file, durability).map_err(|error| cannot_open(&error))?;
        migrations::migrate_sqlite(&mut connection)?;
        let watch = Watch::open(file).map_err(|error| cannot_open(&error))?;
        let shared = Arc::new(Shared {
            file: file.to_owned(),
            durability,
            times,
            writer: WriterState::default(),
            idle_readers: Mutex::default(),
            watch,
        });
        Ok(Self { writer: Writer::start(connection, shared.clone())?, shared })
    }

    /// A connection for reading, from the pool or new.
    pub fn reader(&self) -> Result<Pooled> {
        let idle = self.shared.idle_readers.lock().pop();
        let opened = idle.map_or_else(|| open_reader(&self.shared.file).map(Opened::new), Ok)?;
        Ok(Pooled::new(opened, self.shared.clone(), Role::Reader))
    }

    /// Whether the writer makes progress and what it commits is durable.
    pub fn check_writer(&self) -> Result<()> {
        Ok(self.shared.writer.check()?)
    }

    /// Nothing where it cannot be told.
    pub fn state(&self) -> Option<Generations> {
        self.shared.watch.state().ok()
    }

    /// The future does not hold the context itself, which may be large and would be moved by everyone who waits with it.
    pub fn write<C, T, F>(
        &self,
        operation: &'static str,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<T>> + Send + use<C, T, F>
    where
        C: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync + 'static,
    {
        let (change, answered) = Waiting::new(operation, self.shared.times.clone(), context, work);
        let (change, writer): (Box<dyn Change>, _) = (Box::new(change), self.writer.clone());
        let shared = self.shared.clone();
        async move {
            shared.writer.check_accepting()?;
            writer.send(change)?;
            answered.await.map_err(|_| Error::internal("the writer thread dropped a change"))?
        }
    }
}

/// How the schema of a file compares with this binary's. A file that is not there is not made.
pub fn schema(file: &Path) -> Result<Schema> {
    if !file.try_exists()? {
        return Ok(Schema::Absent);
    }
    let connection = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE);
    let connection = connection.map_err(DbError::from)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(DbError::from)?;
    Ok(migrations::schema_sqlite(&connection)?)
}

/// A connection that sees the store as it is now, for as long as it lives, whatever others commit.
pub fn snapshot(file: &Path) -> Result<Pooled, DbError> {
    // Without the right to write, SQLite could not share the index of the log with the writers.
    let connection = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true)?;
    prepare(&connection)?;
    // The transaction sees what is there when it first reads.
    connection.execute_batch("begin; select count(*) from sqlite_schema")?;
    Ok(Pooled::alone(connection))
}

/// A connection to a file that nobody writes to. Nothing is made beside it.
pub fn immutable(file: &Path) -> Result<Pooled, DbError> {
    use rusqlite::OpenFlags;
    let path =
        percent_encoding::utf8_percent_encode(&file.to_string_lossy(), percent_encoding::NON_ALPHANUMERIC).to_string();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = rusqlite::Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    prepare(&connection)?;
    Ok(Pooled::alone(connection))
}

fn open_writer(file: &Path, durability: Durability) -> Result<rusqlite::Connection, DbError> {
    let connection = rusqlite::Connection::open(file)?;
    let synchronous = match durability {
        Durability::PowerCut => "FULL",
        Durability::ProcessCrash => "NORMAL",
        Durability::None => "OFF",
    };
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    prepare(&connection)?;
    Ok(connection)
}

fn open_reader(file: &Path) -> Result<rusqlite::Connection, DbError> {
    let connection = rusqlite::Connection::open(file)?;
    connection.pragma_update(None, "query_only", true)?;
    prepare(&connection)?;
    Ok(connection)
}

fn prepare(connection: &rusqlite::Connection) -> Result<(), DbError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Otherwise a value that might allow a partial index has its statement compiled anew each time it is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = "insert into account (id, kind, login, login_key, created_at, updated_at) \
                        values (1, 'User', 'mona', 'mona', 0, 0)";
    const REPO: &str = "insert into repo (id, owner_id, name, name_key, private, default_branch, created_at, \
                        updated_at) values (1, 1, 'a', 'a', true, 'main', 0, 0)";
    const REF: &str = "insert into git_ref (repo_id, name, target, kind) values (1, 'refs/heads/a', x'00', 'commit')";

    fn opened() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let engine = Engine::open(&folder.path().join("store"), Durability::None, Arc::default())
            .expect("a store can be opened");
        (folder, engine)
    }

    /// Runs a statement in the writer, and tells the state before, inside and after. While it runs, readers see the
    /// state of before.
    async fn write(engine: &Engine, sql: &'static str) -> [Generations; 3] {
        let before = engine.state().expect("it can be told");
        let inside = engine.write("test", engine.clone(), move |tx, engine| {
            Box::pin(async move {
                tx.execute(sql, &[]).await?;
                assert_eq!(engine.state(), Some(before), "what is not committed moves nothing for readers");
                tx.generations_inside().ok_or_else(|| Error::internal("a writer knows the state"))
            })
        });
        [before, inside.await.expect("the statement is right"), engine.state().expect("it can be told")]
    }

    #[tokio::test]
    async fn what_the_writer_changes_counts_by_what_it_is_about() {
        let (_folder, engine) = opened();
        for sql in [USER, REPO] {
            let [before, inside, after] = write(&engine, sql).await;
            assert!(before.rights < inside.rights, "the change is known inside of its own transaction: {sql}");
            assert!(before.rights < after.rights, "whoever read before the commit finds another number: {sql}");
            assert!(before.changes < after.changes, "{sql}");
        }
        let [before, inside, after] = write(&engine, REF).await;
        assert_eq!([before.rights; 2], [inside.rights, after.rights]);
        assert!(before.changes < after.changes);
        assert_eq!(engine.state(), Some(after), "nothing has changed since");
    }

    #[tokio::test]
    async fn what_others_commit_may_be_anything() {
        let (folder, engine) = opened();
        write(&engine, USER).await;
        write(&engine, REPO).await;
        let before = engine.state().expect("it can be told");
        let other = rusqlite::Connection::open(folder.path().join("store")).expect("another can open it");
        other.execute(REF, []).expect("it can write");
        let after = engine.state().expect("it can be told");
        assert!(before.changes < after.changes && before.rights < after.rights);
        other.execute("delete from git_ref", []).expect("it can write");
        let [_, inside, _] = write(&engine, REF).await;
        assert!(after.rights < inside.rights, "the writer notices it by itself");
    }
}
