//! What transactions of all nodes have changed (docs/decisions/0172-caches-on-postgresql.md).
//!
//! Every write transaction adds a row that says what it has changed. Before a request uses a cached value, its node reads
//! the rows that it has not seen yet, and records them in its [`GenerationTable`]. Requests that wait at the same time share one
//! refresh: each needs one that begins after the request has arrived.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio_postgres::Statement;

use super::hosts::Connected;
use super::own_changes::{Committed, OwnChanges};
use super::{Engine, Shared};
use crate::{DbError, GenerationTable, Generations};
use plinth_base::error::Result;

/// If there are more changes, everything may have changed.
const CHANGES_MAX: usize = 1_000;
/// Rows that were seen are deleted when there are so many.
const SEEN_MAX: usize = 10_000;
/// As long as a statement of a request may take.
const TIMEOUT: Duration = Duration::from_secs(12);

/// The changes that a snapshot, `$1`, does not have; `$2` is its oldest running transaction. All parts of the statement see the
/// same snapshot, which it returns.
const REFRESH: &str = "select cast(pg_current_snapshot() as text), d.number, \
    exists (select 1 from revocation where changed_by >= $2 \
        and not pg_visible_in_snapshot(cast(cast(changed_by as text) as xid8), cast(cast($1 as text) as pg_snapshot))), \
    array(select unnest(array[r.number, r.detail, r.changed_by]) from (select scope * 2 + cast(pulls as int) as number, detail, changed_by \
        from change where changed_by >= $2 \
        and not pg_visible_in_snapshot(cast(cast(changed_by as text) as xid8), cast(cast($1 as text) as pg_snapshot)) \
        order by changed_by desc limit $3) r) \
    from change_deletion d";
/// If the table has thousands of rows, PostgreSQL estimates that a custom plan, for the values at hand, is much cheaper than a generic one. It would
/// then plan each refresh anew, which takes four times as long as to carry it out.
const PLAN_ONCE: &str = "set plan_cache_mode = force_generic_plan";
const BEGIN: &str = "select cast(pg_current_snapshot() as text), number from change_deletion";
/// Rows of transactions that have not begun yet are from another server, of which this database is a copy.
const DELETE: &str = "with previous as (select cast(snapshot as pg_snapshot) as snapshot, \
        cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint) as next from change_deletion), \
    changes as (delete from change c using previous p where c.changed_by >= p.next \
        or pg_visible_in_snapshot(cast(cast(c.changed_by as text) as xid8), p.snapshot)), \
    revocations as (delete from revocation r using previous p where r.changed_by >= p.next \
        or pg_visible_in_snapshot(cast(cast(r.changed_by as text) as xid8), p.snapshot)) \
    update change_deletion set number = number + 1, snapshot = cast(pg_current_snapshot() as text)";

/// A state of the database whose changes the node has recorded.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// Transactions of another server have other numbers.
    pub server: Arc<str>,
    pub snapshot: String,
    /// The oldest transaction that was running. All before it are in the snapshot.
    pub oldest: i64,
}

impl Seen {
    fn parse(server: &Arc<str>, snapshot: String) -> Result<Self, DbError> {
        let oldest = snapshot.split(':').next().and_then(|number| number.parse().ok());
        let oldest = oldest.ok_or_else(|| DbError::Fault(format!("{snapshot} is no snapshot").into()))?;
        Ok(Self { server: server.clone(), snapshot, oldest })
    }
}

/// What this node knows of the changes.
#[derive(Default)]
pub(super) struct ChangeLog {
    pub table: Arc<GenerationTable>,
    waiting: Mutex<Waiting>,
    /// Used by one refresh at a time.
    session: tokio::sync::Mutex<Option<Session>>,
    seen: Mutex<Option<Arc<Seen>>>,
    /// Locked while something is recorded.
    own: Mutex<OwnChanges>,
}

#[derive(Default)]
struct Waiting {
    requests: Vec<oneshot::Sender<Option<Generations>>>,
    is_refreshing: bool,
}

impl ChangeLog {
    /// The last state that was read. The table has its changes, and maybe later ones.
    pub fn seen(&self) -> Option<Arc<Seen>> {
        self.seen.lock().clone()
    }

    /// Records a transaction of this node, if it can be said what has changed since its snapshot. Otherwise its rows are read, as those of
    /// other nodes are.
    pub fn record_own(&self, committed: &Committed<'_>) {
        self.own.lock().record(&self.table, committed);
    }
}

impl Engine {
    /// The generations as of now, or later. Nothing while the database does not respond.
    pub async fn generations(&self) -> Option<Generations> {
        let (sender, receiver) = oneshot::channel();
        let is_first = {
            let mut waiting = self.shared.changes.waiting.lock();
            waiting.requests.push(sender);
            !std::mem::replace(&mut waiting.is_refreshing, true)
        };
        if is_first {
            // Whoever waits for the result may be gone before the others.
            tokio::spawn(refresh_for_all(self.clone()));
        }
        receiver.await.ok().flatten()
    }

    pub fn generation_table(&self) -> &Arc<GenerationTable> {
        &self.shared.changes.table
    }
}

/// Ends the refreshes if their task ends, however it does: whoever waits gets nothing, and the next one starts another task.
struct Refreshing<'a>(&'a ChangeLog);

impl Drop for Refreshing<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock();
        waiting.is_refreshing = false;
        waiting.requests.clear();
    }
}

async fn refresh_for_all(engine: Engine) {
    let changes = &engine.shared.changes;
    let refreshing = Refreshing(changes);
    let mut session = changes.session.lock().await;
    loop {
        let requests = {
            let mut waiting = changes.waiting.lock();
            if waiting.requests.is_empty() {
                waiting.is_refreshing = false;
                std::mem::forget(refreshing);
                return;
            }
            std::mem::take(&mut waiting.requests)
        };
        let found = refresh(&engine, &mut session).await;
        for request in requests {
            let _ = request.send(found);
        }
    }
}

async fn refresh(engine: &Engine, session: &mut Option<Session>) -> Option<Generations> {
    let shared = &engine.shared;
    if shared.monitor.check().is_err() {
        return None;
    }
    let mut usable = session.take().filter(|session| session.is_usable(shared));
    let refreshed = tokio::select! {
        outcome = refresh_in(engine, &mut usable) => outcome.ok(),
        () = tokio::time::sleep(TIMEOUT) => None,
        () = shared.monitor.suspected_for_long() => None,
    };
    match refreshed {
        Some(()) => *session = usable,
        // What is known so far cannot be compared with what the next session finds.
        None => {
            *shared.changes.seen.lock() = None;
            *shared.changes.own.lock() = OwnChanges::default();
        }
    }
    refreshed.map(|()| shared.changes.table.now())
}

async fn refresh_in(engine: &Engine, session: &mut Option<Session>) -> Result<(), DbError> {
    let changes = &engine.shared.changes;
    let seen = match session {
        Some(session) => session.refresh(engine).await?,
        None => {
            let (opened, seen) = Session::open(&engine.shared).await?;
            changes.own.lock().begin(&changes.table, seen.server.clone());
            *session = Some(opened);
            seen
        }
    };
    // Last: the table has everything that this state has.
    *changes.seen.lock() = Some(seen);
    Ok(())
}

/// A connection of its own, so that refreshes do not wait for one of the pool.
struct Session {
    connected: Connected,
    opened: Instant,
    statement: Statement,
    seen: Arc<Seen>,
    /// The last deletion of rows that it knows.
    deletion: i64,
    /// How many rows it has seen since it last deleted some.
    rows: usize,
}

impl Session {
    async fn open(shared: &Shared) -> Result<(Self, Arc<Seen>), DbError> {
        let connected = shared.target.connect().await?;
        connected.client.batch_execute(PLAN_ONCE).await?;
        let statement = connected.client.prepare(REFRESH).await?;
        let row = connected.client.query_one(BEGIN, &[]).await?;
        let seen = Arc::new(Seen::parse(&connected.server, row.try_get(0)?)?);
        let deletion = row.try_get(1)?;
        let opened = Instant::now();
        // The rows of earlier sessions are deleted with the first of this one.
        Ok((Self { connected, opened, statement, seen: seen.clone(), deletion, rows: SEEN_MAX }, seen))
    }

    fn is_usable(&self, shared: &Shared) -> bool {
        !self.connected.driver.is_closed()
            && !shared.monitor.is_suspect(self.opened)
            && shared.owner.as_ref().is_none_or(|owner| !owner.is_elsewhere(&self.connected.server))
    }

    /// Records what has changed since the last refresh.
    async fn refresh(&mut self, engine: &Engine) -> Result<Arc<Seen>, DbError> {
        let limit = i64::try_from(CHANGES_MAX).unwrap_or(i64::MAX);
        let row =
            self.connected.client.query_one(&self.statement, &[&self.seen.snapshot, &self.seen.oldest, &limit]).await?;
        let (snapshot, deletion): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
        let (revoked, numbers): (bool, Vec<i64>) = (row.try_get(2)?, row.try_get(3)?);
        let (rows, _) = numbers.as_chunks();
        let ChangeLog { table, own, .. } = &engine.shared.changes;
        // What the last deletion has deleted, this node had seen before the one before it.
        let is_complete = deletion <= self.deletion + 1 && rows.len() < CHANGES_MAX;
        if revoked || !is_complete {
            own.lock().record_unknown(table);
        } else if !rows.is_empty() {
            own.lock().record_rows(table, rows);
        }
        if snapshot != self.seen.snapshot {
            self.seen = Arc::new(Seen::parse(&self.connected.server, snapshot)?);
        }
        self.deletion = deletion;
        self.rows += rows.len() + usize::from(revoked);
        if self.rows > SEEN_MAX && engine.leads() {
            self.rows = 0;
            tokio::spawn(delete_seen(engine.clone()));
        }
        Ok(self.seen.clone())
    }
}

/// Deletes the rows that were there at the last deletion.
async fn delete_seen(engine: Engine) {
    let deleted = async {
        let mut client = engine.begin_unordered().await?;
        client.query_raw(DELETE, &[]).await?;
        client.end("commit").await?;
        Ok(())
    };
    let deleted: Result<()> = deleted.await;
    if let Err(error) = deleted {
        tracing::debug!(%error, "rows about changes could not be deleted");
    }
}
