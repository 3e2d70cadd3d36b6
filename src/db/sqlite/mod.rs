//! The embedded engine: readers in place, one writer thread that commits many transactions at once.

mod watch;
mod writer;

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rusqlite::config::DbConfig;

use super::{Connection, DbError, Durability, FromRow, Row, State, Value, migrations};
use crate::error::{Error, Result};
use watch::Watch;
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
    idle_readers: Mutex<Vec<rusqlite::Connection>>,
    /// The last field, since it must be dropped after the connections.
    watch: Watch,
}

impl Engine {
    pub fn open(file: &Path, durability: Durability) -> Result<Self> {
        if rusqlite::version_number() < OLDEST_SAFE_VERSION {
            return Err(Error::internal(format!("SQLite {} is too old to be safe", rusqlite::version())));
        }
        let mut connection = open_writer(file, durability)?;
        migrations::migrate_sqlite(&mut connection)?;
        let watch = Watch::open(file)?;
        let shared = Arc::new(Shared { file: file.to_owned(), idle_readers: Mutex::default(), watch });
        Ok(Self { writer: Writer::start(connection, shared.clone())?, shared })
    }

    /// A connection for reading, from the pool or new.
    pub fn reader(&self) -> Result<Pooled> {
        let idle = self.shared.idle_readers.lock().pop();
        let connection = idle.map_or_else(|| open_reader(&self.shared.file), Ok)?;
        Ok(Pooled { connection: Some(connection), home: self.shared.clone(), role: Role::Reader })
    }

    /// Nothing where it cannot be told.
    pub fn state(&self) -> Option<State> {
        self.shared.watch.state().ok()
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

/// A connection of the pool, to which it goes back if it is for reading.
pub struct Pooled {
    connection: Option<rusqlite::Connection>,
    home: Arc<Shared>,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Reader,
    Writer,
}

impl Pooled {
    fn of_writer(connection: rusqlite::Connection, home: Arc<Shared>) -> Self {
        Self { connection: Some(connection), home, role: Role::Writer }
    }

    pub fn state_inside(&self) -> Option<State> {
        (self.role == Role::Writer).then(|| self.home.watch.state_inside())
    }

    fn note(&self, sql: &str) {
        if self.role == Role::Writer {
            self.home.watch.note(sql);
        }
    }

    pub fn optional<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<R>, DbError> {
        self.note(sql);
        let mut statement = self.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let mut rows = statement.raw_query();
        rows.next()?.map(|row| R::from_row(&Row::Sqlite(row))).transpose()
    }

    pub fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        self.note(sql);
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
        self.note(sql);
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
        self.connection.as_ref().expect("a connection is only taken when dropped")
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut rusqlite::Connection {
        self.connection.as_mut().expect("a connection is only taken when dropped")
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let mut idle = self.home.idle_readers.lock();
        if self.role == Role::Reader && idle.len() < IDLE_READERS_MAX {
            idle.push(connection);
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

    const USER: &str = "insert into account (id, kind, login, login_key, created_at, updated_at) \
                        values (1, 'User', 'mona', 'mona', 0, 0)";
    const REPO: &str = "insert into repo (id, owner_id, name, name_key, private, default_branch, created_at, \
                        updated_at) values (1, 1, 'a', 'a', true, 'main', 0, 0)";
    const REF: &str = "insert into git_ref (repo_id, name, target, kind) values (1, 'refs/heads/a', x'00', 'commit')";

    fn opened() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let engine = Engine::open(&folder.path().join("store"), Durability::None).expect("a store can be opened");
        (folder, engine)
    }

    /// Runs a statement in the writer, and tells the state before, inside and after.
    async fn write(engine: &Engine, sql: &'static str) -> [State; 3] {
        let before = engine.state().expect("it can be told");
        let inside = engine.write((), move |tx, ()| {
            Box::pin(async move {
                tx.execute(sql, &[]).await?;
                tx.state_inside().ok_or_else(|| Error::internal("a writer knows the state"))
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
            assert!(inside.rights < after.rights, "whoever read before the commit is told again: {sql}");
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
