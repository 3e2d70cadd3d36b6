//! The store: one connection type for SQLite and PostgreSQL. No other crate names either.
//!
//! Reads take a pooled connection. Every change goes through [`Store::write`], which checks the authority to write and
//! then runs a closure, both in one transaction: on SQLite one after another on the writer thread, many to a commit; on
//! PostgreSQL in serializable transactions, which run again after a serialization failure, and which writes that wait for the
//! same repository or account share.

mod backup;
mod collections;
mod connection;
mod content_kinds;
mod counter;
mod declared_transaction;
mod deferred;
mod dump;
mod effect;
mod embedded_copy;
mod error;
mod generation_cache;
mod generations;
mod git_columns;
mod integrity;
mod invalidation;
mod leases;
mod location;
mod migrations;
mod node;
mod nodes;
mod object_storage;
mod overwrite;
mod postgres;
mod postgres_copy;
mod row;
mod row_statement;
mod rows;
mod sent;
mod sqlite;
mod timing;
mod transaction;
mod value;
mod work;

use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use backup::{Dump, Snapshot, check_copy, restore_postgres};
pub use collections::{CollectionGuard, Collections, count_collection, find_collection};
pub use connection::{Connection, statements_run};
pub use content_kinds::ContentKind;
pub use counter::{Counter, Increment};
pub use declared_transaction::DeclaredTransaction;
pub use deferred::DeferredUse;
pub use effect::{Effect, RowKey, WriteAction};
pub use embedded_copy::copy_to_postgres;
pub use error::DbError;
pub use generation_cache::{Candidate, GenerationCache};
pub use generations::{CommitGenerations, GenerationTable, Generations};
pub use invalidation::{Changes, Dependency, InvalidationScope};
pub use leases::{Lease, LeaseRequest, ReturnedLease};
pub use location::{Durability, Location};
pub use migrations::Schema;
pub use node::{Node, host_name};
pub use nodes::check_sessions;
pub use object_storage::{Fetch, Fingerprint, ObjectStorage, StoredValue, fingerprint};
pub use overwrite::Overwrite;
pub use row::{Column, FromRow, Row};
pub use row_statement::RowStatement;
pub use rows::Rows;
pub use sent::{Sent, SentCount};
pub use timing::{BUCKETS as TRANSACTION_BUCKETS, Histogram, TRANSACTION_TIME_MAX, TransactionTimes};
pub use transaction::{RightsFact, Transaction, WriteAuthority};
pub use value::{Parameter, Value};

// For the macros.
#[doc(hidden)]
pub use plinth_base;

use plinth_base::error::{Error, Result};
use sqlite::WriteLabel;
use tokio::sync::Notify;
use work::{CheckedWork, Slot, Work};

/// A handle on all data; cheap to clone.
#[derive(Clone)]
pub struct Store {
    engine: Engine,
    times: Arc<TransactionTimes>,
    generations: Arc<GenerationTable>,
    signal: Arc<Notify>,
    collections: Arc<Collections>,
}

#[derive(Clone)]
enum Engine {
    Sqlite(sqlite::Engine),
    Postgres(postgres::Engine),
}

impl Store {
    /// Opens the store and migrates its schema to this binary's version.
    pub async fn open(location: &Location) -> Result<Self> {
        let times = Arc::<TransactionTimes>::default();
        let signal = Arc::<Notify>::default();
        let (engine, generations) = match location {
            Location::Sqlite { file, durability } => {
                let generations = Arc::<GenerationTable>::default();
                let shared = (times.clone(), generations.clone(), signal.clone());
                (Engine::Sqlite(sqlite::Engine::open(file, *durability, shared)?), generations)
            }
            Location::Postgres { url, connections_max, epoch_file } => {
                let target = postgres::Target::parse(url, epoch_file.as_deref())?;
                let engine = postgres::Engine::open(target, *connections_max, times.clone(), None)?;
                engine.migrate().await?;
                let generations = engine.generation_table().clone();
                (Engine::Postgres(engine), generations)
            }
        };
        Ok(Self { engine, times, generations, signal, collections: Arc::default() })
    }

    /// How the schema compares with this binary's. Changes and creates nothing.
    pub async fn schema(location: &Location) -> Result<Schema> {
        match location {
            Location::Sqlite { file, .. } => sqlite::schema(file),
            Location::Postgres { url, epoch_file, .. } => {
                let target = postgres::Target::parse(url, epoch_file.as_deref())?;
                postgres::Engine::open_one(target)?.schema().await
            }
        }
    }

    /// A connection for reading. On SQLite its calls are finished when first polled.
    pub async fn read(&self) -> Result<Connection> {
        Ok(match &self.engine {
            Engine::Sqlite(engine) => Connection::Sqlite(engine.reader()?),
            // Boxed, because the future is large, and every future that reads would be as large on SQLite too.
            Engine::Postgres(engine) => Connection::Postgres(Box::pin(engine.client()).await?),
        })
    }

    /// The generations as of now, to find out later what has changed. Finds commits of other processes. Nothing while
    /// PostgreSQL does not respond, and on SQLite for a moment while a commit is recorded.
    ///
    /// On PostgreSQL this is a round trip, which requests that wait at the same time share. On SQLite it is finished when first
    /// polled.
    pub async fn generations(&self) -> Option<Generations> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.generations(),
            // Boxed, as in `read`.
            Engine::Postgres(engine) => Box::pin(engine.generations()).await,
        }
    }

    /// The generations for caches of values from this store.
    pub fn generation_table(&self) -> &Arc<GenerationTable> {
        &self.generations
    }

    /// Notified after commits of this process that called [`Transaction::signal_on_commit`].
    pub fn signal(&self) -> &Arc<Notify> {
        &self.signal
    }

    /// Which collections of unreachable objects this node knows.
    pub fn collections(&self) -> &Arc<Collections> {
        &self.collections
    }

    /// Checks `authority` and runs `work` in one transaction; returns when the effects are durable.
    ///
    /// The closure may run more than once, so it must have no effect outside its transaction; an `Err` rolls back. What
    /// it needs is in `context`. Do everything slow before: others wait for this transaction.
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
        let label = WriteLabel { operation: authority.operation(), scope: authority.scope() };
        let changes_rights = authority.changes_rights();
        let outcome = Slot::default();
        let slot = outcome.clone();
        let (expected, _waiting) = (self.collections.expected(label.scope), self.times.wait());
        let work = CheckedWork { authority, context, work, outcome: slot, expected, _waiting };
        let written = self.write_boxed(label, changes_rights, Box::new(work));
        async move {
            written.await?;
            let returned = outcome.lock().take();
            returned.ok_or_else(|| Error::internal("a transaction was not run"))
        }
    }

    fn write_boxed(
        &self,
        label: WriteLabel,
        changes_rights: bool,
        work: Box<dyn Work>,
    ) -> BoxFuture<'static, Result<()>> {
        match &self.engine {
            Engine::Sqlite(engine) => Box::pin(engine.write(label, work)),
            Engine::Postgres(engine) => {
                let (engine, signal) = (engine.clone(), self.signal.clone());
                Box::pin(async move {
                    if engine.write(label, changes_rights, work).await? {
                        signal.notify_one();
                    }
                    Ok(())
                })
            }
        }
    }

    /// Whether a write would have its own transaction, without waiting for others of this node, and round trips take longer than
    /// statements. Others may be faster.
    pub fn runs_at_once(&self, scope: InvalidationScope) -> bool {
        match &self.engine {
            Engine::Sqlite(_) => false,
            Engine::Postgres(engine) => engine.runs_at_once(scope),
        }
    }

    /// How long write transactions take.
    pub fn transaction_times(&self) -> &TransactionTimes {
        &self.times
    }

    /// Whether the database responds. On PostgreSQL this is the monitor's last result, and never waits.
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
            Engine::Postgres(engine) => engine.check_writer(),
        }
    }

    /// Whether one thread writes, as on SQLite: ids then grow in the order of commits.
    pub fn has_one_writer(&self) -> bool {
        matches!(self.engine, Engine::Sqlite(_))
    }

    pub fn engine_name(&self) -> &'static str {
        match &self.engine {
            Engine::Sqlite(_) => "SQLite",
            Engine::Postgres(_) => "PostgreSQL",
        }
    }
}
