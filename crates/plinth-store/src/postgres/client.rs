//! One pooled connection. It returns to the pool only when no statement or transaction is unfinished.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join};
use tokio_postgres::SimpleQueryMessage;
use tokio_postgres::types::ToSql;

use super::pool::Object;
use super::turns::Turn;
use super::{RightsLock, Shared};
use crate::{DbError, Effect, FromRow, Row, Value};

/// The client's own limit for one statement, a little above the server's, for a server that does not respond.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(12);

/// A pooled connection. It is closed, not used again, when it is dropped inside a transaction or during a statement.
pub struct Client {
    object: Option<Object>,
    engine: Arc<Shared>,
    /// The lock of the running write transaction, if there is one.
    running: Option<RightsLock>,
    in_statement: bool,
    /// The lock on what the running transaction changes, if other nodes change it too.
    turn: Option<Turn>,
    /// Whether there was an active webhook when the running write transaction began, and it has not changed rights.
    webhooks: Option<bool>,
    /// Whether statements have no time limit.
    is_unlimited: bool,
}

impl Client {
    pub(super) fn new(object: Object, engine: Arc<Shared>) -> Self {
        let (object, running, webhooks, turn) = (Some(object), None, None, None);
        Self { object, engine, running, in_statement: false, turn, webhooks, is_unlimited: false }
    }

    pub(crate) fn object(&mut self) -> &mut Object {
        self.object.as_mut().expect("a connection is only taken when dropped")
    }

    /// The server at the other end.
    pub(super) fn server(&mut self) -> &str {
        &self.object().server
    }

    /// Begins a write transaction, after it was the turn of this node to change something. Both take one round trip.
    pub(super) async fn begin(&mut self, lock: RightsLock, turn: Option<Turn>) -> Result<(), DbError> {
        self.running = Some(lock);
        self.turn = turn;
        let begin = self.run(async |object| match turn {
            None => object.simple_query(lock.begin()).await,
            Some(turn) => {
                let (take, begin) = (turn.take(), lock.begin());
                let (taken, begun) = join(object.simple_query(&take), object.simple_query(begin)).await;
                taken.and(begun)
            }
        });
        let messages = begin.await?;
        self.webhooks = Some(messages.iter().any(|message| matches!(message, SimpleQueryMessage::Row(_))));
        Ok(())
    }

    /// Whether there is an active webhook, if the transaction cannot have changed that.
    pub fn known_webhooks(&self) -> Option<bool> {
        self.webhooks
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

    pub(super) async fn end(&mut self, how: &str) -> Result<(), DbError> {
        let turn = self.turn;
        let end = self.run(async |object| match turn {
            None => object.batch_execute(how).await,
            Some(turn) => {
                let give_back = turn.give_back();
                let (ended, given_back) = join(object.batch_execute(how), object.batch_execute(&give_back)).await;
                ended.and(given_back)
            }
        });
        end.await?;
        self.turn = None;
        self.running = None;
        Ok(())
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
        declared: Effect,
    ) -> Result<Option<R>, DbError> {
        self.check_lock(declared)?;
        self.optional(sql, params).await
    }

    pub fn execute<'a>(
        &'a mut self,
        sql: &'static str,
        params: &'a [Value<'a>],
        declared: Effect,
    ) -> BoxFuture<'a, Result<u64, DbError>> {
        Box::pin(async move {
            self.check_lock(declared)?;
            let params = dynamic(params);
            self.run(async |object| {
                let statement = object.prepare_cached(sql).await?;
                object.execute(&statement, &params).await
            })
            .await
        })
    }

    fn check_lock(&mut self, declared: Effect) -> Result<(), DbError> {
        if matches!(declared, Effect::Rights | Effect::TakesNoRight) {
            self.webhooks = None;
        }
        match self.running {
            Some(RightsLock::Shared) if declared.may_take_rights() => Err(DbError::RightsLock),
            Some(_) | None => Ok(()),
        }
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
    async fn run<T>(
        &mut self,
        statement: impl AsyncFnOnce(&mut Object) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, DbError> {
        self.in_statement = true;
        let (engine, is_limited) = (self.engine.clone(), !self.is_unlimited);
        let ended = tokio::select! {
            ended = statement(self.object()) => ended,
            () = tokio::time::sleep(STATEMENT_TIMEOUT), if is_limited => return Err(DbError::timed_out()),
            () = engine.monitor.suspected_for_long(), if is_limited => return Err(DbError::timed_out()),
        };
        self.in_statement = false;
        Ok(ended?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if (self.running.is_some() || self.in_statement)
            && let Some(object) = self.object.take()
        {
            // Removed from the pool and closed: the server rolls back.
            drop(Object::take(object));
        }
    }
}

fn dynamic<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
