//! Moving a ref in one transaction that also reads it (docs/decisions/0173-round-trips.md). That saves a round trip to PostgreSQL where
//! nobody else writes, and nobody can move the ref between the two steps.
//!
//! Others wait for the transaction, so it validates the move only if all objects for it are in memory, and not as a part of a batch.

use plinth_base::error::Result;
use plinth_base::ids::{RefName, RepoId};
use plinth_git::Reader;
use plinth_store::{CommitGenerations, Transaction};

use super::model::Mover;
use super::moves::refs_moved;
use super::{RefUpdate, rules};
use crate::Core;
use crate::access::WriteAccess;
use crate::objects::Objects;
use crate::pulls::{self, PendingRefresh};
use crate::refs::new_refs::NewRefs;
use crate::refs::{self, Change, Ref, store};
use crate::repos::RepoTarget;

struct Move {
    objects: Objects,
    repo: RepoId,
    name: RefName,
    update: RefUpdate,
    mover: Mover,
}

struct Moved {
    moved: Ref,
    refresh: PendingRefresh,
    /// As of which the ref is moved, if they are known.
    generations: CommitGenerations,
}

/// Moves a ref, unless that needs more than one transaction. Then nothing is changed. Neither is it if the move is not valid: the error is
/// found by whoever validates it before the transaction.
pub async fn try_update(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    name: &RefName,
    update: &RefUpdate,
) -> Result<Option<Ref>> {
    let repo = access.repo.id;
    let mover = Mover::new(access.caller().actor(), core.clock.now());
    let context = Move { objects: core.objects.clone(), repo, name: name.clone(), update: update.clone(), mover };
    let moved = access.write(context, |tx, context| Box::pin(read_and_move(tx, context))).await?;
    Ok(moved.map(|Moved { moved, refresh, generations }| {
        pulls::refresh_later(core, repo, refresh);
        refs::add_to_cache(core, generations.get(), repo, &moved);
        moved
    }))
}

async fn read_and_move(tx: &mut Transaction, context: &Move) -> Result<Option<Moved>> {
    let Move { objects, repo, name, update, mover } = context;
    if tx.is_in_batch() {
        return Ok(None);
    }
    let found = store::send_find(tx, *repo, name).await?;
    let branches = pulls::send_branches(tx, *repo, [name].into_iter()).await?;
    let Some(current) = tx.rows(found).await?.pop() else { return Ok(None) };
    let check = |reader: &Reader<'_>| rules::check_move(reader, &current, update);
    let target = match objects.read_in_memory(*repo, check) {
        Some(Ok((target, false))) if target.sha != current.target => target,
        // Also for new workflow files, which are compared with the default branch.
        _ => return Ok(None),
    };
    let change = [Change { name: name.clone(), old: Some(current.target), new: Some(target) }];
    // It is made, since this transaction has read the ref.
    store::send_change(tx, *repo, &change[0], NewRefs::Anywhere).await?;
    let refresh = refs_moved(tx, *repo, (branches, change.iter()), *mover).await?;
    Ok(Some(Moved { moved: Ref::at(name, target), refresh, generations: tx.generations() }))
}
