//! The store: one connection type with two engines behind it, and the only place that names either.
//!
//! Reads take a pooled connection in place. Every change goes through [`Store::write`], which checks the authority to
//! write and then runs a re-runnable closure, both in one transaction: on SQLite one after another on the writer thread,
//! many to a commit; on PostgreSQL each in a serializable transaction of its own that is run again when the database asks
//! for it.

mod backup;
mod dump;
mod error;
mod git_columns;
mod integrity;
mod migrations;
mod node;
mod owner;
mod postgres;
mod remembered;
mod row;
mod sqlite;
mod state;
mod timing;
mod transaction;
mod value;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{BoxFuture, Either};

pub use backup::{Dump, Snapshot, check_copy, restore_postgres};
pub use error::DbError;
pub use migrations::Schema;
pub use node::{Node, host_name};
pub use remembered::{GenerationCache, Memories};
pub use row::{Column, FromRow, Row};
pub use state::Generations;
pub use timing::{BUCKETS as TRANSACTION_BUCKETS, Histogram, TRANSACTION_TIME_MAX, TransactionTimes};
pub use transaction::{Transaction, WriteAuthority};
pub use value::{Parameter, Value};

// For the macros.
#[doc(hidden)]
pub use plinth_base;

use plinth_base::error::Result;

/// Where the data lives.
#[derive(Debug, Clone)]
pub enum Location {
    Sqlite { file: PathBuf, durability: Durability },
    Postgres { url: String, connections_max: usize },
}

/// What an acknowledged write has survived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A power cut: the log is synced before the answer.
    PowerCut,
    /// A crash of the process, not of the machine. Only for comparing with `PowerCut`.
    ProcessCrash,
    /// Nothing: the data goes with the process anyway.
    None,
}

/// A handle on all data; cheap to clone.
#[derive(Clone)]
pub struct Store {
    engine: Engine,
    times: Arc<TransactionTimes>,
}

#[derive(Clone)]
enum Engine {
    Sqlite(sqlite::Engine),
    Postgres(postgres::Engine),
}

impl Store {
    /// Opens the store and brings its schema up to this binary's version.
    pub async fn open(location: &Location) -> Result<Self> {
        let times = Arc::<TransactionTimes>::default();
        let engine = match location {
            Location::Sqlite { file, durability } => {
                Engine::Sqlite(sqlite::Engine::open(file, *durability, times.clone())?)
            }
            Location::Postgres { url, connections_max } => {
                let engine = postgres::Engine::open(url, *connections_max, times.clone(), None)?;
                engine.migrate().await?;
                Engine::Postgres(engine)
            }
        };
        Ok(Self { engine, times })
    }

    /// Opens the store as the one node that serves it. A PostgreSQL database that another node serves is refused before
    /// anything in it is changed; an embedded store is guarded by the lock of its directory.
    pub async fn open_as(location: &Location, node: &Node) -> Result<Self> {
        let Location::Postgres { url, connections_max } = location else { return Self::open(location).await };
        let owner = Arc::new(owner::Ownership::take(url, node).await?);
        let times = Arc::<TransactionTimes>::default();
        let engine = postgres::Engine::open(url, *connections_max, times.clone(), Some(owner))?;
        engine.migrate().await?;
        let store = Self { engine: Engine::Postgres(engine), times };
        store.record_node(node).await?;
        Ok(store)
    }

    /// How the schema compares with this binary's; changes nothing and makes nothing.
    pub async fn schema(location: &Location) -> Result<Schema> {
        match location {
            Location::Sqlite { file, .. } => sqlite::schema(file),
            Location::Postgres { url, .. } => postgres::Engine::open_one(url)?.schema().await,
        }
    }

    /// A connection for reading. On SQLite its calls are finished when first polled.
    pub async fn read(&self) -> Result<Connection> {
        Ok(match &self.engine {
            Engine::Sqlite(engine) => Connection::Sqlite(engine.reader()?),
            Engine::Postgres(engine) => Connection::Postgres(engine.client().await?),
        })
    }

    /// The state of now, for whoever wants to know later whether something has changed. Not every engine can tell.
    pub fn state(&self) -> Option<Generations> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.state(),
            Engine::Postgres(_) => None,
        }
    }

    /// Checks `authority` and runs `work` in one transaction; returns when the effects are durable.
    ///
    /// The closure may run more than once, so it has no effect outside its transaction; an `Err` undoes everything.
    /// What it needs travels in `context`. Everything slow happens before: others wait for this transaction.
    pub fn write<A, C, T, F>(
        &self,
        authority: A,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<T>> + Send + use<A, C, T, F>
    where
        A: WriteAuthority,
        C: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync + 'static,
    {
        self.write_with_proof(authority, (context, work), |tx, _, (context, work)| work(tx, context))
    }

    /// As [`Store::write`], for work that depends on what the check found.
    pub fn write_with_proof<A, C, T, F>(
        &self,
        authority: A,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<T>> + Send + use<A, C, T, F>
    where
        A: WriteAuthority,
        C: Send + Sync + 'static,
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a A::Proof, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync + 'static,
    {
        let (named, waiting) = ((authority.operation(), authority.changes_rights()), self.times.wait());
        let context = (authority, context, work, waiting);
        match &self.engine {
            Engine::Sqlite(engine) => Either::Left(engine.write(named.0, context, checked::<A, C, T, F>)),
            Engine::Postgres(engine) => {
                let engine = engine.clone();
                Either::Right(Box::pin(async move { engine.write(named, &context, &checked::<A, C, T, F>).await }))
            }
        }
    }

    /// How long write transactions take.
    pub fn transaction_times(&self) -> &TransactionTimes {
        &self.times
    }

    /// Whether the database answers. On PostgreSQL this is what its monitor has found last, and never waits.
    pub async fn check(&self) -> Result<()> {
        match &self.engine {
            Engine::Sqlite(engine) => {
                engine.reader()?.optional::<(i64,)>("select version from schema_version", &[])?;
                Ok(())
            }
            Engine::Postgres(engine) => engine.check(),
        }
    }

    /// Whether changes can be made durable, as far as this process knows.
    pub fn check_writer(&self) -> Result<()> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.check_writer(),
            Engine::Postgres(engine) => engine.check_owner(),
        }
    }

    fn is_postgres(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// Which engine this is, for people.
    pub fn engine_name(&self) -> &'static str {
        match &self.engine {
            Engine::Sqlite(_) => "SQLite",
            Engine::Postgres(_) => "PostgreSQL",
        }
    }
}

/// The check and the work, in one transaction.
fn checked<'a, A, C, T, F>(
    tx: &'a mut Transaction,
    (authority, context, work, _): &'a (A, C, F, timing::Waiting),
) -> BoxFuture<'a, Result<T>>
where
    A: WriteAuthority,
    C: Send + Sync,
    T: Send,
    F: for<'b> Fn(&'b mut Transaction, &'b A::Proof, &'b C) -> BoxFuture<'b, Result<T>> + Send + Sync,
{
    Box::pin(async move {
        let proof = authority.check(tx).await?;
        work(tx, &proof, context).await
    })
}

static STATEMENTS_RUN: AtomicU64 = AtomicU64::new(0);

/// How many statements this process has run, besides those that begin and end transactions.
pub fn statements_run() -> u64 {
    STATEMENTS_RUN.load(Ordering::Relaxed)
}

/// A connection of either engine, for reading.
pub enum Connection {
    Sqlite(sqlite::Pooled),
    Postgres(postgres::Client),
}

impl Connection {
    /// The state as a transaction sees it, with its own changes. Only for connections that write.
    pub fn generations_inside(&self) -> Option<Generations> {
        match self {
            Connection::Sqlite(connection) => connection.generations_inside(),
            Connection::Postgres(_) => None,
        }
    }

    /// The only row; its absence is a fault.
    pub async fn one<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<R, DbError> {
        self.optional(sql, params).await?.ok_or(DbError::NoRow)
    }

    /// The first row, where there is one.
    pub async fn optional<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Result<Option<R>, DbError> {
        check_is_read(sql)?;
        if holds_nul(params) {
            return Ok(None);
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        match self {
            Connection::Sqlite(connection) => connection.optional(sql, params),
            Connection::Postgres(client) => client.optional(sql, params).await,
        }
    }

    /// Every row. The statement bounds how many there can be.
    pub async fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        check_is_read(sql)?;
        if holds_nul(params) {
            return Ok(Vec::new());
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        match self {
            Connection::Sqlite(connection) => connection.all(sql, params),
            Connection::Postgres(client) => client.all(sql, params).await,
        }
    }
}

/// PostgreSQL keeps no NUL in a text, so neither does SQLite: nothing that has one is ever found
/// (docs/decisions/0030-nul-characters.md).
fn holds_nul(params: &[Value<'_>]) -> bool {
    params.iter().any(|value| matches!(value, Value::Text(text) if text.contains('\0')))
}

/// A connection alone only reads; what changes something takes a [`Transaction`].
fn check_is_read(sql: &str) -> Result<(), DbError> {
    match sql.starts_with("select") {
        true => Ok(()),
        false => Err(DbError::Fault("a statement that is no select needs a write transaction".into())),
    }
}
