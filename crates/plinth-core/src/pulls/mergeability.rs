//! Whether a pull request can be merged, found out by a test merge in the background.

use std::sync::Arc;

use super::model::{Mergeability, Pull, TestMerge, Version};
use super::{diff_context::within_budget, refresh_store};
use crate::Core;
use crate::objects::{self, Large};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_git::{Date, Identity, Merger, NewCommit, RawObject, Reader};
use plinth_store::internal_authority;

/// Bytes of the new objects of a test merge that is stored.
const STORED_BYTES_MAX: usize = 1 << 20;

internal_authority!(
    /// Stores the result of a test merge.
    TestMerging = "maintenance/test-merge", in_repo
);

/// Merges head and base of a pull request's last version, and stores the result with its objects.
pub async fn compute(core: &Core, pull: &Pull, merge_base: Option<Sha>) -> Result<()> {
    let repo = pull.repo_id;
    // Until the commit of the test merge is stored, nothing protects what it refers to.
    let _removal_lock = core.objects.prevent_removal(repo).await?;
    let outcome = match merge_base {
        Some(base) if base == pull.version.base_sha => merge_fast_forward(core, repo, pull.version).await,
        Some(_) => merge_diverged(core, repo, pull.version).await,
        None => Ok(None),
    };
    // The memory of the objects is reserved until they are stored.
    let (result, Large { value: objects, reserved: _reserved }) = match outcome {
        // A commit that was force-pushed away and collected can never be merged.
        Err(Error::NotFound) => (unknown(), nothing()),
        outcome => within_budget(outcome)?.flatten().unwrap_or_else(|| (unknown(), nothing())),
    };
    store(core, repo, (pull.id, pull.version), result, objects).await
}

type NewObjects = Large<Vec<Arc<RawObject>>>;
type Outcome = Option<(TestMerge, NewObjects)>;

fn nothing() -> NewObjects {
    Large { value: Vec::new(), reserved: None }
}

fn unknown() -> TestMerge {
    TestMerge { mergeability: Some(Mergeability::Unknown), commit: None }
}

/// The merge of a head that has all commits of its base has the tree of the head.
async fn merge_fast_forward(core: &Core, repo: RepoId, version: Version) -> Result<Outcome> {
    let merge = move |reader: &Reader<'_>| {
        let tree = reader.find_tree_id(&version.head_sha)?.ok_or(Error::NotFound)?;
        clean(&version, tree, nothing()).map(Some)
    };
    core.objects.read(repo, merge).await
}

async fn merge_diverged(core: &Core, repo: RepoId, version: Version) -> Result<Outcome> {
    let merge = move |_: &Reader<'_>, merger: &mut Merger<'_>| merger.merge(&version.base_sha, &version.head_sha);
    let Large { value: (tree, objects), reserved } = core.objects.merge(repo, merge).await?;
    match tree {
        Some(tree) => clean(&version, tree, Large { value: objects, reserved }).map(Some),
        None => Ok(Some((TestMerge { mergeability: Some(Mergeability::Dirty), commit: None }, nothing()))),
    }
}

/// The same version always has the same commit. It is not stored with too many new objects: a small push to the base would
/// write them for every pull request.
fn clean(version: &Version, tree: Sha, mut objects: NewObjects) -> Result<(TestMerge, NewObjects)> {
    if objects.value.iter().map(|object| object.data().len()).sum::<usize>() > STORED_BYTES_MAX {
        return Ok((TestMerge { mergeability: Some(Mergeability::Clean), commit: None }, nothing()));
    }
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
    objects.value.push(Arc::new(commit));
    Ok((result, objects))
}

async fn store(
    core: &Core,
    repo: RepoId,
    (pull, version): (PullId, Version),
    result: TestMerge,
    objects: Vec<Arc<RawObject>>,
) -> Result<()> {
    let context = (pull, version, result, objects, core.clock.now());
    core.store
        .write(TestMerging(repo), context, move |tx, context| {
            Box::pin(async move {
                let (pull, version, result, made, now): &(PullId, Version, TestMerge, Vec<Arc<RawObject>>, Timestamp) =
                    context;
                objects::store::insert_all(tx, repo, made, *now).await?;
                let mergeability = result.mergeability.unwrap_or(Mergeability::Unknown);
                Ok(refresh_store::update_mergeability(tx, *pull, version, mergeability, result.commit).await?)
            })
        })
        .await
}
