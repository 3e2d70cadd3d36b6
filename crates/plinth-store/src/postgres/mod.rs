//! The engine on PostgreSQL: pooled connections, prepared statements, and serializable transactions, which run again after
//! a serialization failure.

mod client;
mod monitor;
mod owner;
mod target;
mod tls;
mod tls_options;

use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use futures_util::future::BoxFuture;

use super::{Connection, DbError, Transaction, TransactionTimes, migrations};
pub use client::Client;
use monitor::Monitor;
pub use owner::Ownership;
use plinth_base::error::{Error, Result};
use target::{CONNECT_TIMEOUT, Target};

/// How often a transaction runs before the caller gets an error.
const RUNS_MAX: u32 = 12;
const POOL_WAIT_TIMEOUT: Duration = Duration::from_secs(4);
/// A connection that was used within this time is used again without a check.
const UNCHECKED_MAX: Duration = Duration::from_secs(1);
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);
/// The server rejects every change outside of a write transaction. This is set after connecting and not in the options of
/// the session, since the driver reads it to distinguish a primary from a standby (`target_session_attrs`).
const READ_ONLY: &str = "set default_transaction_read_only = on";

#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    target: Target,
    pool: Pool,
    monitor: Arc<Monitor>,
    times: Arc<TransactionTimes>,
    /// Only of the node that serves the database; commands have none.
    owner: Option<Arc<Ownership>>,
}

/// How a transaction locks all rights, from before its snapshot until its commit.
///
/// A serializable transaction sees the store as of its first statement, and may commit after a revocation that it has not
/// seen: the database orders it first, although the revocation was acknowledged before. So a transaction that may revoke a
/// right excludes all other write transactions, and these wait for it before they take their snapshot. The lock is on a
/// table that nothing else locks; `lock table` is the one statement that waits without taking a snapshot.
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

/// The work of a transaction, which holds its result. As a trait object, so that what surrounds it is compiled once and
/// not for each operation.
pub trait Work: Send + Sync {
    /// Runs it, for the first time or again.
    fn run<'a>(&'a self, tx: &'a mut Transaction) -> BoxFuture<'a, Result<()>>;
}

/// A connection outside of the pool, and the task that drives it.
pub async fn connect(url: &str) -> Result<(tokio_postgres::Client, tokio::task::JoinHandle<()>)> {
    Target::parse(url)?.connect().await
}

impl Engine {
    /// Opens without migrating the schema.
    pub fn open(
        url: &str,
        connections_max: usize,
        times: Arc<TransactionTimes>,
        owner: Option<Arc<Ownership>>,
    ) -> Result<Self> {
        let target = Target::parse(url)?;
        let monitor = Arc::new(Monitor::default());
        let pool = pool(&target, connections_max, monitor.clone())?;
        Ok(Self { shared: Arc::new(Shared { target, pool, monitor, times, owner }) })
    }

    /// One connection, for a command.
    pub fn open_one(url: &str) -> Result<Self> {
        Self::open(url, 1, Arc::default(), None)
    }

    /// Migrates the schema, and starts the monitor.
    pub async fn migrate(&self) -> Result<()> {
        migrations::migrate_postgres(&mut *self.client().await?.object()).await?;
        tokio::spawn(monitor::run(Arc::downgrade(&self.shared), self.shared.target.clone()));
        Ok(())
    }

    pub async fn schema(&self) -> Result<super::Schema> {
        migrations::schema_postgres(self.client().await?.object()).await
    }

    /// Fails while another node may own the database.
    pub fn check_owner(&self) -> Result<()> {
        self.shared.owner.as_ref().map_or(Ok(()), |owner| owner.check())
    }

    /// A connection that sees the database as it is now for as long as it lives, without timeouts.
    pub async fn snapshot(&self) -> Result<Client, DbError> {
        let mut client = self.client().await?;
        client.begin_snapshot().await?;
        Ok(client)
    }

    pub async fn client(&self) -> Result<Client, DbError> {
        Ok(Client::new(self.shared.pool.get().await?, self.shared.clone()))
    }

    /// Whether the database responds, as far as is known. Never waits.
    pub fn check(&self) -> Result<()> {
        self.shared.monitor.check()
    }

    /// Runs the work in a transaction, as often as it takes.
    pub fn write<'a>(
        &'a self,
        (operation, changes_rights): (&'static str, bool),
        work: &'a dyn Work,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut lock = if changes_rights { RightsLock::Exclusive } else { RightsLock::Shared };
            for run in 0..RUNS_MAX {
                match self.run_once(operation, lock, work).await {
                    Err(error) if DbError::needs_rights_lock(&error) => lock = RightsLock::Exclusive,
                    Err(error) if DbError::needs_another_run(&error) => tokio::time::sleep(backoff(run)).await,
                    decided => return decided,
                }
            }
            Err(Error::Unavailable("too many changes to the same data".into()))
        })
    }

    async fn run_once(&self, operation: &'static str, lock: RightsLock, work: &dyn Work) -> Result<()> {
        self.check_owner()?;
        let mut client = self.client().await?;
        client.begin(lock).await?;
        let started = Instant::now();
        let mut tx = Transaction::new(Connection::Postgres(client));
        let outcome = work.run(&mut tx).await;
        let Connection::Postgres(mut client) = tx.into_connection() else {
            unreachable!("the connection was made three lines up")
        };
        let ended = match outcome.and_then(|()| self.check_owner()) {
            Ok(()) => client.end("commit").await.map_err(Error::from),
            Err(error) => {
                // The error counts more than a failing rollback: the guard closes such a connection.
                let _ = client.end("rollback").await;
                Err(error)
            }
        };
        self.shared.times.observe(operation, started.elapsed());
        ended
    }
}

/// A short, growing pause that differs between transactions that conflict.
fn backoff(run: u32) -> Duration {
    let spread =
        u64::from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.subsec_micros()));
    Duration::from_micros((500 << run.min(7)) + spread % 2_000)
}

fn pool(target: &Target, connections_max: usize, monitor: Arc<Monitor>) -> Result<Pool> {
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(target.config.clone(), target.tls.clone(), recycling);
    let timeouts =
        Timeouts { wait: Some(POOL_WAIT_TIMEOUT), create: Some(CONNECT_TIMEOUT), recycle: Some(CONNECT_TIMEOUT) };
    let check = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, metrics| {
        let monitor = monitor.clone();
        Box::pin(async move {
            if monitor.is_suspect(metrics.created) {
                return Err(HookError::message("a connection from before the database stopped responding"));
            }
            if metrics.last_used() < UNCHECKED_MAX {
                return Ok(());
            }
            match tokio::time::timeout(CHECK_TIMEOUT, client.simple_query("")).await {
                Ok(response) => response.map(drop).map_err(HookError::Backend),
                Err(_) => {
                    monitor.suspect();
                    Err(HookError::message("an idle connection does not respond"))
                }
            }
        })
    });
    let make_read_only = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
        Box::pin(async move { client.batch_execute(READ_ONLY).await.map_err(HookError::Backend) })
    });
    Pool::builder(manager)
        .max_size(connections_max)
        .timeouts(timeouts)
        .runtime(Runtime::Tokio1)
        .post_create(make_read_only)
        .pre_recycle(check)
        .build()
        .map_err(|error| Error::Internal(error.into()))
}
