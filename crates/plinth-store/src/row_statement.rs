//! Statements for several rows at once: what the members of a batch send for one row each, PostgreSQL does together.

use std::sync::atomic::Ordering;

use super::connection::{STATEMENTS_RUN, has_nul};
use super::sent::{Sent, SentCount};
use super::{Connection, DbError, DeclaredTransaction, FromRow, Value};

/// One row of a statement for PostgreSQL that takes a list for each parameter. It returns rows in which the column `row_number` is
/// the number, from 1 on, of the row that they are about.
///
/// Members of a batch that send rows of the same statements, and nothing else, send them together. So what a statement does for a
/// row must not depend on other rows, unless their keys say so, and it uses nothing that a batch defers.
///
/// A batch of rows only is not serializable. So a statement reads only rights, and what belongs to the repository or account that its
/// write is about: no other write changes these at the same time.
///
/// Its lists are from [`lists!`](crate::lists!).
#[derive(Debug)]
pub struct RowStatement<'a> {
    pub sql: &'static str,
    /// A path. Rows with the same path, or with one that is below that of the other, are sent one after another.
    pub key: Option<String>,
    pub params: &'a [Value<'a>],
}

/// The lists of a [`RowStatement`], by parameter and type. Each is in a subquery, so that plans do not depend on their length: otherwise
/// PostgreSQL would plan the statement again for each list of one.
#[macro_export]
macro_rules! lists {
    ($first:literal: $type:literal $(, $more:literal: $types:literal)* $(,)?) => {
        concat!(
            "(select cast(", $first, " as ", $type, "[]))"
            $(, ", (select cast(", $more, " as ", $types, "[]))")*
        )
    };
}

impl RowStatement<'_> {
    fn check(&self) -> Result<(), DbError> {
        if has_nul(self.params) {
            return Err(DbError::Nul);
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

impl Connection {
    /// As [`Connection::send`], for one row.
    pub async fn send_row<R: FromRow>(&mut self, row: RowStatement<'_>) -> Result<Sent<Vec<R>>, DbError> {
        row.check()?;
        match self {
            Connection::Sqlite(_) => Err(without_lists()),
            Connection::Postgres(client) => Ok(Sent::queued(client.queue_row(row).await?)),
        }
    }
}

impl DeclaredTransaction<'_> {
    /// As [`DeclaredTransaction::send_insert`], for one row.
    pub async fn send_row<R: FromRow>(self, row: RowStatement<'_>) -> Result<Sent<Vec<R>>, DbError> {
        self.queue_row(row).await.map(Sent::queued)
    }

    /// As [`DeclaredTransaction::send`], for one row. Each row that is returned counts as changed.
    pub async fn send_change_of_row(self, row: RowStatement<'_>) -> Result<SentCount, DbError> {
        self.queue_row(row).await.map(|number| SentCount(Sent::queued(number)))
    }

    async fn queue_row(self, row: RowStatement<'_>) -> Result<usize, DbError> {
        row.check()?;
        let (declared, connection) = self.into_parts();
        match connection {
            Connection::Sqlite(_) => Err(without_lists()),
            Connection::Postgres(client) => client.queue_changed_row(row, declared).await,
        }
    }
}

fn without_lists() -> DbError {
    DbError::Fault("SQLite has no lists".into())
}
