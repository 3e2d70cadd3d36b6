//! The tag of a published release, which is created with the release if it does not exist.

use plinth_base::error::{Error, Result};
use plinth_base::ids::{RepoId, Sha};
use plinth_git::{ObjectKind, RefName};
use plinth_store::Transaction;

use super::rules;
use crate::Core;
use crate::access::{Current, WriteAccess, check_workflows};
use crate::pulls::PendingRefresh;
use crate::ref_updates::{Mover, NewTarget, RefMoves, move_refs, validate_new};
use crate::refs::{self, Change};
use crate::repos::RepoTarget;

/// A tag to create, with the target that was validated.
pub struct NewTag {
    name: RefName,
    new: NewTarget,
}

/// What has to be created; `None` if the tag exists. The caller holds the lock against the removal of objects.
pub async fn prepare(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    name: &RefName,
    target: &str,
) -> Result<Option<NewTag>> {
    let repo = access.repo.id;
    let mut db = core.read().await?;
    if refs::store::find(&mut db, repo, name).await?.is_some() {
        return Ok(None);
    }
    if !refs::store::has_branches(&mut db, repo).await? {
        return Err(rules::empty_repository());
    }
    let branch = RefName::parse(&format!("refs/heads/{target}")).ok();
    let found = match branch {
        Some(branch) => refs::store::find(&mut db, repo, &branch).await?.map(|found| found.target),
        None => None,
    };
    drop(db);
    let sha = found.or_else(|| target.parse::<Sha>().ok()).ok_or_else(rules::bad_target)?;
    let kind = core.objects.read(repo, move |reader| reader.kind_of(&sha)).await?;
    if kind != Some(ObjectKind::Commit) {
        return Err(rules::bad_target());
    }
    let new = validate_new(core, access, name, sha.to_string()).await?;
    Ok(Some(NewTag { name: name.clone(), new }))
}

/// Creates the tag, unless somebody else has meanwhile.
pub async fn create(
    tx: &mut Transaction,
    repo: RepoId,
    (name, tag): (&RefName, Option<&NewTag>),
    changed: Option<&Current<RepoTarget>>,
    mover: Mover,
) -> Result<PendingRefresh> {
    if refs::store::find(tx, repo, name).await?.is_some() {
        return Ok(PendingRefresh::default());
    }
    let tag = tag.ok_or_else(|| Error::Conflict("The tag was deleted meanwhile.".into()))?;
    if let Some(Current { caller, grant, .. }) = changed
        && tag.new.workflows
    {
        check_workflows(caller, grant)?;
    }
    let change = Change { name: tag.name.clone(), old: None, new: Some(tag.new.target) };
    let RefMoves { outcomes, refresh } = move_refs(tx, repo, &[change], mover).await?;
    match outcomes.as_slice() {
        [Ok(())] => Ok(refresh),
        // Another tag has a name that is a directory of this one, or is below it.
        _ => Err(Error::unprocessable("Reference update failed")),
    }
}
