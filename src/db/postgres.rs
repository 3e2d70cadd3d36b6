//! The scale-out engine: pooled connections, prepared statements, serializable transactions run again on request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts};
use futures_util::future::BoxFuture;
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Statement};

use super::state::may_take_rights;
use super::{Connection, DbError, FromRow, Row, Transaction, TransactionTimes, Value, migrations};
use crate::error::{Error, Result};

/// How often a transaction is run again before the caller is asked to come back later.
const RUNS_MAX: u32 = 12;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const POOL_WAIT_TIMEOUT: Duration = Duration::from_secs(4);
/// The server ends what runs longer: no request waits that long. And it refuses every change outside of a write
/// transaction.
const SESSION_OPTIONS: &str =
    "-c statement_timeout=10000 -c idle_in_transaction_session_timeout=15000 -c default_transaction_read_only=on";

#[derive(Clone)]
pub struct Engine {
    pool: Pool,
    times: Arc<TransactionTimes>,
}

/// How a transaction holds the lock on all rights, from before its first look until its commit.
///
/// A serializable transaction sees the store as it was at its first statement, and may commit after a revocation that it
/// has not seen: the database then pretends that it came first, although the revocation was acknowledged before. So
/// whoever may take a right away excludes all other write transactions, and these wait for it before they look. The lock
/// is on a table that nobody else locks; `lock table` is the one statement that waits without looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RightsLock {
    Shared,
    Exclusive,
}

impl RightsLock {
    const fn begin(self) -> &'static str {
        match self {
            RightsLock::Shared => "begin isolation level serializable read write; lock table setting in row share mode",
            RightsLock::Exclusive => {
                "begin isolation level serializable read write; lock table setting in exclusive mode"
            }
        }
    }
}

impl Engine {
    pub async fn open(url: &str, connections_max: usize, times: Arc<TransactionTimes>) -> Result<Self> {
        let mut config: tokio_postgres::Config =
            url.parse().map_err(|error| Error::BadRequest(format!("the database URL cannot be read: {error}")))?;
        config.connect_timeout(CONNECT_TIMEOUT).application_name("plinth").options(SESSION_OPTIONS);
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let timeouts =
            Timeouts { wait: Some(POOL_WAIT_TIMEOUT), create: Some(CONNECT_TIMEOUT), recycle: Some(CONNECT_TIMEOUT) };
        let pool = Pool::builder(manager)
            .max_size(connections_max)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| Error::Internal(error.into()))?;
        let engine = Self { pool, times };
        migrations::migrate_postgres(&mut *engine.client().await?.object()).await?;
        Ok(engine)
    }

    pub async fn client(&self) -> Result<Client, DbError> {
        Ok(Client { object: Some(self.pool.get().await?), running: None })
    }

    pub async fn write<C, T, F>(&self, operation: &'static str, context: &C, work: &F) -> Result<T>
    where
        C: Send + Sync,
        F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync,
    {
        let mut lock = RightsLock::Shared;
        for run in 0..RUNS_MAX {
            match self.run_once(operation, lock, context, work).await {
                Err(error) if DbError::asks_for_rights_lock(&error) => lock = RightsLock::Exclusive,
                Err(error) if DbError::asks_for_another_run(&error) => tokio::time::sleep(backoff(run)).await,
                decided => return decided,
            }
        }
        Err(Error::Unavailable("too many changes to the same data".into()))
    }

    async fn run_once<C, T, F>(&self, operation: &'static str, lock: RightsLock, context: &C, work: &F) -> Result<T>
    where
        C: Send + Sync,
        F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync,
    {
        let mut client = self.client().await?;
        client.begin(lock).await?;
        let started = Instant::now();
        let mut tx = Transaction::new(Connection::Postgres(client));
        let outcome = work(&mut tx, context).await;
        let Connection::Postgres(mut client) = tx.into_connection() else {
            unreachable!("the connection was made three lines up")
        };
        let ended = match outcome {
            Ok(value) => client.end("commit").await.map(|()| value).map_err(Error::from),
            Err(error) => {
                // The refusal counts more than a failing rollback: the guard closes such a connection.
                let _ = client.end("rollback").await;
                Err(error)
            }
        };
        self.times.observe(operation, started.elapsed());
        ended
    }
}

/// A short, growing pause that differs between the contenders.
fn backoff(run: u32) -> Duration {
    let spread =
        u64::from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.subsec_micros()));
    Duration::from_micros((500 << run.min(7)) + spread % 2_000)
}

/// A pooled connection that is closed rather than reused when it is dropped inside a transaction.
pub struct Client {
    object: Option<Object>,
    /// The write transaction that is running, if one is.
    running: Option<RightsLock>,
}

impl Client {
    fn object(&mut self) -> &mut Object {
        self.object.as_mut().expect("a connection is only taken when dropped")
    }

    async fn begin(&mut self, lock: RightsLock) -> Result<(), DbError> {
        self.running = Some(lock);
        Ok(self.object().batch_execute(lock.begin()).await?)
    }

    async fn end(&mut self, how: &str) -> Result<(), DbError> {
        self.object().batch_execute(how).await?;
        self.running = None;
        Ok(())
    }

    pub async fn optional<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Result<Option<R>, DbError> {
        let statement = self.prepare(sql).await?;
        let rows = self.object().query(&statement, &dynamic(params)).await?;
        rows.first().map(|row| R::from_row(&Row::Postgres(row))).transpose()
    }

    pub async fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        let statement = self.prepare(sql).await?;
        let rows = self.object().query(&statement, &dynamic(params)).await?;
        rows.iter().map(|row| R::from_row(&Row::Postgres(row))).collect()
    }

    /// As [`Client::optional`], for statements that change something.
    pub async fn insert<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<R>, DbError> {
        self.check_lock(sql)?;
        self.optional(sql, params).await
    }

    pub async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, DbError> {
        self.check_lock(sql)?;
        let statement = self.prepare(sql).await?;
        Ok(self.object().execute(&statement, &dynamic(params)).await?)
    }

    fn check_lock(&self, sql: &str) -> Result<(), DbError> {
        match self.running {
            Some(RightsLock::Shared) if may_take_rights(sql) => Err(DbError::RightsLock),
            Some(_) | None => Ok(()),
        }
    }

    async fn prepare(&mut self, sql: &'static str) -> Result<Statement, DbError> {
        Ok(self.object().prepare_cached(sql).await?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.running.is_some()
            && let Some(object) = self.object.take()
        {
            // Taken out of the pool and closed: the server undoes what was begun.
            drop(Object::take(object));
        }
    }
}

fn dynamic<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
