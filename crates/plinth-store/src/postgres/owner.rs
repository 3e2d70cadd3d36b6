//! One node per database: a session with an advisory lock for as long as the server runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::Client;

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
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The right to serve a database. It is acquired again when its session is lost, and released when dropped.
pub struct Ownership {
    is_owner: Arc<AtomicBool>,
    monitor: tokio::task::JoinHandle<()>,
}

impl Ownership {
    /// Acquires the database, or fails with the name of its owner.
    pub async fn take(url: &str, node: &Node) -> Result<Self> {
        let started = Instant::now();
        let session = loop {
            match Session::open(url, node, None).await? {
                Attempt::Acquired(session) => break session,
                Attempt::Rejected(error) if started.elapsed() >= START_TIMEOUT => return Err(error),
                Attempt::Rejected(_) => tokio::time::sleep(RETRY_INTERVAL).await,
            }
        };
        let is_owner = Arc::new(AtomicBool::new(true));
        let monitor = tokio::spawn(keep_owning(session, url.to_owned(), node.clone(), is_owner.clone()));
        Ok(Self { is_owner, monitor })
    }

    /// Fails while the session is lost: another node may own the database meanwhile.
    pub fn check(&self) -> Result<()> {
        if self.is_owner.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(Error::Unavailable("this node does not own the database at the moment".into()))
    }
}

impl Drop for Ownership {
    fn drop(&mut self) {
        self.monitor.abort();
    }
}

/// The outcome of an attempt to get the lock.
enum Attempt {
    Acquired(Session),
    Rejected(Error),
}

/// A connection of its own, with the lock.
struct Session {
    client: Client,
    backend: Backend,
    driver: tokio::task::JoinHandle<()>,
}

/// A session as the server knows it: its number, and when it started.
type Backend = (i32, String);

impl Drop for Session {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Session {
    /// An attempt has a time limit, since the database may not respond.
    async fn open(url: &str, node: &Node, lost: Option<&Backend>) -> Result<Attempt> {
        let attempt = tokio::time::timeout(RESPONSE_TIMEOUT, Self::try_open(url, node, lost)).await;
        attempt.unwrap_or_else(|_| Err(DbError::timed_out().into()))
    }

    async fn try_open(url: &str, node: &Node, lost: Option<&Backend>) -> Result<Attempt> {
        let (client, driver) = Target::parse(url)?.connect().await?;
        let mut session = Self { client, driver, backend: Backend::default() };
        let acquired = async {
            session.client.batch_execute(SESSION).await?;
            let this = session.client.query_one(THIS_SESSION, &[]).await?;
            session.backend = (this.try_get(0)?, this.try_get(1)?);
            if let Some((pid, start)) = lost {
                session.client.execute(END_LOST_SESSION, &[pid, start]).await?;
            }
            session.client.query_one(TRY_LOCK, &[]).await?.try_get::<_, bool>(0)
        };
        let acquired = acquired.await.map_err(DbError::from)?;
        let owner = session.owner().await?;
        if !acquired {
            return Ok(Attempt::Rejected(Error::Conflict(node::in_use(owner.as_ref()))));
        }
        match owner {
            Some(owner) if !owner.same_data_as(node) => Err(Error::Conflict(node::other_data(&owner, node))),
            Some(_) | None => Ok(Attempt::Acquired(session)),
        }
    }

    /// The node that served the database last, if any did. A new database has no tables.
    async fn owner(&self) -> Result<Option<Node>> {
        let read = async {
            let table = self.client.query_one("select to_regclass('setting') is not null", &[]).await?;
            if !table.try_get::<_, bool>(0)? {
                return Ok(None);
            }
            let row = self.client.query_opt("select value from setting where name = $1", &[&node::SETTING]).await?;
            row.map(|row| row.try_get::<_, Vec<u8>>(0)).transpose()
        };
        let found: Result<Option<Vec<u8>>, tokio_postgres::Error> = read.await;
        Ok(found.map_err(DbError::from)?.and_then(|value| Node::parse(&value)))
    }

    /// Returns when the session is lost.
    async fn wait_until_lost(&self) {
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            let alive = tokio::time::timeout(RESPONSE_TIMEOUT, self.client.simple_query("select 1")).await;
            if !matches!(alive, Ok(Ok(_))) {
                return;
            }
        }
    }
}

async fn keep_owning(mut session: Session, url: String, node: Node, is_owner: Arc<AtomicBool>) {
    loop {
        session.wait_until_lost().await;
        is_owner.store(false, Ordering::SeqCst);
        tracing::error!("the session that owns the database is lost: no writes until it is restored");
        let lost = session.backend.clone();
        session = acquire_again(&url, &node, &lost).await;
        is_owner.store(true, Ordering::SeqCst);
        tracing::info!("this node owns the database again");
    }
}

/// Tries at once and then until it succeeds; reports another owner once.
async fn acquire_again(url: &str, node: &Node, lost: &Backend) -> Session {
    let mut reported = false;
    loop {
        match Session::open(url, node, Some(lost)).await {
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
