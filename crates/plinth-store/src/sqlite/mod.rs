//! The embedded engine: readers on the calling thread, and one writer thread that commits many transactions at once.

mod change_tracker;
mod group_commit;
mod pooled;
mod queued_write;
mod read_lock;
mod recovery;
mod write_actions;
mod writer;
mod writer_state;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rusqlite::config::DbConfig;

use super::{DbError, Durability, GenerationTable, Generations, Schema, Transaction, TransactionTimes, migrations};
use change_tracker::ChangeTracker;
use plinth_base::error::{Error, Result};
pub use pooled::Pooled;
use pooled::{Opened, Role};
pub use queued_write::WriteLabel;
use queued_write::{QueuedTransaction, QueuedWrite};
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
    changes: ChangeTracker,
}

impl Engine {
    pub fn open(
        file: &Path,
        durability: Durability,
        times: Arc<TransactionTimes>,
        generations: Arc<GenerationTable>,
    ) -> Result<Self> {
        if rusqlite::version_number() < OLDEST_SAFE_VERSION {
            return Err(Error::internal(format!("SQLite {} is too old to be safe", rusqlite::version())));
        }
        let cannot_open =
            |error: DbError| Error::Unavailable(format!("cannot open the database {}: {error}", file.display()));
        let mut connection = open_writer(file, durability).map_err(cannot_open)?;
        migrations::migrate_sqlite(&mut connection)?;
        let readers = [open_reader(file).map_err(cannot_open)?, open_reader(file).map_err(cannot_open)?];
        let shared = Arc::new(Shared {
            file: file.to_owned(),
            durability,
            times,
            writer: WriterState::default(),
            idle_readers: Mutex::default(),
            changes: ChangeTracker::new(readers, &connection, generations),
        });
        Ok(Self { writer: Writer::start(connection, shared.clone())?, shared })
    }

    /// A connection for reading, from the pool or new.
    pub fn reader(&self) -> Result<Pooled> {
        let idle = self.shared.idle_readers.lock().pop();
        let opened = idle.map_or_else(|| open_reader(&self.shared.file).map(Opened::reader), Ok)?;
        Ok(Pooled::new(opened, self.shared.clone(), Role::Reader))
    }

    /// Whether the writer makes progress and what it commits is durable.
    pub fn check_writer(&self) -> Result<()> {
        Ok(self.shared.writer.check()?)
    }

    pub fn generations(&self) -> Option<Generations> {
        self.shared.changes.generations()
    }

    /// The future does not contain the context, which may be large and would be moved with the future.
    pub fn write<C, T, F>(
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
        let (write, outcome) = QueuedTransaction::new(label, self.shared.times.clone(), context, work);
        let (write, writer): (Box<dyn QueuedWrite>, _) = (Box::new(write), self.writer.clone());
        let shared = self.shared.clone();
        async move {
            shared.writer.check_accepting()?;
            writer.send(write)?;
            outcome.await.map_err(|_| Error::internal("the writer thread dropped a transaction"))?
        }
    }
}

/// How the schema of a file compares with this binary's. A missing file is not created.
pub fn schema(file: &Path) -> Result<Schema> {
    if !file.try_exists()? {
        return Ok(Schema::Absent);
    }
    let connection = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE);
    let connection = connection.map_err(DbError::from)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(DbError::from)?;
    Ok(migrations::schema_sqlite(&connection)?)
}

/// A connection that sees the store as it is now for as long as it lives, whatever others commit.
pub fn snapshot(file: &Path) -> Result<Pooled, DbError> {
    // Opened read-only, SQLite could not share the index of the log with the writers.
    let connection = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true)?;
    prepare(&connection)?;
    // A transaction sees the store as of its first read.
    connection.execute_batch("begin; select count(*) from sqlite_schema")?;
    Ok(Pooled::without_engine(connection))
}

/// A connection to a file that nobody writes to. It creates no files next to it.
pub fn immutable(file: &Path) -> Result<Pooled, DbError> {
    use rusqlite::OpenFlags;
    let path =
        percent_encoding::utf8_percent_encode(&file.to_string_lossy(), percent_encoding::NON_ALPHANUMERIC).to_string();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = rusqlite::Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    prepare(&connection)?;
    Ok(Pooled::without_engine(connection))
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
    // Otherwise SQLite compiles a statement again for each bound value that might allow a partial index.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dependency, Effect, InvalidationScope};
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
        Engine::open(&file, Durability::None, Arc::default(), Arc::default()).expect("a store can be opened")
    }

    pub fn label() -> WriteLabel {
        WriteLabel { operation: "test", scope: InvalidationScope::Everything }
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
        let inside = engine.write(label, engine.clone(), move |tx, engine| {
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
        let inside = engine.write(label(), engine.clone(), move |_, engine| {
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
}
