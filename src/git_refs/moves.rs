//! References made, moved and deleted: read, judged and written as one decision.
//!
//! The check walks history, so it happens before the transaction: no git object is read while others wait to write. The
//! write compares with the target that was checked, and whoever finds the reference elsewhere checks again.

use super::json::{NewRef, RefUpdate};
use super::listing::check_not_empty;
use super::rules;
use crate::api::access::{Allowed, Current, Endpoint, Reach, RepoTarget, check_workflows};
use crate::app::App;
use crate::db::Connection;
use crate::error::{Error, Result};
use crate::git::RefName;
use crate::ids::{RepoId, Sha};
use crate::pulls;
use crate::refs::{self, Change, Ref, Refused, Target, store};
use crate::repos::Repo;
use crate::tokens::Principal;

/// How often a judgement is made anew before the caller learns that the reference never stands still.
const JUDGEMENTS_MAX: usize = 64;

/// Makes a reference.
pub async fn create<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, new: NewRef) -> Result<Ref> {
    let made = try_create(app, access, new).await;
    if let Err(Error::Unprocessable(_)) = made {
        // Whatever is wrong with the request, first it is wrong to ask for it here.
        check_not_empty(&mut app.store.read().await?, access.repo.id).await?;
    }
    made
}

async fn try_create<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, new: NewRef) -> Result<Ref> {
    let name = rules::check_new_name(&new.name)?;
    let _held = app.objects.hold(access.repo.id).await;
    let judged = name.clone();
    let (target, differs) = app
        .objects
        .look(access.repo.id, move |reader| {
            let target = rules::check_new_target(reader, &judged, &new.sha)?;
            Ok((target, refs::rules::brings_workflows(reader, None, target.sha)?))
        })
        .await?;
    let workflows = differs && are_workflows_new(app, &access.repo, target.sha).await?;
    check_workflows_if(workflows, access.caller(), &access.reach)?;
    let change = Change { name, old: None, new: Some(target) };
    let made = shown(&change.name, target);
    write(app, access, change, workflows).await?.map_err(|refused| rules::refused_new(&refused))?;
    Ok(made)
}

/// Moves a reference.
pub async fn update<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    name: &RefName,
    update: &RefUpdate,
) -> Result<Ref> {
    rules::check_not_reserved(name)?;
    let _held = app.objects.hold(access.repo.id).await;
    for _ in 0..JUDGEMENTS_MAX {
        let current = get(&mut app.store.read().await?, access.repo.id, name).await?;
        let (target, workflows) = judge(app, access, &current, update).await?;
        if target.sha == current.target {
            return Ok(current);
        }
        let change = Change { name: name.clone(), old: Some(current.target), new: Some(target) };
        match write(app, access, change, workflows).await? {
            Ok(()) => return Ok(shown(name, target)),
            Err(Refused::Stale) => {}
            Err(Refused::InTheWay(_)) => return Err(Error::unprocessable("Reference update failed")),
        }
    }
    Err(Error::unprocessable("Reference cannot be updated"))
}

/// Deletes a reference; nothing about it needs a look at its objects.
pub async fn delete<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, name: RefName) -> Result<()> {
    let context = (access.repo.id, name, app.clock.now());
    access
        .write_current(&app.store, context, |tx, current, (repo, name, now)| {
            Box::pin(async move {
                let found = get(tx, *repo, name).await?;
                rules::check_deletable(name, &current.target.repo.default_branch)?;
                let change = Change { name: name.clone(), old: Some(found.target), new: None };
                let change = [change];
                match refs::apply(tx, *repo, &change, *now).await?.as_slice() {
                    [Ok(())] => {
                        pulls::refs_moved(tx, *repo, &change, *now).await?;
                        Ok(())
                    }
                    _ => Err(Error::internal("a reference moved inside its own transaction")),
                }
            })
        })
        .await
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

async fn judge<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    current: &Ref,
    update: &RefUpdate,
) -> Result<(Target, bool)> {
    let (judged, update) = (current.clone(), update.clone());
    let found = app.objects.look(access.repo.id, move |reader| rules::check_move(reader, &judged, &update)).await?;
    let (target, differs) = found;
    let workflows = differs && are_workflows_new(app, &access.repo, target.sha).await?;
    check_workflows_if(workflows, access.caller(), &access.reach)?;
    Ok((target, workflows))
}

/// Whether workflow files that a name had not are not from the default branch either.
async fn are_workflows_new(app: &App, repo: &Repo, new: Sha) -> Result<bool> {
    let default_tip = find_default_tip(&mut app.store.read().await?, repo).await?;
    app.objects.read(repo.id, move |reader| refs::rules::are_workflows_new(reader, new, default_tip)).await
}

fn check_workflows_if(needed: bool, caller: &Principal, reach: &Reach) -> Result<()> {
    if needed { check_workflows(caller, reach) } else { Ok(()) }
}

/// Carries out one change, if the right to it still stands and the reference is still where it was judged.
async fn write<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    change: Change,
    workflows: bool,
) -> Result<Result<(), Refused>> {
    let repo = access.repo.id;
    let context = (repo, [change], workflows, app.clock.now());
    let written = app
        .store
        .write_with_proof(access.authority(), context, |tx, changed, (repo, change, workflows, now)| {
            Box::pin(async move {
                if let Some(Current { caller, reach, .. }) = changed {
                    check_workflows_if(*workflows, caller, reach)?;
                }
                if change[0].old.is_none() {
                    check_not_empty(tx, *repo).await?;
                }
                let outcome = refs::apply(tx, *repo, change, *now).await?.pop();
                match outcome.ok_or_else(|| Error::internal("a change had no outcome"))? {
                    Ok(()) => Ok(Ok(pulls::refs_moved(tx, *repo, change, *now).await?)),
                    Err(refused) => Ok(Err(refused)),
                }
            })
        })
        .await?;
    Ok(written.map(|moved| pulls::follow(app, repo, moved)))
}

async fn find_default_tip(db: &mut Connection, repo: &Repo) -> Result<Option<Sha>> {
    let Ok(name) = RefName::parse(&format!("refs/heads/{}", repo.default_branch)) else { return Ok(None) };
    Ok(store::find(db, repo.id, &name).await?.map(|found| found.target))
}

pub fn shown(name: &RefName, target: Target) -> Ref {
    Ref { name: name.clone(), target: target.sha, kind: target.kind }
}
