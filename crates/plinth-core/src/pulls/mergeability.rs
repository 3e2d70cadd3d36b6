//! Whether a pull request can be merged, found out by a test merge in the background.

use std::sync::Arc;

use super::model::{Mergeability, Pull, TestMerge, Version};
use super::{diff_context::within_budget, refresh_store};
use crate::{Core, objects};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_git::{Date, Identity, Merger, NewCommit, RawObject, Reader};
use plinth_store::internal_authority;

internal_authority!(
    /// Stores the result of a test merge.
    TestMerging = "maintenance/test-merge", in_repo
);

/// Merges head and base of a pull request's last version, and stores the result with its objects.
pub async fn compute(core: &Core, pull: &Pull, merge_base: Option<Sha>) -> Result<()> {
    let repo = pull.repo_id;
    // Until the commit of the test merge is stored, nothing protects what it refers to.
    let _removal_lock = core.objects.prevent_removal(repo).await;
    let outcome = match merge_base {
        Some(base) if base == pull.version.base_sha => merge_fast_forward(core, repo, pull.version).await,
        Some(_) => merge_diverged(core, repo, pull.version).await,
        None => Ok(None),
    };
    let (result, objects) = match outcome {
        // A commit that was force-pushed away and collected can never be merged.
        Err(Error::NotFound) => (unknown(), Vec::new()),
        outcome => within_budget(outcome)?.flatten().unwrap_or_else(|| (unknown(), Vec::new())),
    };
    let objects = core.objects.store_large(repo, objects).await?;
    store(core, repo, (pull.id, pull.version.number), result, objects).await
}

type Outcome = Option<(TestMerge, Vec<Arc<RawObject>>)>;

fn unknown() -> TestMerge {
    TestMerge { mergeability: Some(Mergeability::Unknown), commit: None }
}

/// The merge of a head that has all commits of its base has the tree of the head.
async fn merge_fast_forward(core: &Core, repo: RepoId, version: Version) -> Result<Outcome> {
    let merge = move |reader: &Reader<'_>| {
        let tree = reader.find_tree_id(&version.head_sha)?.ok_or(Error::NotFound)?;
        clean(&version, tree, Vec::new()).map(Some)
    };
    core.objects.read(repo, merge).await
}

async fn merge_diverged(core: &Core, repo: RepoId, version: Version) -> Result<Outcome> {
    let merge = move |_: &Reader<'_>, merger: &mut Merger<'_>| merger.merge(&version.base_sha, &version.head_sha);
    match core.objects.merge(repo, merge).await? {
        (Some(tree), objects) => clean(&version, tree, objects).map(Some),
        (None, _) => Ok(Some((TestMerge { mergeability: Some(Mergeability::Dirty), commit: None }, Vec::new()))),
    }
}

/// The same version always has the same commit.
fn clean(version: &Version, tree: Sha, mut objects: Vec<Arc<RawObject>>) -> Result<(TestMerge, Vec<Arc<RawObject>>)> {
    let service = Identity {
        name: "Plinth".into(),
        email: "noreply@localhost".into(),
        date: Date::utc(version.created_at.0.max(0)),
    };
    let commit = NewCommit {
        tree_id: tree,
        parent_ids: vec![version.base_sha, version.head_sha],
        author: service.clone(),
        committer: service,
        message: format!("Merge {} into {}", version.head_sha, version.base_sha),
        signature: None,
    };
    let commit = commit.to_object()?;
    let result = TestMerge { mergeability: Some(Mergeability::Clean), commit: Some(commit.sha()) };
    objects.push(Arc::new(commit));
    Ok((result, objects))
}

async fn store(
    core: &Core,
    repo: RepoId,
    (pull, number): (PullId, i64),
    result: TestMerge,
    objects: Vec<Arc<RawObject>>,
) -> Result<()> {
    let context = (pull, number, result, objects, core.clock.now());
    core.store
        .write(TestMerging(repo), context, move |tx, context| {
            Box::pin(async move {
                let (pull, number, result, made, now): &(PullId, i64, TestMerge, Vec<Arc<RawObject>>, Timestamp) =
                    context;
                objects::store::insert_all(tx, repo, made, *now).await?;
                let mergeability = result.mergeability.unwrap_or(Mergeability::Unknown);
                Ok(refresh_store::update_mergeability(tx, *pull, *number, mergeability, result.commit).await?)
            })
        })
        .await
}
