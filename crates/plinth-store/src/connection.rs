//! The connection type of both engines.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{DbError, Dependency, FromRow, Generations, Value, postgres, sqlite};

pub(super) static STATEMENTS_RUN: AtomicU64 = AtomicU64::new(0);

/// How many statements this process has run, without those that begin and end transactions.
pub fn statements_run() -> u64 {
    STATEMENTS_RUN.load(Ordering::Relaxed)
}

/// A connection of either engine, for reading.
pub enum Connection {
    Sqlite(sqlite::Pooled),
    Postgres(postgres::Client),
}

impl Connection {
    /// Whether a value that was read at `since` is what this write transaction sees, its own changes included. False
    /// where that is not known.
    pub fn is_unchanged(&self, since: Option<Generations>, dependency: Dependency) -> bool {
        match (self, since) {
            (Connection::Sqlite(connection), Some(since)) => connection.is_unchanged(since, dependency),
            (Connection::Postgres(client), Some(since)) => client.is_unchanged(since, dependency),
            (Connection::Sqlite(_) | Connection::Postgres(_), None) => false,
        }
    }

    /// The only row; its absence is an internal error.
    pub async fn one<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<R, DbError> {
        self.optional(sql, params).await?.ok_or(DbError::NoRow)
    }

    /// The first row, if there is one.
    pub async fn optional<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Result<Option<R>, DbError> {
        check_is_read(sql)?;
        if has_nul(params) {
            return Ok(None);
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        match self {
            Connection::Sqlite(connection) => connection.optional(sql, params),
            Connection::Postgres(client) => client.optional(sql, params).await,
        }
    }

    /// Every row. The statement bounds how many there can be.
    pub async fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        check_is_read(sql)?;
        if has_nul(params) {
            return Ok(Vec::new());
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        match self {
            Connection::Sqlite(connection) => connection.all(sql, params),
            Connection::Postgres(client) => client.all(sql, params).await,
        }
    }
}

/// PostgreSQL cannot store a NUL in a text, so on SQLite none is stored either, and nothing with a NUL is ever found
/// (docs/decisions/0030-nul-characters.md).
pub(super) fn has_nul(params: &[Value<'_>]) -> bool {
    params.iter().any(|value| matches!(value, Value::Text(text) if text.contains('\0')))
}

/// A connection only reads; statements that change something need a [`Transaction`](crate::Transaction).
pub(super) fn check_is_read(sql: &str) -> Result<(), DbError> {
    match sql.starts_with("select") {
        true => Ok(()),
        false => Err(DbError::Fault("a statement other than select needs a write transaction".into())),
    }
}
