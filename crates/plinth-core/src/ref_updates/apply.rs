//! The one function through which every ref changes, whether by the API, by a push or by a state file.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{RefName, RepoId};
use plinth_store::Transaction;

use crate::pulls::{self, Moved};
use crate::refs::{Change, store};

/// Why one change could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The ref is not where the change expected it: someone else was first.
    Stale,
    /// One of the two names would have to be a file and a directory at once.
    DirectoryFileConflict(RefName),
}

/// What became of each change, and what has to follow after the transaction.
#[must_use]
pub struct RefMoves {
    pub outcomes: Vec<Result<(), Refused>>,
    /// For [`pulls::refresh_later`], once the transaction is committed.
    pub moved: Moved,
}

/// Makes the changes that can be made, deletions first so that they clear the way, and gives pull requests whose branches
/// have moved their new versions.
///
/// To make all changes or none, roll the transaction back when any is refused.
pub async fn move_refs(tx: &mut Transaction, repo: RepoId, changes: &[Change], now: Timestamp) -> Result<RefMoves> {
    let mut outcomes = vec![Ok(()); changes.len()];
    let deletions = (0..changes.len()).filter(|index| changes[*index].new.is_none());
    let others = (0..changes.len()).filter(|index| changes[*index].new.is_some());
    for index in deletions.chain(others) {
        outcomes[index] = apply_one(tx, repo, &changes[index]).await?;
    }
    if outcomes.iter().any(Result::is_ok) {
        store::bump_generation(tx, repo, now).await?;
    }
    let made = changes.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok()).map(|(change, _)| change);
    let moved = pulls::refs_moved(tx, repo, made, now).await?;
    Ok(RefMoves { outcomes, moved })
}

async fn apply_one(tx: &mut Transaction, repo: RepoId, change: &Change) -> Result<Result<(), Refused>> {
    if change.old.is_none()
        && change.new.is_some()
        && let Some(other) = store::find_directory_file_conflict(tx, repo, &change.name).await?
    {
        return Ok(Err(Refused::DirectoryFileConflict(other)));
    }
    let made = store::apply_change(tx, repo, change).await?;
    Ok(if made { Ok(()) } else { Err(Refused::Stale) })
}
