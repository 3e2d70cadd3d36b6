//! Write transactions: the type that statements which change something need, and what it takes to get one.

use std::ops::{Deref, DerefMut};

use super::generations::CommitGenerations;
use super::{Connection, DbError, InvalidationScope};
use plinth_base::error::Result;

/// Finds an active webhook.
pub(super) const WEBHOOKS: &str = "select cast(1 as bigint) from webhook where active limit 1";

/// Something that holds, with a value, or not, and changes only when rights change. Its meaning is that of whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RightsFact {
    pub what: &'static str,
    /// What kind of thing the id is of.
    pub of: &'static str,
    pub id: i64,
}

const HAS_WEBHOOKS: RightsFact = RightsFact { what: "has webhooks", of: "store", id: 0 };

/// What allows a write.
///
/// [`Store::write`](super::Store::write) calls `check` inside the transaction, before the work. So nobody writes without
/// stating a reason, and a right that was revoked before the transaction began is not used in it. `check` gets a
/// [`Connection`], which cannot change anything.
///
/// A caller's right implements this in `plinth_core::access`. Everything else that implements it writes on behalf of no
/// caller; `tests/it/architecture` lists all of them.
pub trait WriteAuthority: Send + Sync + 'static {
    /// What the check found out, for work that depends on it.
    type Proof: Send + Sync + 'static;

    /// The name of the operation in logs.
    fn operation(&self) -> &'static str;

    /// Whether the work most likely revokes rights. Otherwise PostgreSQL finds that out by a first run that fails.
    fn changes_rights(&self) -> bool {
        false
    }

    /// Whose content the work changes: all rows that its statements declare as content or pull requests are in this
    /// scope.
    fn scope(&self) -> InvalidationScope {
        InvalidationScope::Everything
    }

    fn check(&self, db: &mut Connection) -> impl Future<Output = Result<Self::Proof>> + Send;
}

/// Declares an authority for writes without a caller, such as maintenance; private unless a visibility is given. With
/// `in_repo` its values name the repository whose content they may change.
#[macro_export]
macro_rules! internal_authority {
    ($(#[$doc:meta])* $visibility:vis $name:ident = $operation:literal, in_repo) => {
        $(#[$doc])*
        $visibility struct $name($crate::plinth_base::ids::RepoId);

        $crate::internal_authority!(@implement $name, $operation,
            fn scope(&self) -> $crate::InvalidationScope {
                $crate::InvalidationScope::Repo(self.0)
            }
        );
    };
    ($(#[$doc:meta])* $visibility:vis $name:ident = $operation:literal, changes_rights) => {
        $(#[$doc])*
        $visibility struct $name;

        $crate::internal_authority!(@implement $name, $operation,
            fn changes_rights(&self) -> bool {
                true
            }
        );
    };
    ($(#[$doc:meta])* $visibility:vis $name:ident = $operation:literal) => {
        $(#[$doc])*
        $visibility struct $name;

        $crate::internal_authority!(@implement $name, $operation,);
    };
    (@implement $name:ident, $operation:literal, $($method:item)?) => {
        impl $crate::WriteAuthority for $name {
            type Proof = ();

            fn operation(&self) -> &'static str {
                $operation
            }

            $($method)?

            async fn check(&self, _: &mut $crate::Connection) -> $crate::plinth_base::error::Result<()> {
                Ok(())
            }
        }
    };
}

/// A running write transaction. Only [`Store::write`](super::Store::write) opens one, after its authority was checked.
///
/// Statements declare what they change: [`Transaction::execute`] may change anything, rights too; the statements of
/// [`Transaction::content_only`] and the like change less, so that fewer cached values are lost.
pub struct Transaction {
    pub(super) connection: Connection,
    pub(super) scope: InvalidationScope,
    signals: bool,
}

impl Transaction {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection, scope: InvalidationScope::Everything, signals: false }
    }

    /// Sets the scope of what is declared as content from now on.
    pub(super) fn set_scope(&mut self, scope: InvalidationScope) {
        self.scope = scope;
    }

    /// Wakes who waits for [`Store::signal`](super::Store::signal) after the commit. A transaction that is rolled back may
    /// wake them too.
    pub fn signal_on_commit(&mut self) {
        self.signals = true;
    }

    /// Whether something has called [`Transaction::signal_on_commit`] since the last call.
    pub(super) fn take_signal(&mut self) -> bool {
        std::mem::take(&mut self.signals)
    }

    /// Whether transactions run at the same time, so that one can wait for the locks of another and `for update skip locked`
    /// avoids that. SQLite has one writer, and does not know these words.
    pub fn can_wait_for_locks(&self) -> bool {
        matches!(self.connection, Connection::Postgres(_))
    }

    /// Whether there is an active webhook, which is what events are recorded for.
    ///
    /// Every operation asks this, so the result is cached until rights change: whoever changes a hook changes rights.
    pub async fn has_webhooks(&mut self) -> Result<bool, DbError> {
        if let Connection::Postgres(client) = &self.connection
            && let Some(known) = client.known_webhooks()
        {
            return Ok(known);
        }
        if let Some(known) = self.known_fact(&HAS_WEBHOOKS) {
            return Ok(known.is_some());
        }
        let found = self.connection.optional::<(i64,)>(WEBHOOKS, &[]).await?.map(|(one,)| one);
        self.cache_fact(HAS_WEBHOOKS, found);
        Ok(found.is_some())
    }

    /// Whether transactions of this process can know facts: see [`Transaction::known_fact`]. With PostgreSQL, other
    /// processes change rights too, and it costs a round trip to find that out.
    pub fn caches_facts(&self) -> bool {
        matches!(self.connection, Connection::Sqlite(_))
    }

    /// The value of a fact, or that it does not hold, if an earlier transaction has cached it and rights have not changed
    /// since.
    pub fn known_fact(&self, fact: &RightsFact) -> Option<Option<i64>> {
        match &self.connection {
            Connection::Sqlite(connection) => connection.known_fact(fact),
            Connection::Postgres(_) => None,
        }
    }

    /// Caches what this transaction has read, for the next ones.
    pub fn cache_fact(&mut self, fact: RightsFact, value: Option<i64>) {
        if let Connection::Sqlite(connection) = &self.connection {
            connection.cache_fact(fact, value);
        }
    }

    /// The generations as of this transaction, with its own changes, if it is committed: what it has written and read is right as of
    /// them, and may be cached after the commit.
    pub fn generations(&mut self) -> CommitGenerations {
        match &mut self.connection {
            Connection::Sqlite(connection) => CommitGenerations::Known(connection.generations_of_transaction()),
            Connection::Postgres(client) => CommitGenerations::AfterCommit(client.generations()),
        }
    }

    /// Whether it is a part of a batch of PostgreSQL, which would be delayed if this used the results of its statements for other ones.
    pub fn is_in_batch(&self) -> bool {
        matches!(&self.connection, Connection::Postgres(client) if client.is_in_batch())
    }
}

impl Deref for Transaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}
