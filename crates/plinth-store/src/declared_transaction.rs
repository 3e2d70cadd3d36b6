//! Statements of a write transaction that have declared what they change.

use std::sync::atomic::Ordering;

use super::connection::{STATEMENTS_RUN, has_nul};
use super::effect::{ChangedRows, Declared, RowKey};
use super::sent::{Sent, SentCount};
use super::{Connection, DbError, DeferredUse, Effect, FromRow, Increment, Overwrite, Transaction, Value, params};

impl Transaction {
    /// Runs a statement that may change anything, and counts the rows that it changed.
    pub async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, DbError> {
        self.declare(Effect::Rights).execute(sql, params).await
    }

    /// Runs an `insert ... returning id`. A new row takes no right away.
    pub async fn insert<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<R, DbError> {
        self.declare(Effect::TakesNoRight).insert(sql, params).await
    }

    /// For statements that change only content of the transaction's scope: see [`Effect::Content`].
    pub fn content_only(&mut self) -> DeclaredTransaction<'_> {
        self.declare(Effect::Content)
    }

    /// For statements that change only pull requests in the transaction's scope: see [`Effect::Pulls`].
    pub fn pulls_only(&mut self) -> DeclaredTransaction<'_> {
        self.declare(Effect::Pulls)
    }

    /// For statements that take no right away from anybody: see [`Effect::TakesNoRight`].
    pub fn takes_no_right(&mut self) -> DeclaredTransaction<'_> {
        self.declare(Effect::TakesNoRight)
    }

    fn declare(&mut self, effect: Effect) -> DeclaredTransaction<'_> {
        DeclaredTransaction::new(self, effect)
    }

    /// Adds to a counter: at once, or at the end of the batch.
    pub async fn increment(&mut self, increment: Increment) -> Result<(), DbError> {
        let scope = self.scope;
        match &mut self.connection {
            Connection::Postgres(client) if client.is_in_batch() => client.increment(increment, scope),
            Connection::Postgres(_) | Connection::Sqlite(_) => {
                let Increment { counter, id, by, at } = increment;
                self.content_only().changes_no_row().send(counter.one, params![id, by, at]).await?;
                Ok(())
            }
        }
    }

    /// Overwrites a row: at once, or at the end of the batch.
    pub async fn overwrite(&mut self, overwrite: Overwrite<'_>) -> Result<(), DbError> {
        let scope = self.scope;
        match &mut self.connection {
            Connection::Postgres(client) if client.is_in_batch() => {
                check_parameters(overwrite.params)?;
                client.overwrite(overwrite, scope)
            }
            Connection::Postgres(_) | Connection::Sqlite(_) => {
                self.content_only().send(overwrite.sql, overwrite.params).await?;
                Ok(())
            }
        }
    }
}

/// A transaction whose next statement has declared what it changes.
pub struct DeclaredTransaction<'a> {
    tx: &'a mut Transaction,
    effect: Effect,
    rows: ChangedRows,
    deferred: DeferredUse,
}

impl<'a> DeclaredTransaction<'a> {
    pub(super) fn new(tx: &'a mut Transaction, effect: Effect) -> Self {
        Self { tx, effect, rows: ChangedRows::Any, deferred: DeferredUse::Any }
    }

    fn declared(&self) -> Declared {
        Declared { effect: self.effect, scope: self.tx.scope, rows: self.rows }
    }

    pub(super) fn into_parts(self) -> (Declared, &'a mut Connection) {
        (self.declared(), &mut self.tx.connection)
    }

    /// For a statement that changes only this row of its kind of content: see [`Dependency::Row`](super::Dependency::Row).
    pub fn changes_row(self, row: RowKey) -> Self {
        Self { rows: ChangedRows::One(row), ..self }
    }

    /// For a statement that inserts rows or changes counts, but no row that was there before.
    pub fn changes_no_row(self) -> Self {
        Self { rows: ChangedRows::None, ..self }
    }

    /// For a statement that neither reads nor changes what a batch defers: see [`DeferredUse`].
    pub fn without_deferred(self) -> Self {
        Self { deferred: DeferredUse::None, ..self }
    }

    /// Runs a statement and counts the rows that it changed.
    pub async fn execute(self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, DbError> {
        check_parameters(params)?;
        let declared = self.declared();
        match &mut self.tx.connection {
            Connection::Sqlite(connection) => connection.execute(sql, params, declared),
            Connection::Postgres(client) => client.execute(sql, params, declared).await,
        }
    }

    /// Runs an `insert ... returning id`.
    pub async fn insert<R: FromRow>(self, sql: &'static str, params: &[Value<'_>]) -> Result<R, DbError> {
        check_parameters(params)?;
        let declared = self.declared();
        let inserted = match &mut self.tx.connection {
            Connection::Sqlite(connection) => Some(connection.insert(sql, params, declared)?),
            Connection::Postgres(client) => client.insert(sql, params, declared).await?,
        };
        inserted.ok_or(DbError::NoRow)
    }
}

impl DeclaredTransaction<'_> {
    /// As [`DeclaredTransaction::execute`], for a statement whose result is not needed yet, or not at all: on PostgreSQL it is
    /// sent together with the next one. If it fails, the next one does, or the commit.
    pub async fn send(self, sql: &'static str, params: &[Value<'_>]) -> Result<SentCount, DbError> {
        check_parameters(params)?;
        let declared = self.declared();
        Ok(match &mut self.tx.connection {
            Connection::Sqlite(connection) => {
                connection.check_deferred(sql, self.deferred)?;
                SentCount(Sent::done(connection.execute(sql, params, declared)?))
            }
            Connection::Postgres(client) => {
                SentCount(Sent::queued(client.queue_change(sql, params, declared, self.deferred).await?))
            }
        })
    }

    /// As [`DeclaredTransaction::insert`], for an id that is not needed yet.
    pub async fn send_insert<R: FromRow>(
        self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Result<Sent<Vec<R>>, DbError> {
        check_parameters(params)?;
        let declared = self.declared();
        Ok(match &mut self.tx.connection {
            Connection::Sqlite(connection) => {
                connection.check_deferred(sql, self.deferred)?;
                Sent::done(vec![connection.insert(sql, params, declared)?])
            }
            Connection::Postgres(client) => {
                Sent::queued(client.queue_change(sql, params, declared, self.deferred).await?)
            }
        })
    }
}

fn check_parameters(params: &[Value<'_>]) -> Result<(), DbError> {
    if has_nul(params) {
        return Err(DbError::Nul);
    }
    STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
    Ok(())
}
