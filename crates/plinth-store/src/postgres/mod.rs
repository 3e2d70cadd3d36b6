//! The engine on PostgreSQL: pooled connections, prepared statements, and serializable transactions, which run again after
//! a serialization failure.

mod batch;
mod batch_link;
mod change_detail;
mod changes;
mod client;
mod commits;
mod declared;
mod epoch;
mod failure;
mod group_commit;
mod hosts;
mod lanes;
mod leases;
mod members;
mod merged_steps;
mod monitor;
mod own_changes;
mod owner;
mod pipeline;
mod pool;
mod pooler;
mod queued;
mod queues;
mod target;
mod tls;
mod tls_options;
mod turns;
mod write;
mod writer;

use std::sync::Arc;

use super::{DbError, TransactionTimes, migrations};
use changes::ChangeLog;
pub use client::Client;
use commits::Commits;
use lanes::Pauses;
use monitor::Monitor;
use owner::Term;
pub use owner::{Claim, Ownership};
use plinth_base::error::{Error, Result};
use pool::Pool;
pub use pooler::check as check_sessions;
use queues::Queues;
pub use target::Target;

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
    pauses: Pauses,
    changes: ChangeLog,
    /// Locked exclusively by a transaction that runs alone.
    alone: tokio::sync::RwLock<()>,
    /// Of a batch that is serializable: two of them would nearly always conflict.
    serializable_batch: tokio::sync::Mutex<()>,
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
    const fn begin(self, isolation: Isolation) -> &'static str {
        match (self, isolation) {
            (RightsLock::Shared, Isolation::Serializable) => {
                "begin isolation level serializable read write; lock table setting in row share mode"
            }
            (RightsLock::Shared, Isolation::Snapshot) => {
                "begin isolation level repeatable read read write; lock table setting in row share mode"
            }
            (RightsLock::Exclusive, _) => {
                "begin isolation level serializable read write; lock table setting in exclusive mode"
            }
        }
    }
}

/// What a transaction is isolated from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Isolation {
    /// From everything that others do at the same time.
    Serializable,
    /// It sees one state of the store, and fails if another one changes the same row. That is enough for
    /// [row statements](crate::RowStatement), and PostgreSQL does not compare which pages of indexes they read.
    Snapshot,
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
                queues: Queues::new(connections_max),
                pauses: Pauses::default(),
                changes: ChangeLog::default(),
                alone: tokio::sync::RwLock::default(),
                serializable_batch: tokio::sync::Mutex::default(),
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
}
