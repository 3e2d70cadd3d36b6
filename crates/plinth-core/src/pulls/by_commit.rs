//! The pull requests that a commit belongs to.

use super::model::{Pull, Version};
use super::store::{self, Filter, Order};
use crate::Core;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::Reader;

/// Older pull requests are not considered: each takes a walk through history.
const PULLS_MAX: i64 = 500;

/// The pull requests whose current version contains the commit, the newest first.
pub async fn find_by_commit(core: &Core, repo: RepoId, commit_id: Sha) -> Result<Vec<Pull>> {
    let range = (PULLS_MAX, 0);
    let pulls = store::list(&mut core.read().await?, repo, &Filter::default(), Order::CreatedDown, range).await?;
    let select = move |reader: &Reader<'_>| {
        let mut found = Vec::new();
        for pull in pulls {
            if contains(reader, &pull.version, &commit_id)? {
                found.push(pull);
            }
        }
        Ok(found)
    };
    core.objects.read(repo, select).await
}

fn contains(reader: &Reader<'_>, version: &Version, commit_id: &Sha) -> Result<bool> {
    let base = version.merge_base.unwrap_or(version.base_sha);
    Ok(reader.is_ancestor(commit_id, &version.head_sha)? && !reader.is_ancestor(commit_id, &base)?)
}
