//! Who changes refs, and the outcome.

use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, RefName};

use crate::pulls::PendingRefresh;
use crate::refs::{Change, Target};

/// Who moves refs, and when.
#[derive(Debug, Clone, Copy)]
pub struct Mover {
    /// `None` if it is the operator.
    pub actor: Option<AccountId>,
    pub now: Timestamp,
    /// The size of the push that the changes are a part of; `None` if they are all of it.
    pub push: Option<PushSize>,
}

impl Mover {
    pub fn new(actor: Option<AccountId>, now: Timestamp) -> Self {
        Self { actor, now, push: None }
    }
}

/// How many branches and tags a push changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PushSize {
    pub branches: usize,
    pub tags: usize,
}

impl PushSize {
    pub fn of<'a>(changes: impl Iterator<Item = &'a Change>) -> Self {
        changes.fold(Self::default(), |size, change| match change.name.as_str() {
            name if name.starts_with("refs/heads/") => Self { branches: size.branches + 1, ..size },
            name if name.starts_with("refs/tags/") => Self { tags: size.tags + 1, ..size },
            _ => size,
        })
    }
}

/// The target of a new ref, after validation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewTarget {
    pub target: Target,
    /// Whether it brings new workflow files, which requires a second right.
    pub workflows: bool,
}

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
