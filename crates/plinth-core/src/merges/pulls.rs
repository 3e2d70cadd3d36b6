//! Merging a pull request into its base, and the base into a pull request.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_git::{Identity, Merger, NewCommit, Reader};

use super::commits::{Built, Plan, build};
use super::write::{self, Closes, Computed};
use super::{PullMerge, rules};
use crate::Core;
use crate::access::WriteAccess;
use crate::objects::Large;
use crate::pulls::model::Pull;
use crate::pulls::store;
use crate::repos::RepoTarget;

/// Attempts to merge while other writers move the branches.
const ATTEMPTS_MAX: usize = 8;

/// Merges a pull request and returns the commit that its base has then.
pub async fn merge_pull(core: &Core, access: &WriteAccess<RepoTarget>, number: i64, merge: &PullMerge) -> Result<Sha> {
    let committer = write::find_caller(core, access).await?;
    for _ in 0..ATTEMPTS_MAX {
        let pull = find(core, access, number).await?;
        rules::check_mergeable(&pull, merge.head.as_deref())?;
        rules::check_test_merge(&pull, merge.method)?;
        let _removal_lock = core.objects.prevent_removal(access.repo.id).await?;
        let computed = compute(core, access, &pull, (merge, &committer)).await?;
        let tip = computed.new;
        if let Ok(()) = write::write(core, access, computed).await? {
            return Ok(tip);
        }
    }
    Err(rules::base_modified())
}

async fn find(core: &Core, access: &WriteAccess<RepoTarget>, number: i64) -> Result<Pull> {
    store::find(&mut core.read().await?, access.repo.id, number).await?.ok_or(Error::NotFound)
}

async fn compute(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &Pull,
    (merge, committer): (&PullMerge, &Identity),
) -> Result<Computed> {
    let author = match pull.author.id() {
        Some(author) => write::find_identity(core, author).await?,
        None => None,
    };
    let title = format!("Merge pull request #{} from {}/{}", pull.number, access.repo.owner_login, pull.head_ref);
    let plan = Plan {
        method: merge.method,
        base: pull.version.base_sha,
        head: pull.version.head_sha,
        title: merge.title.clone(),
        message: merge.message.clone(),
        default_text: (title, pull.title.clone()),
        number: pull.number,
        author: author.unwrap_or_else(|| committer.clone()),
        committer: committer.clone(),
    };
    let default_tip = write::find_default_tip(core, access).await?;
    let work = move |reader: &Reader<'_>, merger: &mut Merger<'_>| {
        // A push has merged it, and the background task has not noticed that yet.
        if reader.is_ancestor(&plan.head, &plan.base)? {
            return Ok(None);
        }
        let Some(built) = build(reader, merger, &plan)? else { return Ok(None) };
        Ok(Some((built, write::brings_workflows(reader, &plan.base, plan.head, default_tip)?)))
    };
    let Large { value: (outcome, mut objects), reserved } = core.objects.merge(access.repo.id, work).await?;
    let (Built { tip, commits }, workflows) = outcome.ok_or_else(|| rules::not_mergeable(merge.method))?;
    objects.extend(commits.into_iter().map(Arc::new));
    Ok(Computed {
        branch: write::branch(&pull.base_ref)?,
        old: pull.version.base_sha,
        new: tip,
        objects,
        reserved,
        workflows,
        closes: Some(Closes { pull: pull.id, head: pull.version.head_sha, expected_head: merge.head.clone() }),
    })
}

/// Merges the base of a pull request into its head.
pub async fn update_branch(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    number: i64,
    expected_head: Option<&str>,
) -> Result<()> {
    let committer = write::find_caller(core, access).await?;
    for _ in 0..ATTEMPTS_MAX {
        let pull = find(core, access, number).await?;
        rules::check_updatable(&pull, expected_head)?;
        let _removal_lock = core.objects.prevent_removal(access.repo.id).await?;
        let computed = compute_update(core, access, &pull, &committer).await?;
        if let Ok(()) = write::write(core, access, computed).await? {
            return Ok(());
        }
    }
    Err(Error::unprocessable("expected head sha didn’t match current head ref."))
}

async fn compute_update(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &Pull,
    committer: &Identity,
) -> Result<Computed> {
    let (base, head, committer) = (pull.version.base_sha, pull.version.head_sha, committer.clone());
    let message = format!("Merge branch '{}' into {}", pull.base_ref, pull.head_ref);
    let default_tip = write::find_default_tip(core, access).await?;
    let work = move |reader: &Reader<'_>, merger: &mut Merger<'_>| {
        if reader.is_ancestor(&base, &head)? {
            return Err(Error::unprocessable("There are no new commits on the base branch."));
        }
        let Some(tree_id) = merger.merge(&head, &base)? else {
            return Err(Error::unprocessable("merge conflict between base and head"));
        };
        let built = Built::one(&NewCommit {
            tree_id,
            parent_ids: vec![head, base],
            author: committer.clone(),
            committer,
            message,
            signature: None,
        })?;
        Ok((built, write::brings_workflows(reader, &head, base, default_tip)?))
    };
    let Large { value, reserved } = core.objects.merge(access.repo.id, work).await?;
    let ((Built { tip, commits }, workflows), mut objects) = value;
    objects.extend(commits.into_iter().map(Arc::new));
    let branch = write::branch(&pull.head_ref)?;
    Ok(Computed { branch, old: head, new: tip, objects, reserved, workflows, closes: None })
}
