//! A read transaction that makes checks for commits cheap.

use crate::DbError;

/// Checks without a commit in between before the lock is taken.
const CHECKS_MIN: u32 = 8;

/// `pragma data_version` takes a shared lock on the log's index and releases it again: two system calls, which are four
/// fifths of its time. While another connection of this process is in a read transaction on the same commit, SQLite shares
/// that connection's lock, and the pragma makes no system call.
///
/// A read transaction keeps the log from being restarted. So this one ends when anyone commits, before the writer begins a
/// group, and after a second at most.
pub struct ReadLock {
    connection: rusqlite::Connection,
    checks: u32,
}

impl ReadLock {
    pub fn new(connection: rusqlite::Connection) -> Self {
        Self { connection, checks: 0 }
    }

    /// Counts a check that has found no commit.
    pub fn count(&mut self) {
        self.checks = self.checks.saturating_add(1);
        if self.checks == CHECKS_MIN {
            // Without it checks are slower, and nothing else.
            let _ = self.begin();
        }
    }

    /// A transaction reads from its first statement on. Unlike a select, this one needs no schema, which would be parsed for it.
    fn begin(&self) -> Result<(), DbError> {
        self.connection.prepare_cached("begin")?.raw_execute()?;
        Ok(self.connection.prepare_cached("pragma schema_version")?.query_row([], |_| Ok(()))?)
    }

    pub fn release(&mut self) {
        self.checks = 0;
        if self.is_held() {
            // Fails only if there is no transaction.
            let _ = self.connection.prepare_cached("rollback").map(|mut rollback| rollback.raw_execute());
        }
    }

    pub fn is_held(&self) -> bool {
        !self.connection.is_autocommit()
    }
}
