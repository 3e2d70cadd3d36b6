//! Creating, moving and deleting refs through the API.
//!
//! Validation walks history, so it runs before the transaction: other writers do not wait for reads of Git objects. The
//! transaction compares the ref with the target that was validated. If the ref has moved, the next transaction validates the move
//! itself, where that is quick; otherwise validation starts again, for one after the other of those that wait.

use plinth_base::error::{Error, Result};
use plinth_base::ids::{RefName, RepoId, Sha};
use plinth_git::Reader;
use plinth_store::{Connection, Generations};

use super::model::{Mover, NewTarget, RefConflict, RefMoves};
use super::moves::{move_refs, move_refs_where};
use super::{NewRef, RefUpdate, rules, single_transaction};
use crate::Core;
use crate::access::{Current, Grant, WriteAccess, check_workflows};
use crate::pulls;
use crate::refs::new_refs::NewRefs;
use crate::refs::{self, Change, Ref, Target, store};
use crate::repos::{Repo, RepoTarget};
use crate::tokens::Principal;

/// Attempts to move a ref that other writers keep moving.
const ATTEMPTS_MAX: usize = 64;

pub async fn create(core: &Core, access: &WriteAccess<RepoTarget>, new: NewRef) -> Result<Ref> {
    let created = try_create(core, access, new).await;
    if let Err(Error::Unprocessable(_)) = created {
        // The error for an empty repository comes before validation errors.
        check_not_empty(&mut core.read().await?, access.repo.id).await?;
    }
    created
}

async fn try_create(core: &Core, access: &WriteAccess<RepoTarget>, new: NewRef) -> Result<Ref> {
    let name = rules::check_new_name(&new.name)?;
    let _removal_lock = core.objects.prevent_removal(access.repo.id).await?;
    let NewTarget { target, workflows } = validate_new(core, access, &name, new.sha).await?;
    let change = Change { name, old: None, new: Some(target) };
    let created = Ref::at(&change.name, target);
    let generations =
        write(core, access, change, workflows).await?.map_err(|conflict| rules::creation_error(&conflict))?;
    refs::add_to_cache(core, generations, access.repo.id, &created);
    Ok(created)
}

/// Validates the target of a new ref. The caller holds the lock against the removal of objects until the commit.
pub(crate) async fn validate_new(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    name: &RefName,
    sha: String,
) -> Result<NewTarget> {
    let name = name.clone();
    let (target, differs) = core
        .objects
        .read_fast(access.repo.id, move |reader| {
            let target = rules::check_new_target(reader, &name, &sha)?;
            Ok((target, refs::rules::brings_workflows(reader, None, target.sha)?))
        })
        .await?;
    let workflows = differs && are_workflows_new(core, &access.repo, target.sha).await?;
    check_workflows_if(workflows, access.caller(), &access.grant)?;
    Ok(NewTarget { target, workflows })
}

pub async fn update(core: &Core, access: &WriteAccess<RepoTarget>, name: &RefName, update: &RefUpdate) -> Result<Ref> {
    rules::check_not_reserved(name)?;
    let _removal_lock = core.objects.prevent_removal(access.repo.id).await?;
    let runs_at_once = core.store.runs_at_once(access.scope());
    if runs_at_once && let Some(moved) = single_transaction::try_update(core, access, name, update).await? {
        return Ok(moved);
    }
    let (mut turn, mut cached) = (None, refs::find_cached(core, access.generations(), access.repo.id, name));
    for _ in 0..ATTEMPTS_MAX {
        let is_cached = cached.is_some();
        let current = match cached.take() {
            Some(cached) => cached,
            None => get(&mut core.read().await?, access.repo.id, name).await?,
        };
        let (target, workflows) = match validate_move(core, access, &current, update).await {
            // Maybe the ref has moved, and the commit that it was at is gone.
            Err(_) if is_cached => continue,
            validated => validated?,
        };
        if target.sha == current.target {
            return Ok(current);
        }
        let change = Change { name: name.clone(), old: Some(current.target), new: Some(target) };
        match write(core, access, change, workflows).await? {
            Ok(generations) => {
                let moved = Ref::at(name, target);
                refs::add_to_cache(core, generations, access.repo.id, &moved);
                return Ok(moved);
            }
            Err(RefConflict::Stale) => {
                // Nobody comes between the steps of one transaction, so many of these can be committed together.
                if let Some(moved) = single_transaction::try_update(core, access, name, update).await? {
                    return Ok(moved);
                }
                if turn.is_none() {
                    turn = Some(core.ref_turns.wait(access.repo.id, name).await);
                }
            }
            Err(RefConflict::DirectoryFileConflict(_)) => return Err(Error::unprocessable("Reference update failed")),
        }
    }
    Err(Error::unprocessable("Reference cannot be updated"))
}

pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>, name: RefName) -> Result<()> {
    let context = (access.repo.id, name, Mover::new(access.caller().actor(), core.clock.now()));
    let refresh = access
        .write_current(context, |tx, current, (repo, name, mover)| {
            Box::pin(async move {
                let found = get(tx, *repo, name).await?;
                rules::check_deletable(name, &current.target.repo.default_branch)?;
                let change = Change { name: name.clone(), old: Some(found.target), new: None };
                let RefMoves { outcomes, refresh } = move_refs(tx, *repo, &[change], *mover).await?;
                match outcomes.as_slice() {
                    [Ok(())] => Ok(refresh),
                    _ => Err(Error::internal("a ref moved inside its own transaction")),
                }
            })
        })
        .await?;
    pulls::refresh_later(core, access.repo.id, refresh);
    Ok(())
}

/// The ref to change, or the error for a missing one.
pub async fn get(db: &mut Connection, repo: RepoId, name: &RefName) -> Result<Ref> {
    match store::find(db, repo, name).await? {
        Some(found) => Ok(found),
        None => {
            check_not_empty(db, repo).await?;
            Err(rules::missing())
        }
    }
}

/// Returns the new target, and whether the move brings new workflow files.
async fn validate_move(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    current: &Ref,
    update: &RefUpdate,
) -> Result<(Target, bool)> {
    let (current, update) = (current.clone(), update.clone());
    let check = move |reader: &Reader<'_>| rules::check_move(reader, &current, &update);
    let (target, differs) = core.objects.read_fast(access.repo.id, check).await?;
    let workflows = differs && are_workflows_new(core, &access.repo, target.sha).await?;
    check_workflows_if(workflows, access.caller(), &access.grant)?;
    Ok((target, workflows))
}

/// Whether the default branch does not have these workflow files either.
async fn are_workflows_new(core: &Core, repo: &Repo, new: Sha) -> Result<bool> {
    let default_tip = store::find_default_tip(&mut core.read().await?, repo.id, &repo.default_branch).await?;
    core.objects.read(repo.id, move |reader| refs::rules::are_workflows_new(reader, new, default_tip)).await
}

fn check_workflows_if(needed: bool, caller: &Principal, grant: &Grant) -> Result<()> {
    if needed { check_workflows(caller, grant) } else { Ok(()) }
}

/// Makes one change, if the caller still has the right and the ref is still at the validated target. Returns as of which
/// generations it is made, if they are known.
async fn write(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    change: Change,
    workflows: bool,
) -> Result<Result<Option<Generations>, RefConflict>> {
    let repo = access.repo.id;
    let context = (repo, [change], workflows, Mover::new(access.caller().actor(), core.clock.now()));
    let written = access
        .write_if_current(context, |tx, changed, (repo, change, workflows, mover)| {
            Box::pin(async move {
                if let Some(Current { caller, grant, .. }) = changed {
                    check_workflows_if(*workflows, caller, grant)?;
                }
                let RefMoves { mut outcomes, refresh } =
                    move_refs_where(tx, *repo, (change.as_slice(), NewRefs::WithBranches), *mover).await?;
                let outcome = outcomes.pop().ok_or_else(|| Error::internal("a change had no outcome"))?;
                if outcome.is_err() && change[0].is_creation() {
                    check_not_empty(tx, *repo).await?;
                }
                Ok(outcome.map(|()| (refresh, tx.generations())))
            })
        })
        .await?;
    Ok(written.map(|(refresh, generations)| {
        pulls::refresh_later(core, repo, refresh);
        generations.get()
    }))
}

/// GitHub has a special error for repositories without branches.
pub async fn check_not_empty(db: &mut Connection, repo: RepoId) -> Result<()> {
    if store::has_branches(db, repo).await? { Ok(()) } else { Err(refs::rules::empty_repository()) }
}
