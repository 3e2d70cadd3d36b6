//! The nodes of a database: each has a session with an advisory lock for as long as it runs. Nodes that share their packs share
//! the lock; a node with packs of its own excludes all others. One of several nodes leads: it has a second lock, and runs what
//! is done once for all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::epoch::Epoch;
use super::hosts::Connected;
use super::pooler;
use super::target::Target;
use crate::DbError;
use crate::node::{self, Node};
use plinth_base::error::{Error, Result};

/// Advisory locks belong to one database, so one number is enough.
const TRY_LOCK: &str = "select pg_try_advisory_lock(7015349)";
const TRY_SHARED_LOCK: &str = "select pg_try_advisory_lock_shared(7015349)";
const TRY_LEAD: &str = "select pg_try_advisory_lock(7015350)";
/// For `pg_stat_activity`, where operators see the nodes.
const NAME_SESSION: &str = "select set_config('application_name', $1, false)";
/// The server finds out within half a minute that the machine of the owner is gone.
const SESSION: &str = "set statement_timeout = 5000; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; \
                       set tcp_keepalives_count = 3";
/// The session of a process that was just killed may need a moment to end.
const START_TIMEOUT: Duration = Duration::from_secs(3);
/// Ends the session that this node has lost, if the server still has it: after a network failure it would keep the lock
/// until the server notices, which behind a proxy is never. Its start time distinguishes it from a later session with the
/// same number.
const END_LOST_SESSION: &str = "select pg_terminate_backend(activity.pid) \
    from pg_stat_activity activity join pg_locks advisory on advisory.pid = activity.pid \
    where advisory.locktype = 'advisory' and advisory.objid = 7015349 and advisory.granted \
    and activity.datname = current_database() and activity.pid = $1 and activity.backend_start::text = $2";
const THIS_SESSION: &str = "select pid, backend_start::text from pg_stat_activity where pid = pg_backend_pid()";
/// Several nodes may do this at the same time: each continues from the last.
const WRITE_EPOCH: &str = "insert into setting (name, value) values ('epoch', convert_to($1, 'UTF8')) \
                           on conflict (name) do update set value = excluded.value \
                           where convert_from(setting.value, 'UTF8') = $2";
const READ_EPOCH: &str = "select convert_from(value, 'UTF8') from setting where name = 'epoch'";
/// Attempts to write it while other nodes do.
const EPOCH_ATTEMPTS_MAX: usize = 100;
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// A session that takes longer to respond counts as lost. Losing it costs little: it is acquired again at once.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// Who else may serve a database at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Nobody: the packs are in the data directory of this node.
    Alone,
    /// Nodes with the same claim: they share their packs.
    Shared,
    /// Nobody, for as long as the schema is changed.
    Migration,
}

/// The right to serve a database. It is acquired again when its session is lost, and released when dropped.
pub struct Ownership {
    term: Arc<Mutex<Option<Arc<Term>>>>,
    leads: Arc<AtomicBool>,
    claim: Claim,
    monitor: tokio::task::JoinHandle<()>,
}

/// The time from acquiring the database until the session is lost, on one server.
pub struct Term {
    server: Arc<str>,
}

impl Term {
    pub fn is_on(&self, server: &str) -> bool {
        *self.server == *server
    }
}

impl Ownership {
    /// Acquires the database, or fails with the name of its owner.
    pub async fn take(target: &Target, node: &Node, claim: Claim) -> Result<Self> {
        pooler::check(target).await?;
        let started = Instant::now();
        let claimant = Claimant { target: target.clone(), node: node.clone(), claim };
        let session = loop {
            match Session::open(&claimant, None).await? {
                Attempt::Acquired(session) => break session,
                Attempt::Rejected(error) if started.elapsed() >= START_TIMEOUT => return Err(error),
                Attempt::Rejected(_) => tokio::time::sleep(RETRY_INTERVAL).await,
            }
        };
        let term = Arc::new(Mutex::new(Some(session.term())));
        let leads = Arc::new(AtomicBool::new(claim != Claim::Shared));
        let monitor = tokio::spawn(keep_owning(session, claimant, term.clone(), leads.clone()));
        Ok(Self { term, leads, claim, monitor })
    }

    /// Acquires the database for a change of its schema, unless nodes serve it.
    pub async fn try_take_alone(target: &Target, node: &Node) -> Result<Option<Self>> {
        match Self::take(target, node, Claim::Migration).await {
            Err(Error::Conflict(_)) => Ok(None),
            taken => taken.map(Some),
        }
    }

    /// Whether other nodes may serve the database at the same time.
    pub fn is_shared(&self) -> bool {
        self.claim == Claim::Shared
    }

    /// Whether this node does what is done once for all nodes.
    pub fn leads(&self) -> bool {
        self.leads.load(Ordering::Relaxed) && self.term.lock().is_some()
    }

    /// Fails while the session is lost: another node may own the database meanwhile.
    pub fn term(&self) -> Result<Arc<Term>> {
        let term = self.term.lock().clone();
        term.ok_or_else(|| Error::Unavailable("this node does not own the database at the moment".into()))
    }

    /// Whether this node owns the database on another server.
    pub fn is_elsewhere(&self, server: &str) -> bool {
        self.term.lock().as_ref().is_some_and(|term| !term.is_on(server))
    }
}

impl Drop for Ownership {
    fn drop(&mut self) {
        self.monitor.abort();
    }
}

/// The outcome of an attempt to get the lock.
enum Attempt {
    Acquired(Box<Session>),
    Rejected(Error),
}

/// A connection of its own, with the lock.
struct Session {
    connected: Connected,
    backend: Backend,
}

/// A session as the server knows it: its number, and when it started.
type Backend = (i32, String);

impl Session {
    /// An attempt has a time limit, since the database may not respond.
    async fn open(claimant: &Claimant, lost: Option<&Backend>) -> Result<Attempt> {
        let attempt = tokio::time::timeout(RESPONSE_TIMEOUT, Self::try_open(claimant, lost)).await;
        attempt.unwrap_or_else(|_| Err(DbError::timed_out().into()))
    }

    async fn try_open(claimant: &Claimant, lost: Option<&Backend>) -> Result<Attempt> {
        let Claimant { target, node, claim } = claimant;
        let mut session = Self { connected: target.connect().await?, backend: Backend::default() };
        let acquired = async {
            let client = &session.connected.client;
            client.batch_execute(SESSION).await?;
            let this = client.query_one(THIS_SESSION, &[]).await?;
            session.backend = (this.try_get(0)?, this.try_get(1)?);
            if let Some((pid, start)) = lost {
                client.execute(END_LOST_SESSION, &[pid, start]).await?;
            }
            client.execute(NAME_SESSION, &[&node.session_name()]).await?;
            let lock = if *claim == Claim::Shared { TRY_SHARED_LOCK } else { TRY_LOCK };
            client.query_one(lock, &[]).await?.try_get::<_, bool>(0)
        };
        let acquired = acquired.await.map_err(DbError::from)?;
        let owner = session.owner().await?;
        if !acquired {
            return Ok(Attempt::Rejected(Error::Conflict(node::in_use(owner.as_ref()))));
        }
        match owner {
            Some(owner) if *claim == Claim::Alone && !owner.same_data_as(node) => {
                Err(Error::Conflict(node::other_data(&owner, node)))
            }
            Some(_) => {
                session.begin_epoch(target).await?;
                Ok(Attempt::Acquired(Box::new(session)))
            }
            // No node has served it, so no other server can have an older state of it.
            None => Ok(Attempt::Acquired(Box::new(session))),
        }
    }

    /// Distinguishes this server from all that have an older state of the database. The database comes first: if the
    /// process ends in between, both servers are still as good as each other.
    async fn begin_epoch(&self, target: &Target) -> Result<()> {
        let mut previous = self.connected.epoch.clone();
        for _ in 0..EPOCH_ATTEMPTS_MAX {
            let epoch = Epoch::after(previous.as_ref())?;
            let expected = previous.as_ref().map(ToString::to_string).unwrap_or_default();
            let client = &self.connected.client;
            let written = client.execute(WRITE_EPOCH, &[&epoch.to_string(), &expected]).await.map_err(DbError::from)?;
            if written > 0 {
                let advanced = target.fence.advance(epoch);
                return advanced.inspect_err(|error| tracing::error!(%error, "cannot record the server in use"));
            }
            let found = client.query_opt(READ_EPOCH, &[]).await.map_err(DbError::from)?;
            let found = found.map(|row| row.try_get::<_, String>(0)).transpose().map_err(DbError::from)?;
            previous = found.as_deref().and_then(Epoch::parse);
        }
        Err(Error::Unavailable("too many nodes take the database at the same time".into()))
    }

    fn term(&self) -> Arc<Term> {
        Arc::new(Term { server: self.connected.server.clone() })
    }

    /// The node that served the database last, if any did. A new database has no tables.
    async fn owner(&self) -> Result<Option<Node>> {
        let read = async {
            let table = self.connected.client.query_one("select to_regclass('setting') is not null", &[]).await?;
            if !table.try_get::<_, bool>(0)? {
                return Ok(None);
            }
            let client = &self.connected.client;
            let row = client.query_opt("select value from setting where name = $1", &[&node::SETTING]).await?;
            row.map(|row| row.try_get::<_, Vec<u8>>(0)).transpose()
        };
        let found: Result<Option<Vec<u8>>, tokio_postgres::Error> = read.await;
        Ok(found.map_err(DbError::from)?.and_then(|value| Node::parse(&value)))
    }

    /// Returns when the session is lost. Until then, the node leads as soon as no other does.
    async fn wait_until_lost(&mut self, leads: &AtomicBool) {
        loop {
            self.connected.driver.closed_within(CHECK_INTERVAL).await;
            let check = if leads.load(Ordering::Relaxed) { "select true" } else { TRY_LEAD };
            let checked = tokio::time::timeout(CHECK_TIMEOUT, self.connected.client.query_one(check, &[])).await;
            let Ok(Ok(row)) = checked else { return };
            leads.store(row.try_get(0).unwrap_or_default(), Ordering::Relaxed);
        }
    }
}

/// Who takes a database, and which.
struct Claimant {
    target: Target,
    node: Node,
    claim: Claim,
}

async fn keep_owning(
    mut session: Box<Session>,
    claimant: Claimant,
    term: Arc<Mutex<Option<Arc<Term>>>>,
    leads: Arc<AtomicBool>,
) {
    loop {
        session.wait_until_lost(&leads).await;
        *term.lock() = None;
        leads.store(claimant.claim != Claim::Shared, Ordering::Relaxed);
        tracing::error!("the session that owns the database is lost: no writes until it is restored");
        let lost = session.backend.clone();
        session = acquire_again(&claimant, &lost).await;
        *term.lock() = Some(session.term());
        tracing::info!("this node owns the database again");
    }
}

/// Tries at once and then until it succeeds; reports another owner once.
async fn acquire_again(claimant: &Claimant, lost: &Backend) -> Box<Session> {
    let mut reported = false;
    loop {
        match Session::open(claimant, Some(lost)).await {
            Ok(Attempt::Acquired(session)) => return session,
            Ok(Attempt::Rejected(error)) | Err(error @ Error::Conflict(_)) if !reported => {
                reported = true;
                tracing::error!(%error, "another node has taken the database");
            }
            // The database is down, which every request reports already.
            Ok(Attempt::Rejected(_)) | Err(_) => {}
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}
