//! Removal of what deletions and broken uploads leave.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AssetId, RepoId};
use plinth_store::internal_authority;

use super::store;
use crate::Core;

internal_authority!(
    /// Removes files of releases that nobody sees.
    RemoveLeftovers = "maintenance/remove-release-assets", in_repo
);

/// An upload without progress for so long is broken.
const UPLOAD_SECONDS_MAX: i64 = 60 * 60;
/// Files of one run.
const FILES_MAX: i64 = 1_000;
/// Chunks per transaction, which are 8 MiB, so that other writers do not wait long.
const CHUNKS_PER_TRANSACTION: i64 = 32;

/// Removes the bytes of deleted files and of broken uploads.
pub async fn remove_leftovers(core: &Core) -> Result<()> {
    let before = core.clock.now().plus_seconds(-UPLOAD_SECONDS_MAX);
    let leftovers = store::list_leftovers(&mut core.read().await?, before, FILES_MAX).await?;
    for (asset, repo) in leftovers {
        while remove_some(core, (asset, repo), before).await? > 0 {}
    }
    Ok(())
}

/// Removes some chunks, or the row after the last one, and returns how many chunks there were.
async fn remove_some(core: &Core, (asset, repo): (AssetId, RepoId), before: Timestamp) -> Result<u64> {
    core.store
        .write(RemoveLeftovers(repo), (asset, before), |tx, (asset, before)| {
            Box::pin(async move {
                store::end_upload(tx, *asset, *before).await?;
                let deleted = store::delete_chunks(tx, *asset, CHUNKS_PER_TRANSACTION).await?;
                if deleted == 0 {
                    store::delete(tx, *asset).await?;
                }
                Ok(deleted)
            })
        })
        .await
}
