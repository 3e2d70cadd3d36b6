//! Statements whose results are not needed yet. SQLite runs them at once; PostgreSQL is sent them together with the next one,
//! so that they take no round trip of their own. Statements run in the order in which they are sent.

use std::sync::atomic::Ordering;

use super::connection::{STATEMENTS_RUN, check_is_read, has_nul};
use super::{Connection, DbError, DeferredUse, FromRow, Value};

/// The result of a statement that was sent.
#[must_use = "a statement without a result is sent by `DeclaredTransaction::send`"]
pub struct Sent<T>(State<T>);

/// How many rows a statement that was sent has changed. Whoever need not know drops it.
pub struct SentCount(pub(super) Sent<u64>);

enum State<T> {
    Done(T),
    /// By the number of the result on the connection.
    Queued(usize),
}

impl<T> Sent<T> {
    /// The result, if the statement has run.
    pub fn known(&self) -> Option<&T> {
        match &self.0 {
            State::Done(value) => Some(value),
            State::Queued(_) => None,
        }
    }

    pub(super) fn done(value: T) -> Self {
        Self(State::Done(value))
    }

    pub(super) fn queued(number: usize) -> Self {
        Self(State::Queued(number))
    }
}

impl Connection {
    /// Whether what is sent waits for the next statement, so that reading something early, in the same round trip, costs less
    /// than reading it when it is needed.
    pub fn sends_together(&self) -> bool {
        matches!(self, Connection::Postgres(_))
    }

    /// As [`Connection::all`], for rows that are not needed yet.
    pub async fn send<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Sent<Vec<R>>, DbError> {
        self.send_as(sql, params, DeferredUse::Any).await
    }

    /// As [`Connection::send`], for a statement that uses nothing that a batch defers: see [`DeferredUse`].
    pub async fn send_without_deferred<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Result<Sent<Vec<R>>, DbError> {
        self.send_as(sql, params, DeferredUse::None).await
    }

    async fn send_as<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        deferred: DeferredUse,
    ) -> Result<Sent<Vec<R>>, DbError> {
        check_is_read(sql)?;
        if has_nul(params) {
            return Ok(Sent::done(Vec::new()));
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        Ok(match self {
            Connection::Sqlite(connection) => {
                connection.check_deferred(sql, deferred)?;
                Sent::done(connection.all(sql, params)?)
            }
            Connection::Postgres(client) => Sent::queued(client.queue(sql, params, deferred).await?),
        })
    }

    /// The rows of a statement that was sent.
    pub async fn rows<R: FromRow>(&mut self, sent: Sent<Vec<R>>) -> Result<Vec<R>, DbError> {
        match (sent.0, self) {
            (State::Done(rows), _) => Ok(rows),
            (State::Queued(number), Connection::Postgres(client)) => client.queued_rows(number).await,
            (State::Queued(_), Connection::Sqlite(_)) => Err(DbError::NoRow),
        }
    }

    /// As [`Connection::rows`], of a statement that was maybe sent.
    pub async fn rows_if_sent<R: FromRow>(&mut self, sent: Option<Sent<Vec<R>>>) -> Result<Option<Vec<R>>, DbError> {
        match sent {
            Some(sent) => self.rows(sent).await.map(Some),
            None => Ok(None),
        }
    }

    /// The only row of a statement that was sent.
    pub async fn row<R: FromRow>(&mut self, sent: Sent<Vec<R>>) -> Result<R, DbError> {
        self.rows(sent).await?.into_iter().next().ok_or(DbError::NoRow)
    }

    /// How many rows a statement that was sent has changed.
    pub async fn count(&mut self, SentCount(sent): SentCount) -> Result<u64, DbError> {
        match (sent.0, self) {
            (State::Done(count), _) => Ok(count),
            (State::Queued(number), Connection::Postgres(client)) => client.queued_count(number).await,
            (State::Queued(_), Connection::Sqlite(_)) => Err(DbError::NoRow),
        }
    }
}
