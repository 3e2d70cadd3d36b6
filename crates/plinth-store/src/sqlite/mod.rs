//! The embedded engine: readers on the calling thread, and one writer thread that commits many transactions at once.

mod change_tracker;
mod group_commit;
mod pooled;
mod queued_write;
mod read_lock;
mod recovery;
#[cfg(test)]
mod tests;
mod write_actions;
mod writer;
mod writer_state;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use tokio::sync::Notify;

use super::{DbError, Durability, GenerationTable, Generations, Schema, TransactionTimes, migrations};
use crate::work::Work;
use change_tracker::ChangeTracker;
use plinth_base::error::{Error, Result};
pub use pooled::Pooled;
use pooled::{Opened, Role};
use queued_write::QueuedWrite;
pub use queued_write::WriteLabel;
use writer::Writer;
use writer_state::WriterState;

const STATEMENT_CACHE_CAPACITY: usize = 512;
/// Pages that the writer keeps from one commit to the next.
const WRITER_CACHE_KIB: i64 = 32 * 1024;
/// Pages that a reader keeps as long as nobody commits.
const READER_CACHE_KIB: i64 = 4 * 1024;
/// Pages of the log after which they are copied into the database: 32 MiB. The writer thread copies them, each page once, however often
/// it was written to, so with the default of 1,000 the pages that every write changes are copied every hundred writes.
const CHECKPOINT_PAGES: i64 = 8_192;
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
    signal: Arc<Notify>,
    idle_readers: Mutex<Vec<Opened>>,
    changes: ChangeTracker,
}

impl Engine {
    pub fn open(
        file: &Path,
        durability: Durability,
        (times, generations, signal): (Arc<TransactionTimes>, Arc<GenerationTable>, Arc<Notify>),
    ) -> Result<Self> {
        if rusqlite::version_number() < OLDEST_SAFE_VERSION {
            return Err(Error::internal(format!("SQLite {} is too old to be safe", rusqlite::version())));
        }
        let cannot_open =
            |error: DbError| Error::Unavailable(format!("cannot open the database {}: {error}", file.display()));
        let mut connection = open_writer(file, durability).map_err(cannot_open)?;
        migrations::migrate_sqlite(&mut connection)?;
        let open_reader = || open_reader(file, durability).map_err(cannot_open);
        let readers = [open_reader()?, open_reader()?];
        if durability == Durability::PowerCut {
            sync_directory_of(file)?;
        }
        let shared = Arc::new(Shared {
            file: file.to_owned(),
            durability,
            times,
            signal,
            writer: WriterState::default(),
            idle_readers: Mutex::default(),
            changes: ChangeTracker::new(readers, &connection, generations),
        });
        Ok(Self { writer: Writer::start(connection, shared.clone())?, shared })
    }

    /// A connection for reading, from the pool or new.
    pub fn reader(&self) -> Result<Pooled> {
        let idle = self.shared.idle_readers.lock().pop();
        let Shared { file, durability, .. } = &*self.shared;
        let opened = idle.map_or_else(|| open_reader(file, *durability).map(Opened::reader), Ok)?;
        Ok(Pooled::new(opened, self.shared.clone(), Role::Reader))
    }

    /// Whether the writer makes progress and what it commits is durable.
    pub fn check_writer(&self) -> Result<()> {
        Ok(self.shared.writer.check()?)
    }

    pub fn generations(&self) -> Option<Generations> {
        self.shared.changes.generations()
    }

    /// Runs the work in a transaction, once the future is polled.
    pub fn write(&self, label: WriteLabel, work: Box<dyn Work>) -> impl Future<Output = Result<()>> + Send + use<> {
        let (write, outcome) = QueuedWrite::new(label, self.shared.times.clone(), work);
        let (shared, writer) = (self.shared.clone(), self.writer.clone());
        async move {
            shared.writer.check_accepting()?;
            writer.send(write)?;
            outcome.await.map_err(|_| Error::internal("the writer thread dropped a transaction"))?
        }
    }
}

/// Makes the names of the database and of its log durable. SQLite does this with the first commit, and ignores a failure:
/// a power cut could then remove the log with everything in it.
fn sync_directory_of(file: &Path) -> Result<()> {
    let directory = file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let synced = std::fs::File::open(directory).and_then(|opened| opened.sync_all());
    synced.map_err(|error| {
        Error::Unavailable(format!("cannot sync the directory {} of the database: {error}", directory.display()))
    })
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
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    prepare(&connection)?;
    skip_last_checkpoint(&connection, durability)?;
    Ok(connection)
}

fn open_reader(file: &Path, durability: Durability) -> Result<rusqlite::Connection, DbError> {
    let connection = rusqlite::Connection::open(file)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    prepare(&connection)?;
    skip_last_checkpoint(&connection, durability)?;
    Ok(connection)
}

/// The last connection that closes copies the log into the database, which takes longer than the rest, and the files of
/// test servers are removed then.
fn skip_last_checkpoint(connection: &rusqlite::Connection, durability: Durability) -> Result<(), DbError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, durability == Durability::None)?;
    Ok(())
}

fn prepare(connection: &rusqlite::Connection) -> Result<(), DbError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Otherwise SQLite compiles a statement again for each bound value that might allow a partial index.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    Ok(())
}
