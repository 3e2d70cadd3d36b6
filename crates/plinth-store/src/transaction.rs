//! Write transactions: the type that statements which change something need, and what it takes to get one.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering;

use super::{Connection, DbError, FromRow, STATEMENTS_RUN, Value, holds_nul};
use plinth_base::error::Result;

/// What allows a write.
///
/// [`Store::write`](super::Store::write) calls `check` inside the transaction, before the work. So nobody writes without
/// stating a reason, and a right that was taken away before the transaction began is not used in it. `check` gets a
/// [`Connection`], which cannot change anything.
///
/// A caller's right implements this in `api::access`. Everything else that implements it writes on behalf of no caller;
/// `tests/it/architecture.rs` lists all of them.
pub trait WriteAuthority: Send + Sync + 'static {
    /// What the check found out, for work that depends on it.
    type Proof: Send + Sync + 'static;

    /// The name of the operation in logs.
    fn operation(&self) -> &'static str;

    /// Whether the work most likely changes somebody's rights, which then need not be found out by a first run in vain.
    fn changes_rights(&self) -> bool {
        false
    }

    fn check(&self, db: &mut Connection) -> impl Future<Output = Result<Self::Proof>> + Send;
}

/// Declares an authority for writes that no caller asks for, such as maintenance; private unless said otherwise.
#[macro_export]
macro_rules! internal_authority {
    ($(#[$doc:meta])* $visibility:vis $name:ident = $operation:literal $(, $changes_rights:ident)?) => {
        $(#[$doc])*
        $visibility struct $name;

        impl $crate::WriteAuthority for $name {
            type Proof = ();

            fn operation(&self) -> &'static str {
                $operation
            }

            $(fn $changes_rights(&self) -> bool {
                true
            })?

            async fn check(&self, _: &mut $crate::Connection) -> $crate::plinth_base::error::Result<()> {
                Ok(())
            }
        }
    };
}

/// A running write transaction. Only [`Store::write`](super::Store::write) opens one, after its authority was checked.
pub struct Transaction(Connection);

impl Transaction {
    pub(super) fn new(connection: Connection) -> Self {
        Self(connection)
    }

    pub(super) fn into_connection(self) -> Connection {
        self.0
    }

    /// Runs a statement and counts the rows that it changed.
    pub async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, DbError> {
        if holds_nul(params) {
            return Err(DbError::Nul);
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        match &mut self.0 {
            Connection::Sqlite(connection) => connection.execute(sql, params),
            Connection::Postgres(client) => client.execute(sql, params).await,
        }
    }

    /// Runs an `insert ... returning id`.
    pub async fn insert<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<R, DbError> {
        if holds_nul(params) {
            return Err(DbError::Nul);
        }
        STATEMENTS_RUN.fetch_add(1, Ordering::Relaxed);
        let inserted = match &mut self.0 {
            Connection::Sqlite(connection) => connection.optional(sql, params)?,
            Connection::Postgres(client) => client.insert(sql, params).await?,
        };
        inserted.ok_or(DbError::NoRow)
    }
}

impl Deref for Transaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.0
    }
}
