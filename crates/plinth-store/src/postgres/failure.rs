//! Failures of write transactions.

use crate::DbError;

/// Why a transaction cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// Another transaction conflicts.
    Conflict,
    /// A right was revoked after it was checked.
    Revoked,
    /// The server did not respond, or cannot go on.
    Unavailable,
    /// A statement failed, because of a unique key for example.
    Statement,
}

impl Failure {
    pub fn of(error: &DbError) -> Self {
        match error {
            DbError::Serialization => Failure::Conflict,
            DbError::RightsRevoked => Failure::Revoked,
            DbError::Unavailable(_) => Failure::Unavailable,
            _ => Failure::Statement,
        }
    }
}
