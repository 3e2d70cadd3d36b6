//! Write transactions: how each begins and ends, and how often it runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::changes::Seen;
use super::client::Client;
use super::owner::Term;
use super::queues::Write;
use super::turns::Turn;
use super::{Engine, Isolation, RightsLock};
use crate::{Connection, DbError, InvalidationScope, Transaction};
use plinth_base::error::{Error, Result};

/// How often a transaction runs before the caller gets an error.
const RUNS_MAX: u32 = 12;
/// A transaction that has failed to serialize so often runs while no other of this node does. PostgreSQL detects conflicts by
/// pages of indexes, too, so that a large transaction may fail again and again because of small ones that change other data.
const RUNS_WITH_OTHERS_MAX: u32 = 4;

/// A transaction that has begun, or is about to, and the node's time as owner in which it was.
pub(super) struct Begun {
    pub tx: Transaction,
    term: Option<Arc<Term>>,
}

impl Begun {
    pub fn client(&mut self) -> &mut Client {
        match &mut *self.tx {
            Connection::Postgres(client) => client,
            Connection::Sqlite(_) => unreachable!("the transaction was begun on PostgreSQL"),
        }
    }
}

impl Engine {
    /// Runs a write in a transaction of its own.
    pub(super) async fn write_alone(&self, write: &Write) -> Result<bool> {
        let mut lock = if write.changes_rights { RightsLock::Exclusive } else { RightsLock::Shared };
        let mut trusts_checks = true;
        for run in 0..RUNS_MAX {
            // Before anything that was checked is compared with it.
            let seen = self.shared.changes.seen().filter(|_| trusts_checks);
            let ran = if run < RUNS_WITH_OTHERS_MAX {
                let _with_others = self.shared.alone.read().await;
                self.run_once(write, lock, seen).await
            } else {
                let _alone = self.shared.alone.write().await;
                self.run_once(write, lock, seen).await
            };
            match ran {
                Err(error) if DbError::needs_rights_lock(&error) => lock = RightsLock::Exclusive,
                Err(error) if DbError::needs_look_up(&error) => trusts_checks = false,
                Err(error) if DbError::needs_another_run(&error) => tokio::time::sleep(backoff(run)).await,
                decided => return decided,
            }
        }
        Err(Error::Unavailable("too many changes to the same data".into()))
    }

    async fn run_once(&self, write: &Write, lock: RightsLock, seen: Option<Arc<Seen>>) -> Result<bool> {
        let mut begun = self.begin(write.label.scope, lock, seen).await?;
        let outcome = write.work.run(&mut begun.tx).await;
        let signals = begun.tx.take_signal();
        let (ended, took) = self.end(begun, outcome).await;
        self.shared.times.observe(write.label.operation, took);
        ended.map(|()| signals)
    }

    /// Begins a transaction that changes something in a scope.
    pub(super) async fn begin(
        &self,
        scope: InvalidationScope,
        lock: RightsLock,
        seen: Option<Arc<Seen>>,
    ) -> Result<Begun> {
        let mut begun = self.prepare(scope, lock, seen).await?;
        begun.client().begin(Isolation::Serializable);
        Ok(begun)
    }

    async fn prepare(&self, scope: InvalidationScope, lock: RightsLock, seen: Option<Arc<Seen>>) -> Result<Begun> {
        let term = self.term()?;
        self.shared.commits.check()?;
        let mut client = self.client().await?;
        if term.as_ref().is_some_and(|term| !term.is_on(client.server())) {
            return Err(Error::Unavailable("this node does not own the database on the new server yet".into()));
        }
        let is_shared = self.shared.owner.as_ref().is_some_and(|owner| owner.is_shared());
        let seen = seen.filter(|seen| *seen.server == *client.server());
        client.prepare(lock, is_shared.then(|| Turn::of(scope)).flatten(), seen);
        let mut tx = Transaction::new(Connection::Postgres(client));
        tx.set_scope(scope);
        Ok(Begun { tx, term })
    }

    /// As [`Engine::begin`], up to the beginning itself, for a batch. Also returns the scopes whose turn it is: nobody waits for
    /// another node.
    pub(super) async fn prepare_batch(
        &self,
        scopes: &[InvalidationScope],
        lock: RightsLock,
        seen: Option<Arc<Seen>>,
    ) -> Result<(Begun, Vec<InvalidationScope>)> {
        if let [scope] = scopes {
            return Ok((self.prepare(*scope, lock, seen).await?, vec![*scope]));
        }
        let mut begun = self.prepare(InvalidationScope::Everything, lock, seen).await?;
        if !self.shared.owner.as_ref().is_some_and(|owner| owner.is_shared()) {
            return Ok((begun, scopes.to_vec()));
        }
        let taken = begun.client().take_turns(scopes.iter().copied().filter_map(Turn::of).collect()).await?;
        let is_taken = |scope: &InvalidationScope| Turn::of(*scope).is_some_and(|turn| taken.contains(&turn));
        Ok((begun, scopes.iter().copied().filter(is_taken).collect()))
    }

    /// Commits, or rolls back after an error, which it returns. Also returns how long the transaction took.
    pub(super) async fn end(&self, mut begun: Begun, outcome: Result<()>) -> (Result<()>, Duration) {
        let term = begun.term.clone();
        let client = begun.client();
        let ended = match outcome.and_then(|()| self.check_term(term.as_ref())) {
            // A former primary may commit after the database has moved: nobody will find that there.
            Ok(()) => self.commit(client).await.and_then(|()| self.check_term(term.as_ref())),
            Err(error) => {
                // The error counts more than a failing rollback: the guard closes such a connection.
                let _ = client.roll_back().await;
                Err(error)
            }
        };
        let began = client.write.begun.unwrap_or_else(Instant::now);
        (ended, began.elapsed())
    }

    async fn commit(&self, client: &mut Client) -> Result<()> {
        let waiting = self.shared.commits.begin();
        let ended = client.commit().await;
        if !matches!(ended, Err(DbError::Unavailable(_))) {
            waiting.finish();
        }
        Ok(ended?)
    }
}

/// A short, growing pause that differs between transactions that conflict.
pub(super) fn backoff(run: u32) -> Duration {
    let spread =
        u64::from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.subsec_micros()));
    Duration::from_micros((500 << run.min(7)) + spread % 2_000)
}
