//! [`move_refs`], which every change of a ref goes through.

use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_store::Transaction;

use super::events;
use super::model::{Mover, RefConflict, RefMoves};
use crate::pulls::{self, PendingRefresh, SentBranches};
use crate::refs::new_refs::NewRefs;
use crate::refs::store::SentChange;
use crate::refs::{self, Change, store};

/// Makes the changes that do not conflict, deletions first so that their names are free, adds versions to the pull
/// requests whose branches moved, and records events.
///
/// To make all changes or none, roll the transaction back if there is a conflict.
pub async fn move_refs(tx: &mut Transaction, repo: RepoId, changes: &[Change], mover: Mover) -> Result<RefMoves> {
    move_refs_where(tx, repo, (changes, NewRefs::Anywhere), mover).await
}

/// As [`move_refs`], for new refs in some repositories only.
pub(super) async fn move_refs_where(
    tx: &mut Transaction,
    repo: RepoId,
    (changes, new_refs): (&[Change], NewRefs),
    mover: Mover,
) -> Result<RefMoves> {
    let mut outcomes = vec![Ok(()); changes.len()];
    let deletions = (0..changes.len()).filter(|index| changes[*index].new.is_none());
    let others = (0..changes.len()).filter(|index| changes[*index].new.is_some());
    let mut sent = Vec::with_capacity(changes.len());
    for index in deletions.chain(others) {
        sent.push((index, send_one(tx, repo, &changes[index], new_refs).await?));
    }
    let branches = pulls::send_branches(tx, repo, changes.iter().map(|change| &change.name)).await?;
    for (index, sent) in sent {
        outcomes[index] = finish_one(tx, repo, &changes[index], sent).await?;
    }
    let made = changes.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok()).map(|(change, _)| change);
    let refresh = refs_moved(tx, repo, (branches, made), mover).await?;
    Ok(RefMoves { outcomes, refresh })
}

/// Does what follows from changes that were made.
pub(super) async fn refs_moved<'a>(
    tx: &mut Transaction,
    repo: RepoId,
    (branches, made): (SentBranches, impl Iterator<Item = &'a Change> + Clone),
    mover: Mover,
) -> Result<PendingRefresh> {
    if made.clone().next().is_some() {
        store::bump_generation(tx, repo, mover.now).await?;
    }
    events::record(tx, repo, made.clone(), mover).await?;
    pulls::refs_moved(tx, repo, (branches, made), (mover.actor, mover.now)).await
}

async fn send_one(
    tx: &mut Transaction,
    repo: RepoId,
    change: &Change,
    new_refs: NewRefs,
) -> Result<Result<SentChange, RefConflict>> {
    if change.is_creation()
        && refs::has_many_parents(&change.name)
        && let Some(other) = refs::find_directory_file_conflict(tx, repo, &change.name).await?
    {
        return Ok(Err(RefConflict::DirectoryFileConflict(other)));
    }
    Ok(Ok(store::send_change(tx, repo, change, new_refs).await?))
}

async fn finish_one(
    tx: &mut Transaction,
    repo: RepoId,
    change: &Change,
    sent: Result<SentChange, RefConflict>,
) -> Result<Result<(), RefConflict>> {
    let sent = match sent {
        Ok(sent) => sent,
        Err(conflict) => return Ok(Err(conflict)),
    };
    if store::is_made(tx, sent).await? {
        return Ok(Ok(()));
    }
    if change.is_creation()
        && let Some(other) = refs::find_directory_file_conflict(tx, repo, &change.name).await?
    {
        return Ok(Err(RefConflict::DirectoryFileConflict(other)));
    }
    Ok(Err(RefConflict::Stale))
}
