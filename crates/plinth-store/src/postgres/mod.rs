//! The engine on PostgreSQL: pooled connections, prepared statements, and serializable transactions, which run again after
//! a serialization failure.

mod changes;
mod client;
mod commits;
mod declared;
mod epoch;
mod hosts;
mod leases;
mod monitor;
mod owner;
mod pipeline;
mod pool;
mod pooler;
mod queues;
mod target;
mod tls;
mod tls_options;
mod turns;
mod write;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;

use super::{Connection, DbError, Transaction, TransactionTimes, WriteLabel, migrations};
use crate::work::Work;
use changes::{ChangeLog, Seen};
pub use client::Client;
use commits::Commits;
use monitor::Monitor;
use owner::Term;
pub use owner::{Claim, Ownership};
use plinth_base::error::{Error, Result};
use pool::Pool;
pub use pooler::check as check_sessions;
use queues::Queues;
pub use target::Target;
use turns::Turn;

/// How often a transaction runs before the caller gets an error.
const RUNS_MAX: u32 = 12;
/// A transaction that has failed to serialize so often runs while no other of this node does. PostgreSQL detects conflicts by
/// pages of indexes, too, so that a large transaction may fail again and again because of small ones that change other data.
const RUNS_WITH_OTHERS_MAX: u32 = 4;

#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    target: Target,
    pool: Pool,
    monitor: Arc<Monitor>,
    commits: Arc<Commits>,
    queues: Queues,
    changes: ChangeLog,
    /// Locked exclusively by a transaction that runs alone.
    alone: tokio::sync::RwLock<()>,
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
    /// Begins a transaction.
    const fn begin(self) -> &'static str {
        match self {
            RightsLock::Shared => "begin isolation level serializable read write; lock table setting in row share mode",
            RightsLock::Exclusive => {
                "begin isolation level serializable read write; lock table setting in exclusive mode"
            }
        }
    }
}

/// A connection outside of the pool, and the task that drives it.
pub async fn connect(url: &str) -> Result<(tokio_postgres::Client, tokio::task::JoinHandle<()>)> {
    let connected = Target::parse(url, None)?.connect().await?;
    Ok((connected.client, connected.driver.release()))
}

impl Engine {
    /// Opens without migrating the schema.
    pub fn open(
        target: Target,
        connections_max: usize,
        times: Arc<TransactionTimes>,
        owner: Option<Arc<Ownership>>,
    ) -> Result<Self> {
        let monitor = Arc::new(Monitor::default());
        let pool = pool::create(&target, connections_max, monitor.clone(), owner.clone())?;
        Ok(Self {
            shared: Arc::new(Shared {
                target,
                pool,
                monitor,
                commits: Arc::default(),
                queues: Queues::default(),
                changes: ChangeLog::default(),
                alone: tokio::sync::RwLock::default(),
                times,
                owner,
            }),
        })
    }

    /// One connection, for a command.
    pub fn open_one(target: Target) -> Result<Self> {
        Self::open(target, 1, Arc::default(), None)
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

    /// Fails while another node may own the database, and while commits are not confirmed.
    pub fn check_writer(&self) -> Result<()> {
        self.term()?;
        self.shared.commits.check()
    }

    /// Whether this node does what is done once for all nodes.
    pub fn leads(&self) -> bool {
        self.shared.owner.as_ref().is_none_or(|owner| owner.leads())
    }

    /// The node's time as owner; nothing for a command, which owns nothing.
    fn term(&self) -> Result<Option<Arc<Term>>> {
        self.shared.owner.as_ref().map(|owner| owner.term()).transpose()
    }

    /// Fails if the node is no longer the owner that it was.
    fn check_term(&self, term: Option<&Arc<Term>>) -> Result<()> {
        match (term, self.term()?) {
            (Some(then), Some(now)) if !Arc::ptr_eq(then, &now) => {
                Err(Error::Unavailable("the database has moved to another server meanwhile".into()))
            }
            _ => Ok(()),
        }
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

    /// Runs the work in a transaction, as often as it takes. Returns whether it signals its commit.
    pub fn write<'a>(
        &'a self,
        label: WriteLabel,
        changes_rights: bool,
        work: &'a dyn Work,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let _turn = self.shared.queues.turn(label.scope).await;
            let mut lock = if changes_rights { RightsLock::Exclusive } else { RightsLock::Shared };
            let mut trusts_checks = true;
            for run in 0..RUNS_MAX {
                // Before anything that was checked is compared with it.
                let seen = self.shared.changes.seen().filter(|_| trusts_checks);
                let ran = if run < RUNS_WITH_OTHERS_MAX {
                    let _with_others = self.shared.alone.read().await;
                    self.run_once(label, (lock, seen), work).await
                } else {
                    let _alone = self.shared.alone.write().await;
                    self.run_once(label, (lock, seen), work).await
                };
                match ran {
                    Err(error) if DbError::needs_rights_lock(&error) => lock = RightsLock::Exclusive,
                    Err(error) if DbError::needs_look_up(&error) => trusts_checks = false,
                    Err(error) if DbError::needs_another_run(&error) => tokio::time::sleep(backoff(run)).await,
                    decided => return decided,
                }
            }
            Err(Error::Unavailable("too many changes to the same data".into()))
        })
    }

    async fn commit(&self, client: &mut Client) -> Result<()> {
        let waiting = self.shared.commits.begin();
        let ended = client.commit().await;
        if !matches!(ended, Err(DbError::Unavailable(_))) {
            waiting.finish();
        }
        Ok(ended?)
    }

    async fn run_once(
        &self,
        label: WriteLabel,
        (lock, seen): (RightsLock, Option<Arc<Seen>>),
        work: &dyn Work,
    ) -> Result<bool> {
        let term = self.term()?;
        self.shared.commits.check()?;
        let mut client = self.client().await?;
        if term.as_ref().is_some_and(|term| !term.is_on(client.server())) {
            return Err(Error::Unavailable("this node does not own the database on the new server yet".into()));
        }
        let is_shared = self.shared.owner.as_ref().is_some_and(|owner| owner.is_shared());
        let seen = seen.filter(|seen| *seen.server == *client.server());
        client.begin(lock, is_shared.then(|| Turn::of(label.scope)).flatten(), seen);
        let mut tx = Transaction::new(Connection::Postgres(client));
        tx.set_scope(label.scope);
        let outcome = work.run(&mut tx).await;
        let signals = tx.take_signal();
        let Connection::Postgres(mut client) = tx.into_connection() else {
            unreachable!("the connection was made three lines up")
        };
        let ended = match outcome.and_then(|()| self.check_term(term.as_ref())) {
            // A former primary may commit after the database has moved: nobody will find that there.
            Ok(()) => self.commit(&mut client).await.and_then(|()| self.check_term(term.as_ref())),
            Err(error) => {
                // The error counts more than a failing rollback: the guard closes such a connection.
                let _ = client.roll_back().await;
                Err(error)
            }
        };
        let began = client.write.begun.unwrap_or_else(Instant::now);
        self.shared.times.observe(label.operation, began.elapsed());
        ended.map(|()| signals)
    }
}

/// A short, growing pause that differs between transactions that conflict.
fn backoff(run: u32) -> Duration {
    let spread =
        u64::from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.subsec_micros()));
    Duration::from_micros((500 << run.min(7)) + spread % 2_000)
}
