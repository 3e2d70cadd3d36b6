//! One node per database: a session with an advisory lock for as long as the server runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::epoch::Epoch;
use super::hosts::Connected;
use super::target::Target;
use crate::DbError;
use crate::node::{self, Node};
use plinth_base::error::{Error, Result};

/// Advisory locks belong to one database, so one number is enough.
const TRY_LOCK: &str = "select pg_try_advisory_lock(7015349)";
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
const WRITE_EPOCH: &str = "insert into setting (name, value) values ('epoch', convert_to($1, 'UTF8')) \
                           on conflict (name) do update set value = excluded.value";
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// A session that takes longer to respond counts as lost. Losing it costs little: it is acquired again at once.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// The right to serve a database. It is acquired again when its session is lost, and released when dropped.
pub struct Ownership {
    term: Arc<Mutex<Option<Arc<Term>>>>,
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
    pub async fn take(target: &Target, node: &Node) -> Result<Self> {
        let started = Instant::now();
        let session = loop {
            match Session::open(target, node, None).await? {
                Attempt::Acquired(session) => break session,
                Attempt::Rejected(error) if started.elapsed() >= START_TIMEOUT => return Err(error),
                Attempt::Rejected(_) => tokio::time::sleep(RETRY_INTERVAL).await,
            }
        };
        let term = Arc::new(Mutex::new(Some(session.term())));
        let monitor = tokio::spawn(keep_owning(session, target.clone(), node.clone(), term.clone()));
        Ok(Self { term, monitor })
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
    async fn open(target: &Target, node: &Node, lost: Option<&Backend>) -> Result<Attempt> {
        let attempt = tokio::time::timeout(RESPONSE_TIMEOUT, Self::try_open(target, node, lost)).await;
        attempt.unwrap_or_else(|_| Err(DbError::timed_out().into()))
    }

    async fn try_open(target: &Target, node: &Node, lost: Option<&Backend>) -> Result<Attempt> {
        let mut session = Self { connected: target.connect().await?, backend: Backend::default() };
        let acquired = async {
            let client = &session.connected.client;
            client.batch_execute(SESSION).await?;
            let this = client.query_one(THIS_SESSION, &[]).await?;
            session.backend = (this.try_get(0)?, this.try_get(1)?);
            if let Some((pid, start)) = lost {
                client.execute(END_LOST_SESSION, &[pid, start]).await?;
            }
            client.query_one(TRY_LOCK, &[]).await?.try_get::<_, bool>(0)
        };
        let acquired = acquired.await.map_err(DbError::from)?;
        let owner = session.owner().await?;
        if !acquired {
            return Ok(Attempt::Rejected(Error::Conflict(node::in_use(owner.as_ref()))));
        }
        match owner {
            Some(owner) if !owner.same_data_as(node) => Err(Error::Conflict(node::other_data(&owner, node))),
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
        let epoch = Epoch::after(self.connected.epoch.as_ref())?;
        let written = self.connected.client.execute(WRITE_EPOCH, &[&epoch.to_string()]).await;
        written.map_err(DbError::from)?;
        target.fence.advance(epoch).inspect_err(|error| tracing::error!(%error, "cannot record the server in use"))
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

    /// Returns when the session is lost.
    async fn wait_until_lost(&mut self) {
        loop {
            self.connected.driver.closed_within(CHECK_INTERVAL).await;
            let alive = tokio::time::timeout(CHECK_TIMEOUT, self.connected.client.simple_query("select 1")).await;
            if !matches!(alive, Ok(Ok(_))) {
                return;
            }
        }
    }
}

async fn keep_owning(mut session: Box<Session>, target: Target, node: Node, term: Arc<Mutex<Option<Arc<Term>>>>) {
    loop {
        session.wait_until_lost().await;
        *term.lock() = None;
        tracing::error!("the session that owns the database is lost: no writes until it is restored");
        let lost = session.backend.clone();
        session = acquire_again(&target, &node, &lost).await;
        *term.lock() = Some(session.term());
        tracing::info!("this node owns the database again");
    }
}

/// Tries at once and then until it succeeds; reports another owner once.
async fn acquire_again(target: &Target, node: &Node, lost: &Backend) -> Box<Session> {
    let mut reported = false;
    loop {
        match Session::open(target, node, Some(lost)).await {
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
