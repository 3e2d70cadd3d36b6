//! The pull requests that a commit belongs to.

use super::model::Pull;
use super::store::{self, Filter, Order};
use crate::Core;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::Reader;

/// Older pull requests are not considered: each takes a walk through history.
const PULLS_MAX: i64 = 500;

/// The pull requests whose current version contains the commit, or whose merge created it, the newest first.
pub async fn find_by_commit(core: &Core, repo: RepoId, commit_id: Sha) -> Result<Vec<Pull>> {
    let range = (PULLS_MAX, 0);
    let pulls = store::list(&mut core.read().await?, repo, &Filter::default(), Order::CreatedDown, range).await?;
    let select = move |reader: &Reader<'_>| {
        let mut found = Vec::new();
        for pull in pulls {
            if contains(reader, &pull, &commit_id)? {
                found.push(pull);
            }
        }
        Ok(found)
    };
    core.objects.read(repo, select).await
}

/// A squash or a rebase creates commits that the head does not have.
fn contains(reader: &Reader<'_>, pull: &Pull, commit_id: &Sha) -> Result<bool> {
    let version = &pull.version;
    let is_between = |base: &Sha, tip: &Sha| -> Result<bool> {
        Ok(reader.is_ancestor(commit_id, tip)? && !reader.is_ancestor(commit_id, base)?)
    };
    if is_between(&version.merge_base.unwrap_or(version.base_sha), &version.head_sha)? {
        return Ok(true);
    }
    match &pull.merged {
        Some(merged) => is_between(&version.base_sha, &merged.commit),
        None => Ok(false),
    }
}
