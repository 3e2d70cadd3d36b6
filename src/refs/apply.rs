//! The one transaction through which every reference changes, whether by REST, by push or by a state file.

use super::{Change, store};
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::Result;
use crate::git::RefName;
use crate::ids::RepoId;

/// Why one change could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The name is not where the change expected it: someone else was first.
    Stale,
    /// The name would have to be a file and a folder at once with this other one.
    InTheWay(RefName),
}

/// Makes the changes that can be made, deletions first so that they clear the way, and tells what each one met.
///
/// Whoever wants all or nothing undoes the transaction when any is refused.
pub async fn apply(
    tx: &mut Transaction,
    repo: RepoId,
    changes: &[Change],
    now: Timestamp,
) -> Result<Vec<Result<(), Refused>>> {
    let mut outcomes = vec![Ok(()); changes.len()];
    let deletions = (0..changes.len()).filter(|index| changes[*index].new.is_none());
    let others = (0..changes.len()).filter(|index| changes[*index].new.is_some());
    for index in deletions.chain(others) {
        outcomes[index] = apply_one(tx, repo, &changes[index]).await?;
    }
    if outcomes.iter().any(Result::is_ok) {
        store::bump_generation(tx, repo, now).await?;
    }
    Ok(outcomes)
}

async fn apply_one(tx: &mut Transaction, repo: RepoId, change: &Change) -> Result<Result<(), Refused>> {
    if change.old.is_none()
        && change.new.is_some()
        && let Some(other) = store::find_in_the_way(tx, repo, &change.name).await?
    {
        return Ok(Err(Refused::InTheWay(other)));
    }
    let made = store::carry_out(tx, repo, change).await?;
    Ok(if made { Ok(()) } else { Err(Refused::Stale) })
}
