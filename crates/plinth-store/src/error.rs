//! Errors of statements.

use std::fmt;

use plinth_base::error::Error;

/// A failure of one statement.
///
/// After `Unique` or `ForeignKey` PostgreSQL accepts no further statement in the transaction, so a closure returns it
/// (or avoids it with `on conflict do nothing`).
#[derive(Debug)]
pub enum DbError {
    /// A unique key exists already.
    Unique,
    /// A row that this one names does not exist, or is still named by others.
    ForeignKey,
    /// Another transaction conflicts; running this one again may succeed.
    Serialization,
    /// The statement may revoke a right, so its transaction has to run again with the exclusive lock on rights.
    RightsLock,
    /// A right was revoked after it was checked, so the transaction has to run again and look everything up.
    RightsRevoked,
    /// The database cannot be reached, is full or is shutting down.
    Unavailable(String),
    /// A sync failed, so nothing is durable until the database was reopened and verified.
    SyncFailed(String),
    /// A required row is missing.
    NoRow,
    /// A text contains a NUL, which PostgreSQL cannot store.
    Nul,
    /// The file of the database is damaged.
    Damaged(String),
    /// Anything else: a bug.
    Fault(Box<dyn std::error::Error + Send + Sync>),
}

impl DbError {
    /// Turns the violation of a unique key into the caller's own error.
    pub fn on_unique(self, error: impl FnOnce() -> Error) -> Error {
        match self {
            DbError::Unique => error(),
            other => other.into(),
        }
    }

    /// Why the database is damaged, if `error` is about that.
    pub fn damage(error: &Error) -> Option<&str> {
        let Error::Internal(cause) = error else { return None };
        match cause.downcast_ref::<DbError>() {
            Some(DbError::Damaged(why)) => Some(why),
            _ => None,
        }
    }

    /// Whether the transaction should run again.
    pub(super) fn needs_another_run(error: &Error) -> bool {
        matches!(Self::cause_of(error), Some(DbError::Serialization))
    }

    /// Whether the transaction has to run again with the exclusive lock on rights.
    pub(super) fn needs_rights_lock(error: &Error) -> bool {
        matches!(Self::cause_of(error), Some(DbError::RightsLock))
    }

    /// Whether the transaction has to run again and look everything up.
    pub(super) fn needs_look_up(error: &Error) -> bool {
        matches!(Self::cause_of(error), Some(DbError::RightsRevoked))
    }

    pub(super) fn timed_out() -> Self {
        DbError::Unavailable("the database did not respond in time".into())
    }

    fn cause_of(error: &Error) -> Option<&Self> {
        let Error::Internal(cause) = error else { return None };
        cause.downcast_ref()
    }
}

impl fmt::Display for DbError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DbError::Unique => out.write_str("a unique key exists already"),
            DbError::ForeignKey => out.write_str("a foreign key is broken"),
            DbError::Serialization => out.write_str("another transaction conflicts"),
            DbError::RightsLock => out.write_str("a statement may revoke a right without the exclusive lock on rights"),
            DbError::RightsRevoked => out.write_str("a right was revoked since it was checked"),
            DbError::Unavailable(why) => write!(out, "the database is unavailable: {why}"),
            DbError::SyncFailed(why) => write!(out, "a sync of the database failed: {why}"),
            DbError::NoRow => out.write_str("a required row is missing"),
            DbError::Nul => out.write_str("a text contains a NUL"),
            DbError::Damaged(why) => write!(out, "the database is damaged: {why}"),
            DbError::Fault(cause) => write!(out, "database fault: {cause}"),
        }
    }
}

impl std::error::Error for DbError {}

impl From<DbError> for Error {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Unavailable(why) => Error::Unavailable(why),
            DbError::SyncFailed(_) => Error::Unavailable(error.to_string()),
            DbError::Nul => Error::unprocessable("A text cannot hold a NUL."),
            other => Error::Internal(Box::new(other)),
        }
    }
}

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let rusqlite::Error::SqliteFailure(failure, _) = &error else { return DbError::Fault(error.into()) };
        match (failure.code, failure.extended_code) {
            (_, rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY) => {
                DbError::Unique
            }
            (_, rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => DbError::ForeignKey,
            (_, rusqlite::ffi::SQLITE_IOERR_FSYNC | rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC) => {
                DbError::SyncFailed(error.to_string())
            }
            (
                ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked,
                _,
            ) => DbError::Unavailable(error.to_string()),
            (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => DbError::Damaged(error.to_string()),
            _ => DbError::Fault(error.into()),
        }
    }
}

impl From<tokio_postgres::Error> for DbError {
    fn from(error: tokio_postgres::Error) -> Self {
        use tokio_postgres::error::SqlState;
        let Some(code) = error.code() else {
            // No response from the server: the connection broke, or could not be made.
            return DbError::Unavailable(in_full(&error));
        };
        match *code {
            SqlState::UNIQUE_VIOLATION => DbError::Unique,
            SqlState::FOREIGN_KEY_VIOLATION => DbError::ForeignKey,
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => DbError::Serialization,
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => DbError::Damaged(in_full(&error)),
            _ if is_temporary(code.code()) => DbError::Unavailable(in_full(&error)),
            _ => DbError::Fault(in_full(&error).into()),
        }
    }
}

/// The driver's own text leaves out the message of the server.
fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Classes 08 (connection), 53 (resources), 57 (operator intervention), and 58 (system) pass by themselves; so does
/// a server that has become a read-only standby.
fn is_temporary(code: &str) -> bool {
    const READ_ONLY_TRANSACTION: &str = "25006";
    ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) || code == READ_ONLY_TRANSACTION
}

impl From<deadpool::managed::PoolError<DbError>> for DbError {
    fn from(error: deadpool::managed::PoolError<DbError>) -> Self {
        DbError::Unavailable(in_full(&error))
    }
}
