//! The embedded engine: readers in place, one writer thread that commits many transactions at once.

mod writer;

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rusqlite::config::DbConfig;

use super::{Connection, DbError, Durability, FromRow, Row, Value, migrations};
use crate::error::{Error, Result};
use writer::Writer;

/// Readers kept open between requests; more may exist for a moment.
const IDLE_READERS_MAX: usize = 32;
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
    idle_readers: Mutex<Vec<Reader>>,
    /// Counted up whenever some reader notices that another connection, of whichever process, has committed.
    state: AtomicU64,
}

/// A connection with what it has seen of the others' commits.
struct Reader {
    connection: rusqlite::Connection,
    data_version: Option<i64>,
}

impl Engine {
    pub fn open(file: &Path, durability: Durability) -> Result<Self> {
        if rusqlite::version_number() < OLDEST_SAFE_VERSION {
            return Err(Error::internal(format!("SQLite {} is too old to be safe", rusqlite::version())));
        }
        let mut connection = open_writer(file, durability)?;
        migrations::migrate_sqlite(&mut connection)?;
        let shared =
            Arc::new(Shared { file: file.to_owned(), idle_readers: Mutex::default(), state: AtomicU64::new(0) });
        Ok(Self { shared, writer: Writer::start(connection)? })
    }

    /// A connection for reading, from the pool or new.
    pub fn reader(&self) -> Result<Pooled> {
        let idle = self.shared.idle_readers.lock().pop();
        let reader = match idle {
            Some(reader) => reader,
            None => Reader { connection: open_reader(&self.shared.file)?, data_version: None },
        };
        Ok(Pooled { reader: Some(reader), home: Some(self.shared.clone()) })
    }

    /// A number that is the same as before only if nobody has committed since.
    pub fn state(&self) -> Result<u64> {
        let mut pooled = self.reader()?;
        let reader = pooled.reader.as_mut().expect("a connection is only taken when dropped");
        let version = reader
            .connection
            .prepare_cached("pragma data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)));
        let version = Some(version.map_err(DbError::from)?);
        // What one connection has seen tells nothing about what another has, so each counts for itself.
        if std::mem::replace(&mut reader.data_version, version) == version {
            return Ok(self.shared.state.load(Ordering::SeqCst));
        }
        Ok(self.shared.state.fetch_add(1, Ordering::SeqCst) + 1)
    }

    pub async fn write<C, T, F>(&self, context: C, work: F) -> Result<T>
    where
        C: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Connection, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync + 'static,
    {
        self.writer.run(context, work).await
    }
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

/// A connection that goes back to its pool, or the writer's own, which has none.
pub struct Pooled {
    reader: Option<Reader>,
    home: Option<Arc<Shared>>,
}

impl Pooled {
    fn of_writer(connection: rusqlite::Connection) -> Self {
        Self { reader: Some(Reader { connection, data_version: None }), home: None }
    }

    pub fn optional<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<R>, DbError> {
        let mut statement = self.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let mut rows = statement.raw_query();
        rows.next()?.map(|row| R::from_row(&Row::Sqlite(row))).transpose()
    }

    pub fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        let mut statement = self.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(R::from_row(&Row::Sqlite(row))?);
        }
        Ok(found)
    }

    pub fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, DbError> {
        let mut statement = self.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let count = statement.raw_execute()?;
        Ok(count as u64)
    }
}

/// To SQLite `$2` is a name like any other, numbered by where it first stands; here it means the second parameter.
fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Value<'_>]) -> Result<(), DbError> {
    for index in 1..=statement.parameter_count() {
        let number = statement.parameter_name(index).and_then(|name| name[1..].parse::<usize>().ok());
        let value = number.and_then(|number| params.get(number.checked_sub(1)?));
        let value =
            value.ok_or_else(|| DbError::Fault("a statement names a parameter that it was not given".into()))?;
        statement.raw_bind_parameter(index, value)?;
    }
    Ok(())
}

impl Deref for Pooled {
    type Target = rusqlite::Connection;

    fn deref(&self) -> &rusqlite::Connection {
        &self.reader.as_ref().expect("a connection is only taken when dropped").connection
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut rusqlite::Connection {
        &mut self.reader.as_mut().expect("a connection is only taken when dropped").connection
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let (Some(reader), Some(home)) = (self.reader.take(), &self.home) else { return };
        let mut idle = home.idle_readers.lock();
        if idle.len() < IDLE_READERS_MAX {
            idle.push(reader);
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::db::params;

    #[test]
    fn a_statement_is_compiled_once() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let engine = Engine::open(&folder.path().join("store"), Durability::None).expect("a store can be opened");
        let reader = engine.reader().expect("it can be read");
        let sql = "select u.login from token t left join account u on u.id = t.user_id \
                   where t.hash = $1 and t.ended_at is null";
        let mut statement = reader.prepare(sql).expect("the statement is right");
        for hash in [[1_u8; 32], [2; 32]] {
            bind(&mut statement, params![hash]).expect("it has one parameter");
            assert!(statement.raw_query().next().expect("it runs").is_none());
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }

    #[test]
    fn the_state_changes_when_anyone_commits_and_only_then() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("store");
        let engine = Engine::open(&file, Durability::None).expect("a store can be opened");
        let state = || engine.state().expect("the store answers");
        let first = state();
        assert_eq!(state(), first);
        let other = rusqlite::Connection::open(&file).expect("another process can open it");
        other.execute("insert into setting (name, value) values ('a', 'b')", []).expect("it can write");
        let second = state();
        assert_ne!(second, first);
        assert_eq!(state(), second);
        let readers = [engine.reader().expect("it can be read"), engine.reader().expect("it can be read")];
        let third = state();
        drop(readers);
        assert_ne!(third, second, "a new connection knows nothing of what was there before it");
    }
}
