//! Pull requests that are merged by a push: the push brings the head into the base.

use super::diff_context::{DiffContext, with_diff_context, within_budget};
use super::model::{Pull, PullState, Version};
use super::{events, refresh_store, store};
use crate::Core;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_store::internal_authority;

/// Earlier versions that are searched for the base before the push.
const VERSIONS_MAX: i64 = 100;
/// Commits of the base that are searched for the one that brought the head.
const COMMITS_MAX: usize = 250;

internal_authority!(
    /// Closes a pull request that is merged already.
    PushedMerge = "maintenance/pushed-merge", in_repo
);

/// How the push has merged a pull request.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// The first commit of the base that has the head.
    commit: Sha,
    /// The base before the push. The pull request continues to show its changes to this base, not to one that has them.
    base: Sha,
}

/// Closes a pull request as merged if the last move of its base has brought its head there. Returns whether it did.
pub async fn close(core: &Core, pull: &Pull) -> Result<bool> {
    let version = pull.version;
    // A pull request is created with commits that its base does not have, unless a state file says otherwise.
    if pull.state == PullState::Closed || version.number == 1 || version.merge_base.is_some() {
        return Ok(false);
    }
    let range = (0, version.number);
    let earlier = store::list_versions(&mut core.read().await?, pull.id, range, VERSIONS_MAX).await?;
    let found = with_diff_context(core, pull.repo_id, move |diff| find(&diff, &version, &earlier)).await;
    let Some(found) = within_budget(found)?.flatten() else { return Ok(false) };
    let context = (pull.id, version, found, core.clock.now());
    core.store
        .write(PushedMerge(pull.repo_id), context, |tx, (pull, version, found, now)| {
            Box::pin(async move {
                let current = store::find_by_id(tx, *pull).await?.ok_or(Error::NotFound)?;
                if current.state == PullState::Closed || current.version.number != version.number {
                    return Ok(false);
                }
                let mover = refresh_store::find_mover(tx, *pull, version.number).await?;
                refresh_store::update_base(tx, *pull, version.number, found.base).await?;
                store::update_merged(tx, *pull, found.commit, mover, *now).await?;
                events::record_closed(tx, *pull, mover, *now).await?;
                Ok(true)
            })
        })
        .await
}

/// A head that was moved into the history of its base is not merged: it must have been there before the base moved.
fn find(diff: &DiffContext<'_>, version: &Version, earlier: &[Version]) -> Result<Option<Found>> {
    let head = version.head_sha;
    if !has(diff, &version.base_sha, &head)? {
        return Ok(None);
    }
    for earlier in earlier.iter().filter(|earlier| earlier.head_sha == head) {
        if !has(diff, &earlier.base_sha, &head)? {
            return Ok(Some(Found { commit: first_with(diff, version.base_sha, &head)?, base: earlier.base_sha }));
        }
    }
    Ok(None)
}

/// Whether the head is reachable from the base. The merge base is cached, and the refresh needs it anyway.
fn has(diff: &DiffContext<'_>, base: &Sha, head: &Sha) -> Result<bool> {
    match diff.comparisons.merge_base(diff.repo, diff.reader, base, head) {
        // A tip that was force-pushed away and collected.
        Err(Error::NotFound) => Ok(false),
        found => Ok(found? == Some(*head)),
    }
}

/// The first commit along the first parents of the base that has the head: a merge, or the head itself.
fn first_with(diff: &DiffContext<'_>, base: Sha, head: &Sha) -> Result<Sha> {
    let mut commit = base;
    for _ in 0..COMMITS_MAX {
        if commit == *head {
            break;
        }
        let parents = diff.reader.find_commit(&commit)?.map(|commit| commit.parent_ids).unwrap_or_default();
        match parents.first() {
            Some(first) if diff.reader.is_ancestor(head, first)? => commit = *first,
            Some(_) | None => break,
        }
    }
    Ok(commit)
}
