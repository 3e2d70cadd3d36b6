//! The outcome of ref changes.

use plinth_base::ids::RefName;

use crate::pulls::PendingRefresh;

/// Why one change was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefConflict {
    /// The ref is not at the expected target: another writer was faster.
    Stale,
    /// One of the two names would have to be a directory of the other.
    DirectoryFileConflict(RefName),
}

/// The outcome of each change, and the work that is left after the transaction.
#[must_use]
pub struct RefMoves {
    pub outcomes: Vec<Result<(), RefConflict>>,
    /// For [`crate::pulls::refresh_later`], after the commit.
    pub refresh: PendingRefresh,
}
