//! The scale-out engine: pooled connections, prepared statements, serializable transactions run again on request.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts};
use futures_util::future::BoxFuture;
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Statement};

use super::owner::Ownership;
use super::{Connection, DbError, FromRow, Row, Value, migrations};
use crate::error::{Error, Result};

/// How often a transaction is run again before the caller is asked to come back later.
const RUNS_MAX: u32 = 12;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const POOL_WAIT_TIMEOUT: Duration = Duration::from_secs(4);
/// The server ends what runs longer: no request waits that long.
const STATEMENT_TIMEOUT: &str = "-c statement_timeout=10000 -c idle_in_transaction_session_timeout=15000";

#[derive(Clone)]
pub struct Engine {
    pool: Pool,
    /// Held by the one node that serves the database; commands beside it have none.
    owner: Option<Arc<Ownership>>,
}

fn config(url: &str) -> Result<tokio_postgres::Config> {
    let mut config: tokio_postgres::Config =
        url.parse().map_err(|error| Error::BadRequest(format!("the database URL cannot be read: {error}")))?;
    config.connect_timeout(CONNECT_TIMEOUT).application_name("plinth").options(STATEMENT_TIMEOUT);
    Ok(config)
}

/// A connection outside of the pool, and the task that drives it.
pub async fn connect(url: &str) -> Result<(tokio_postgres::Client, tokio::task::JoinHandle<()>)> {
    let (client, connection) = config(url)?.connect(NoTls).await.map_err(DbError::from)?;
    let driving = tokio::spawn(async move {
        // Its end is seen by the next statement.
        let _ = connection.await;
    });
    Ok((client, driving))
}

impl Engine {
    /// Opens without looking at the schema.
    pub fn open(url: &str, connections_max: usize, owner: Option<Arc<Ownership>>) -> Result<Self> {
        let config = config(url)?;
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let timeouts =
            Timeouts { wait: Some(POOL_WAIT_TIMEOUT), create: Some(CONNECT_TIMEOUT), recycle: Some(CONNECT_TIMEOUT) };
        let pool = Pool::builder(manager)
            .max_size(connections_max)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| Error::Internal(error.into()))?;
        Ok(Self { pool, owner })
    }

    pub async fn migrate(&self) -> Result<()> {
        migrations::migrate_postgres(&mut *self.client().await?.object()).await
    }

    pub async fn schema(&self) -> Result<super::Schema> {
        migrations::schema_postgres(self.client().await?.object()).await
    }

    /// Refuses while another node may own the database.
    pub fn check_owner(&self) -> Result<()> {
        self.owner.as_ref().map_or(Ok(()), |owner| owner.check())
    }

    pub async fn client(&self) -> Result<Client, DbError> {
        Ok(Client { object: Some(self.pool.get().await?), in_transaction: false })
    }

    /// A connection that sees the database as it is now, for as long as it lives, and has all the time that it needs.
    pub async fn snapshot(&self) -> Result<Client, DbError> {
        let mut client = self.client().await?;
        client.in_transaction = true;
        let begin = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; \
                     begin isolation level repeatable read read only; select version from schema_version";
        client.object().batch_execute(begin).await?;
        Ok(client)
    }

    pub async fn write<C, T, F>(&self, context: &C, work: &F) -> Result<T>
    where
        C: Send + Sync,
        F: for<'a> Fn(&'a mut Connection, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync,
    {
        for run in 0..RUNS_MAX {
            match self.run_once(context, work).await {
                Err(error) if DbError::asks_for_another_run(&error) => tokio::time::sleep(backoff(run)).await,
                decided => return decided,
            }
        }
        Err(Error::Unavailable("too many changes to the same data".into()))
    }

    async fn run_once<C, T, F>(&self, context: &C, work: &F) -> Result<T>
    where
        C: Send + Sync,
        F: for<'a> Fn(&'a mut Connection, &'a C) -> BoxFuture<'a, Result<T>> + Send + Sync,
    {
        self.check_owner()?;
        let mut client = self.client().await?;
        client.begin().await?;
        let mut connection = Connection::Postgres(client);
        let outcome = work(&mut connection, context).await;
        let Connection::Postgres(mut client) = connection else { unreachable!("the connection was made two lines up") };
        match outcome.and_then(|value| self.check_owner().map(|()| value)) {
            Ok(value) => client.end("commit").await.map(|()| value).map_err(Error::from),
            Err(error) => {
                // The refusal counts more than a failing rollback: the guard closes such a connection.
                let _ = client.end("rollback").await;
                Err(error)
            }
        }
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
    in_transaction: bool,
}

impl Client {
    pub(super) fn object(&mut self) -> &mut Object {
        self.object.as_mut().expect("a connection is only taken when dropped")
    }

    async fn begin(&mut self) -> Result<(), DbError> {
        self.in_transaction = true;
        Ok(self.object().batch_execute("begin isolation level serializable").await?)
    }

    async fn end(&mut self, how: &str) -> Result<(), DbError> {
        self.object().batch_execute(how).await?;
        self.in_transaction = false;
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

    pub async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, DbError> {
        let statement = self.prepare(sql).await?;
        Ok(self.object().execute(&statement, &dynamic(params)).await?)
    }

    async fn prepare(&mut self, sql: &'static str) -> Result<Statement, DbError> {
        Ok(self.object().prepare_cached(sql).await?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.in_transaction
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
