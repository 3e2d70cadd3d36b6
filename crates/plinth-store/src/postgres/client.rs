//! One pooled connection. It returns to the pool only when no statement or transaction is unfinished.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio_postgres::types::ToSql;

use super::batch_link::BatchLink;
use super::changes::Seen;
use super::declared::Declared;
use super::failure::Failure;
use super::own_changes::{Committed, MemberChanges};
use super::pipeline::{Pipeline, Purpose};
use super::pool::Object;
use super::turns::Turn;
use super::{RightsLock, Shared};
use crate::deferred::Deferred;
use crate::effect;
use crate::{DbError, DeferredUse, Dependency, FromRow, Generations, Row, Value};

/// The client's own limit for one statement, a little above the server's, for a server that does not respond.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(12);

/// A pooled connection. It is closed, not used again, when it is dropped inside a transaction or during a statement.
pub struct Client {
    pub(super) link: Link,
    engine: Arc<Shared>,
    /// The lock of the running write transaction, if there is one.
    pub(super) running: Option<RightsLock>,
    in_statement: bool,
    /// Boxed, because every future that reads would be larger.
    pub(super) write: Box<WriteState>,
    /// Statements that are sent with the next one. At first, what begins the transaction.
    pub(super) pipeline: Pipeline,
    /// Whether statements have no time limit.
    is_unlimited: bool,
}

/// What is at the other end.
#[expect(clippy::large_enum_variant, reason = "almost every connection has the large one")]
pub(super) enum Link {
    Own(Object),
    /// The connection of a batch, which sends the statements of all its members together.
    Batch(BatchLink),
    Closed,
}

/// What a connection knows of its running write transaction.
#[derive(Default)]
pub(super) struct WriteState {
    /// The locks on what the transaction changes, if other nodes change it too.
    pub turns: Vec<Turn>,
    /// The state of which rights were checked before the transaction. Without one, they are looked up again.
    pub seen: Option<Arc<Seen>>,
    /// When the server had begun it.
    pub begun: Option<Instant>,
    /// Whether there was an active webhook when the transaction began, and it has not changed rights.
    pub webhooks: Option<bool>,
    /// What all members have changed.
    pub declared: Declared,
    /// What each of them has.
    pub members: Vec<MemberChanges>,
    /// The generations from before the transaction.
    pub before: Option<Generations>,
    /// What is changed at the end of the batch.
    pub deferred: Deferred,
    /// Whether a statement that was queued may use something of that kind.
    pub uses_deferred: bool,
    /// Whether a row was changed since the last member of the group began.
    pub has_changed: bool,
    /// Why the server accepts no further statement, or why the transaction must not be committed.
    pub failure: Option<Failure>,
}

impl WriteState {
    /// The member that runs. The only one, if the transaction is not shared.
    pub fn member(&mut self) -> &mut MemberChanges {
        if self.members.is_empty() {
            self.members.push(MemberChanges::default());
        }
        self.members.last_mut().expect("there is one")
    }
}

impl Client {
    pub(super) fn new(object: Object, engine: Arc<Shared>) -> Self {
        let (write, pipeline) = (Box::default(), Pipeline::default());
        let link = Link::Own(object);
        Self { link, engine, running: None, in_statement: false, write, pipeline, is_unlimited: false }
    }

    /// For a member of a batch whose transaction this connection has begun.
    pub(super) fn member(&self, link: BatchLink) -> Self {
        let write = Box::new(WriteState { seen: self.write.seen.clone(), ..WriteState::default() });
        let (engine, running, pipeline) = (self.engine.clone(), self.running, Pipeline::default());
        Self { link: Link::Batch(link), engine, running, in_statement: false, write, pipeline, is_unlimited: false }
    }

    /// Whether this is a member of a batch.
    pub fn is_in_batch(&self) -> bool {
        matches!(self.link, Link::Batch(_))
    }

    pub(crate) fn object(&mut self) -> &mut Object {
        match &mut self.link {
            Link::Own(object) => object,
            Link::Batch(_) | Link::Closed => unreachable!("the members of a batch queue all statements"),
        }
    }

    /// The server at the other end.
    pub(super) fn server(&mut self) -> &str {
        &self.object().server
    }

    pub(super) fn set_running(&mut self, lock: Option<RightsLock>) {
        self.running = lock;
    }

    /// Whether there is an active webhook, if the transaction cannot have changed that.
    pub fn known_webhooks(&self) -> Option<bool> {
        self.write.webhooks
    }

    /// Whether no right was revoked between `since` and this transaction, as far as is known. The first round trip of the
    /// transaction finds out the rest, and fails if it is not so.
    pub fn is_unchanged(&self, since: Generations, dependency: Dependency) -> bool {
        let is_trusted = self.running.is_some() && self.write.seen.is_some() && !self.write.declared.changes_rights();
        is_trusted && dependency == Dependency::Rights && self.engine.changes.table.is_unchanged(since, dependency)
    }

    pub(super) fn generations_now(&self) -> Generations {
        self.engine.changes.table.now()
    }

    /// The generations as of what runs in this transaction, which are known after the commit.
    pub fn generations(&mut self) -> Arc<OnceLock<Generations>> {
        self.write.member().generations.get_or_insert_default().clone()
    }

    /// Records what the transaction has changed, once it is committed.
    pub(super) fn record_committed(&mut self, number: i64) {
        let (server, engine) = (self.object().server.clone(), self.engine.clone());
        self.write.members.sort_by_key(|member| member.position);
        if let Some(before) = self.write.before {
            engine.changes.record_own(&Committed { server: &server, number, before, members: &self.write.members });
        }
    }

    /// Begins a transaction that changes rows of which each is a unit of its own, and that may be lost if the database
    /// crashes.
    pub(super) async fn begin_unordered(&mut self) -> Result<(), DbError> {
        self.running = Some(RightsLock::Shared);
        let begin = "begin isolation level read committed read write; set local synchronous_commit = off";
        self.run(async |object| object.batch_execute(begin).await).await
    }

    pub(super) async fn begin_snapshot(&mut self) -> Result<(), DbError> {
        self.running = Some(RightsLock::Shared);
        self.is_unlimited = true;
        let begin = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; \
                     begin isolation level repeatable read read only; select version from schema_version";
        self.run(async |object| object.batch_execute(begin).await).await
    }

    pub async fn optional<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Result<Option<R>, DbError> {
        let rows = self.query(sql, params).await?;
        rows.first().map(|row| R::from_row(&Row::Postgres(row))).transpose()
    }

    pub async fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        let rows = self.query(sql, params).await?;
        rows.iter().map(|row| R::from_row(&Row::Postgres(row))).collect()
    }

    /// As [`Client::optional`], for statements that change something.
    pub async fn insert<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        declared: effect::Declared,
    ) -> Result<Option<R>, DbError> {
        self.declare(sql, declared)?;
        let inserted = self.optional(sql, params).await?;
        self.write.has_changed |= inserted.is_some();
        Ok(inserted)
    }

    pub fn execute<'a>(
        &'a mut self,
        sql: &'static str,
        params: &'a [Value<'a>],
        declared: effect::Declared,
    ) -> BoxFuture<'a, Result<u64, DbError>> {
        Box::pin(async move {
            self.declare(sql, declared)?;
            if !self.pipeline.is_empty() || self.is_in_batch() {
                let number = self.queue_as(sql, params, (DeferredUse::Any, Purpose::Change)).await?;
                return self.queued_count(number).await;
            }
            let params = dynamic(params);
            let changed = self
                .run(async |object| {
                    let statement = object.prepare_cached(sql).await?;
                    object.execute(&statement, &params).await
                })
                .await?;
            self.write.has_changed |= changed > 0;
            Ok(changed)
        })
    }

    /// As [`Client::all`], with parameters that only PostgreSQL has.
    pub(super) async fn query_raw(
        &mut self,
        sql: &'static str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<tokio_postgres::Row>, DbError> {
        self.run(async |object| {
            let statement = object.prepare_cached(sql).await?;
            object.query(&statement, params).await
        })
        .await
    }

    /// Boxed, as [`Client::execute`] is, so that it is compiled in this crate, once.
    fn query<'a>(
        &'a mut self,
        sql: &'static str,
        params: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<Vec<tokio_postgres::Row>, DbError>> {
        Box::pin(async move {
            if !self.pipeline.is_empty() || self.is_in_batch() {
                let number = self.queue(sql, params, DeferredUse::Any).await?;
                return Ok(self.output(number).await?.rows);
            }
            let params = dynamic(params);
            self.run(async |object| {
                let statement = object.prepare_cached(sql).await?;
                object.query(&statement, &params).await
            })
            .await
        })
    }

    /// Runs a statement, up to the time limit. Until it ends the connection counts as unfinished, also when the caller
    /// is dropped meanwhile.
    pub(super) async fn run<T>(
        &mut self,
        statement: impl AsyncFnOnce(&mut Object) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, DbError> {
        self.in_statement = true;
        let (engine, is_limited) = (self.engine.clone(), !self.is_unlimited);
        let ended = tokio::select! {
            ended = statement(self.object()) => ended,
            () = tokio::time::sleep(STATEMENT_TIMEOUT), if is_limited => return Err(self.fail(DbError::timed_out())),
            () = engine.monitor.suspected_for_long(), if is_limited => return Err(self.fail(DbError::timed_out())),
        };
        self.in_statement = false;
        ended.map_err(|error| self.fail(error.into()))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if (self.running.is_some() || self.in_statement)
            && let Link::Own(object) = std::mem::replace(&mut self.link, Link::Closed)
        {
            // Removed from the pool and closed: the server rolls back.
            drop(Object::take(object));
        }
    }
}

fn dynamic<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
