//! Merging a branch or a commit into a branch.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_git::{Commit, Identity, Merger, NewCommit, ObjectKind, Reader, RefName};

use super::NewBranchMerge;
use super::commits::Built;
use super::write::{self, Computed};
use crate::Core;
use crate::access::WriteAccess;
use crate::objects::Large;
use crate::ref_updates::check_not_empty;
use crate::refs;
use crate::repos::RepoTarget;

/// Attempts to merge while other writers move the branch.
const ATTEMPTS_MAX: usize = 8;

/// The outcome of a merge without conflicts.
#[derive(Debug)]
pub enum BranchMerge {
    Merged(Sha, Box<Commit>),
    /// The base has all commits of the head.
    UpToDate,
}

/// Merges a branch or a commit into a branch, always with a commit of its own.
pub async fn merge_branch(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    merge: &NewBranchMerge,
) -> Result<BranchMerge> {
    let repo = access.repo.id;
    check_not_empty(&mut core.read().await?, repo).await?;
    let committer = write::find_caller(core, access).await?;
    let branch = RefName::parse(&format!("refs/heads/{}", merge.base)).map_err(|_| base_missing())?;
    for _ in 0..ATTEMPTS_MAX {
        let mut db = core.read().await?;
        let base = refs::store::find(&mut db, repo, &branch).await?.ok_or_else(base_missing)?.target;
        drop(db);
        let _removal_lock = core.objects.prevent_removal(repo).await?;
        let head = find_head(core, access, &merge.head).await?;
        let Some((commit, computed)) = compute(core, access, (&branch, base, head), merge, &committer).await? else {
            return Ok(BranchMerge::UpToDate);
        };
        let tip = computed.new;
        if let Ok(()) = write::write(core, access, computed).await? {
            return Ok(BranchMerge::Merged(tip, Box::new(commit)));
        }
    }
    Err(Error::Conflict("Base branch was modified. Review and try the merge again.".into()))
}

fn base_missing() -> Error {
    Error::Missing("Base does not exist")
}

/// The commit that a branch or an id names.
async fn find_head(core: &Core, access: &WriteAccess<RepoTarget>, head: &str) -> Result<Sha> {
    let repo = access.repo.id;
    let missing = || Error::Missing("Head does not exist");
    if let Ok(name) = RefName::parse(&format!("refs/heads/{head}"))
        && let Some(found) = refs::store::find(&mut core.read().await?, repo, &name).await?
    {
        return Ok(found.target);
    }
    let sha: Sha = head.parse().map_err(|_| missing())?;
    let kind = core.objects.read(repo, move |reader| reader.kind_of(&sha)).await?;
    if kind == Some(ObjectKind::Commit) { Ok(sha) } else { Err(missing()) }
}

/// Returns `None` if there is nothing to merge.
async fn compute(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    (branch, base, head): (&RefName, Sha, Sha),
    merge: &NewBranchMerge,
    committer: &Identity,
) -> Result<Option<(Commit, Computed)>> {
    let message = merge.message.clone().unwrap_or_else(|| format!("Merge {} into {}", merge.head, merge.base));
    let default_tip = write::find_default_tip(core, access).await?;
    let committer = committer.clone();
    let work = move |reader: &Reader<'_>, merger: &mut Merger<'_>| {
        if reader.is_ancestor(&head, &base)? {
            return Ok(None);
        }
        let tree_id = merger.merge(&base, &head)?.ok_or_else(|| Error::Conflict("Merge conflict".into()))?;
        let author = committer.clone();
        let new = NewCommit { tree_id, parent_ids: vec![base, head], author, committer, message, signature: None };
        Ok(Some((new, write::brings_workflows(reader, &base, head, default_tip)?)))
    };
    let Large { value: (outcome, mut objects), reserved } = core.objects.merge(access.repo.id, work).await?;
    let Some((new, workflows)) = outcome else { return Ok(None) };
    let Built { tip, commits } = Built::one(&new)?;
    objects.extend(commits.into_iter().map(Arc::new));
    let commit = Commit {
        tree_id: new.tree_id,
        parent_ids: new.parent_ids,
        author: new.author,
        committer: new.committer,
        message: new.message,
        signature: None,
    };
    let branch = branch.clone();
    Ok(Some((commit, Computed { branch, old: base, new: tip, objects, reserved, workflows, closes: None })))
}
