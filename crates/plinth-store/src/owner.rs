//! One node per database: a session that holds an advisory lock for as long as the server runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use super::node::{self, Node};
use super::{DbError, postgres};
use plinth_base::error::{Error, Result};

/// Advisory locks belong to one database, so one number is enough.
const TRY_LOCK: &str = "select pg_try_advisory_lock(7015349)";
/// The server notices within half a minute that the machine of the owner is gone.
const SESSION: &str = "set statement_timeout = 5000; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; \
                       set tcp_keepalives_count = 3";
/// The session of a process that was just killed may need a moment to end.
const START_PATIENCE: Duration = Duration::from_secs(3);
/// Ends the session that this node has lost, where the server still believes in it: after a silence of the network it
/// would hold the lock until the server notices, which behind a proxy is never. The time of its start tells it from a
/// later session with the same number.
const END_LOST_SESSION: &str = "select pg_terminate_backend(activity.pid) \
    from pg_stat_activity activity join pg_locks held on held.pid = activity.pid \
    where held.locktype = 'advisory' and held.objid = 7015349 and held.granted \
    and activity.datname = current_database() and activity.pid = $1 and activity.backend_start::text = $2";
const THIS_SESSION: &str = "select pid, backend_start::text from pg_stat_activity where pid = pg_backend_pid()";
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The right to serve a database. It is watched, taken again when its session is lost, and given back when dropped.
pub struct Ownership {
    held: Arc<AtomicBool>,
    watching: tokio::task::JoinHandle<()>,
}

impl Ownership {
    /// Takes the database, or says who has it.
    pub async fn take(url: &str, node: &Node) -> Result<Self> {
        let started = Instant::now();
        let session = loop {
            match Session::open(url, node, None).await? {
                Attempt::Taken(session) => break session,
                Attempt::Refused(refusal) if started.elapsed() >= START_PATIENCE => return Err(refusal),
                Attempt::Refused(_) => tokio::time::sleep(RETRY_INTERVAL).await,
            }
        };
        let held = Arc::new(AtomicBool::new(true));
        let watching = tokio::spawn(watch(session, url.to_owned(), node.clone(), held.clone()));
        Ok(Self { held, watching })
    }

    /// Refuses while the session is lost: another node may own the database meanwhile.
    pub fn check(&self) -> Result<()> {
        if self.held.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(Error::Unavailable("this node does not own the database at the moment".into()))
    }
}

impl Drop for Ownership {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

/// What an attempt to take the lock came to.
enum Attempt {
    Taken(Session),
    Refused(Error),
}

/// A connection of its own that holds the lock.
struct Session {
    client: Client,
    backend: Backend,
    driving: tokio::task::JoinHandle<()>,
}

/// A session as the server knows it: its number, and when it started.
type Backend = (i32, String);

impl Drop for Session {
    fn drop(&mut self) {
        self.driving.abort();
    }
}

impl Session {
    /// An attempt that gets no answer is given up; the database may be silent.
    async fn open(url: &str, node: &Node, lost: Option<&Backend>) -> Result<Attempt> {
        let attempt = tokio::time::timeout(ANSWER_TIMEOUT, Self::try_open(url, node, lost)).await;
        attempt.unwrap_or_else(|_| Err(Error::Unavailable("the database did not answer in time".into())))
    }

    async fn try_open(url: &str, node: &Node, lost: Option<&Backend>) -> Result<Attempt> {
        let (client, driving) = postgres::connect(url).await?;
        let mut session = Self { client, driving, backend: Backend::default() };
        let taken = async {
            session.client.batch_execute(SESSION).await?;
            let this = session.client.query_one(THIS_SESSION, &[]).await?;
            session.backend = (this.try_get(0)?, this.try_get(1)?);
            if let Some((pid, start)) = lost {
                session.client.execute(END_LOST_SESSION, &[pid, start]).await?;
            }
            session.client.query_one(TRY_LOCK, &[]).await?.try_get::<_, bool>(0)
        };
        let taken = taken.await.map_err(DbError::from)?;
        let owner = session.owner().await?;
        if !taken {
            return Ok(Attempt::Refused(Error::Conflict(node::in_use(owner.as_ref()))));
        }
        match owner {
            Some(owner) if !owner.same_data_as(node) => Err(Error::Conflict(node::other_data(&owner, node))),
            Some(_) | None => Ok(Attempt::Taken(session)),
        }
    }

    /// The node that served the database last, if any did. A new database has not even a table.
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
    async fn watch(&self) {
        loop {
            tokio::time::sleep(WATCH_INTERVAL).await;
            let alive = tokio::time::timeout(ANSWER_TIMEOUT, self.client.simple_query("select 1")).await;
            if !matches!(alive, Ok(Ok(_))) {
                return;
            }
        }
    }
}

async fn watch(mut session: Session, url: String, node: Node, held: Arc<AtomicBool>) {
    loop {
        session.watch().await;
        held.store(false, Ordering::SeqCst);
        tracing::error!("the session that owns the database is lost: no writes until it is back");
        let lost = session.backend.clone();
        session = take_again(&url, &node, &lost).await;
        held.store(true, Ordering::SeqCst);
        tracing::info!("this node owns the database again");
    }
}

/// Tries at once and then until it succeeds; reports another owner once.
async fn take_again(url: &str, node: &Node, lost: &Backend) -> Session {
    let mut reported = false;
    loop {
        match Session::open(url, node, Some(lost)).await {
            Ok(Attempt::Taken(session)) => return session,
            Ok(Attempt::Refused(error)) | Err(error @ Error::Conflict(_)) if !reported => {
                reported = true;
                tracing::error!(%error, "another node has taken the database");
            }
            // The database is away, which every request says already.
            Ok(Attempt::Refused(_)) | Err(_) => {}
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}
