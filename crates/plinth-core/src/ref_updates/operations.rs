//! References made, moved and deleted: read, judged and written as one decision.
//!
//! The check walks history, so it happens before the transaction: no git object is read while others wait to write. The
//! write compares with the target that was checked, and whoever finds the reference elsewhere checks again.

use plinth_base::error::{Error, Result};
use plinth_base::ids::{RefName, RepoId, Sha};
use plinth_store::Connection;

use super::{NewRef, RefMoves, RefUpdate, Refused, move_refs, rules};
use crate::access::{Current, Grant, RepoTarget, WriteAccess, check_workflows};
use crate::refs::{self, Change, Ref, Target, store};
use crate::repos::Repo;
use crate::tokens::Principal;
use crate::{Core, pulls};

/// How often a judgement is made anew before the caller learns that the reference never stands still.
const ATTEMPTS_MAX: usize = 64;

/// Makes a reference.
pub async fn create(core: &Core, access: &WriteAccess<RepoTarget>, new: NewRef) -> Result<Ref> {
    let made = try_create(core, access, new).await;
    if let Err(Error::Unprocessable(_)) = made {
        // Whatever is wrong with the request, first it is wrong to ask for it here.
        check_not_empty(&mut core.read().await?, access.repo.id).await?;
    }
    made
}

async fn try_create(core: &Core, access: &WriteAccess<RepoTarget>, new: NewRef) -> Result<Ref> {
    let name = rules::check_new_name(&new.name)?;
    let _held = core.objects.hold(access.repo.id).await;
    let judged = name.clone();
    let (target, differs) = core
        .objects
        .look(access.repo.id, move |reader| {
            let target = rules::check_new_target(reader, &judged, &new.sha)?;
            Ok((target, refs::rules::brings_workflows(reader, None, target.sha)?))
        })
        .await?;
    let workflows = differs && are_workflows_new(core, &access.repo, target.sha).await?;
    check_workflows_if(workflows, access.caller(), &access.grant)?;
    let change = Change { name, old: None, new: Some(target) };
    let made = shown(&change.name, target);
    write(core, access, change, workflows).await?.map_err(|refused| rules::refused_new(&refused))?;
    Ok(made)
}

/// Moves a reference.
pub async fn update(core: &Core, access: &WriteAccess<RepoTarget>, name: &RefName, update: &RefUpdate) -> Result<Ref> {
    rules::check_not_reserved(name)?;
    let _held = core.objects.hold(access.repo.id).await;
    for _ in 0..ATTEMPTS_MAX {
        let current = get(&mut core.read().await?, access.repo.id, name).await?;
        let (target, workflows) = judge(core, access, &current, update).await?;
        if target.sha == current.target {
            return Ok(current);
        }
        let change = Change { name: name.clone(), old: Some(current.target), new: Some(target) };
        match write(core, access, change, workflows).await? {
            Ok(()) => return Ok(shown(name, target)),
            Err(Refused::Stale) => {}
            Err(Refused::DirectoryFileConflict(_)) => return Err(Error::unprocessable("Reference update failed")),
        }
    }
    Err(Error::unprocessable("Reference cannot be updated"))
}

/// Deletes a reference; nothing about it needs a look at its objects.
pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>, name: RefName) -> Result<()> {
    let context = (access.repo.id, name, core.clock.now());
    let moved = access
        .write_current(context, |tx, current, (repo, name, now)| {
            Box::pin(async move {
                let found = get(tx, *repo, name).await?;
                rules::check_deletable(name, &current.target.repo.default_branch)?;
                let change = Change { name: name.clone(), old: Some(found.target), new: None };
                let RefMoves { outcomes, moved } = move_refs(tx, *repo, &[change], *now).await?;
                match outcomes.as_slice() {
                    [Ok(())] => Ok(moved),
                    _ => Err(Error::internal("a ref moved inside its own transaction")),
                }
            })
        })
        .await?;
    pulls::refresh_later(core, access.repo.id, moved);
    Ok(())
}

/// The reference as a change expects it, or why there is nothing to change.
pub async fn get(db: &mut Connection, repo: RepoId, name: &RefName) -> Result<Ref> {
    match store::find(db, repo, name).await? {
        Some(found) => Ok(found),
        None => {
            check_not_empty(db, repo).await?;
            Err(rules::missing())
        }
    }
}

async fn judge(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    current: &Ref,
    update: &RefUpdate,
) -> Result<(Target, bool)> {
    let (judged, update) = (current.clone(), update.clone());
    let found = core.objects.look(access.repo.id, move |reader| rules::check_move(reader, &judged, &update)).await?;
    let (target, differs) = found;
    let workflows = differs && are_workflows_new(core, &access.repo, target.sha).await?;
    check_workflows_if(workflows, access.caller(), &access.grant)?;
    Ok((target, workflows))
}

/// Whether workflow files that a name had not are not from the default branch either.
async fn are_workflows_new(core: &Core, repo: &Repo, new: Sha) -> Result<bool> {
    let default_tip = store::find_default_tip(&mut core.read().await?, repo.id, &repo.default_branch).await?;
    core.objects.read(repo.id, move |reader| refs::rules::are_workflows_new(reader, new, default_tip)).await
}

fn check_workflows_if(needed: bool, caller: &Principal, grant: &Grant) -> Result<()> {
    if needed { check_workflows(caller, grant) } else { Ok(()) }
}

/// Carries out one change, if the right to it still stands and the reference is still where it was judged.
async fn write(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    change: Change,
    workflows: bool,
) -> Result<Result<(), Refused>> {
    let repo = access.repo.id;
    let context = (repo, [change], workflows, core.clock.now());
    let written = access
        .write_if_current(context, |tx, changed, (repo, change, workflows, now)| {
            Box::pin(async move {
                if let Some(Current { caller, grant, .. }) = changed {
                    check_workflows_if(*workflows, caller, grant)?;
                }
                if change[0].old.is_none() {
                    check_not_empty(tx, *repo).await?;
                }
                let RefMoves { mut outcomes, moved } = move_refs(tx, *repo, change, *now).await?;
                let outcome = outcomes.pop().ok_or_else(|| Error::internal("a change had no outcome"))?;
                Ok(outcome.map(|()| moved))
            })
        })
        .await?;
    Ok(written.map(|moved| pulls::refresh_later(core, repo, moved)))
}

pub fn shown(name: &RefName, target: Target) -> Ref {
    Ref { name: name.clone(), target: target.sha, kind: target.kind }
}

/// A conflict of its own: in an empty repository there is nothing to look for.
pub async fn check_not_empty(db: &mut Connection, repo: RepoId) -> Result<()> {
    if store::has_branches(db, repo).await? { Ok(()) } else { Err(refs::rules::empty_repository()) }
}
