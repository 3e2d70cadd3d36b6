//! Deletes files from the object storage: those of packs that were replaced, after a grace period, and those that no row ever
//! named, because a node ended between the upload and the commit.

use std::time::{Duration, SystemTime};

use super::{PACKS, PackStorage, keys_of, store};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_store::{Store, internal_authority};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Keys per round.
const KEYS_PER_ROUND: i64 = 1_000;

internal_authority!(
    /// Forgets keys whose files are deleted.
    RemovedPacks = "maintenance/delete-removed-packs"
);

internal_authority!(
    /// Removes the packs of a repository that nobody finds any more.
    DeletedRepository = "maintenance/remove-packs", in_repo
);

/// Packs per transaction.
const PACKS_PER_TRANSACTION: usize = 100;

/// Removes all packs of a deleted repository.
pub async fn remove_all(db: &Store, repo: RepoId, now: Timestamp) -> Result<()> {
    let packs = store::list(&mut db.read().await?, repo).await?;
    for some in packs.chunks(PACKS_PER_TRANSACTION) {
        let context = (repo, some.to_vec(), now);
        let removed = db.write(DeletedRepository(repo), context, |tx, (repo, packs, now)| {
            Box::pin(async move {
                for store::PackRow(pack) in packs {
                    store::remove(tx, *repo, &pack.name, *now).await?;
                }
                Ok(())
            })
        });
        removed.await?;
    }
    Ok(())
}

/// How long files stay.
#[derive(Debug, Clone, Copy)]
pub struct Removals {
    /// After their pack was replaced: a node may be about to fetch them, and a backup to copy them.
    pub grace: Duration,
    /// Without a row: their upload may still run.
    pub orphan_age: Duration,
}

impl Default for Removals {
    fn default() -> Self {
        Self { grace: DAY, orphan_age: 2 * DAY }
    }
}

impl PackStorage {
    /// Deletes the files of packs that were removed before the grace period. Returns how many packs.
    pub async fn delete_removed(&self, removals: Removals) -> Result<usize> {
        let grace = i64::try_from(removals.grace.as_secs()).unwrap_or(i64::MAX / 2);
        let before = self.clock.now().plus_seconds(-grace);
        let keys = store::list_removed(&mut self.store.read().await?, before, KEYS_PER_ROUND).await?;
        for key in &keys {
            for file in keys_of(key) {
                self.storage.delete(&file).await?;
            }
            let forgotten = self.store.write(RemovedPacks, key.clone(), |tx, key| {
                Box::pin(async move { Ok(store::delete_removed(tx, key).await?) })
            });
            forgotten.await?;
        }
        Ok(keys.len())
    }

    /// Deletes files that no row names. Returns how many.
    pub async fn delete_orphans(&self, removals: Removals) -> Result<usize> {
        let Some(before) = SystemTime::now().checked_sub(removals.orphan_age) else { return Ok(0) };
        let mut old = Vec::new();
        let collect = |value: plinth_store::StoredValue| {
            if value.modified < before {
                old.push(value.key);
            }
        };
        self.storage.list(PACKS, collect).await?;
        let mut deleted = 0;
        for file in old {
            let Some((key, _)) = file.rsplit_once('.') else { continue };
            if !store::is_known(&mut self.store.read().await?, key).await? {
                self.storage.delete(&file).await?;
                deleted += 1;
            }
        }
        Ok(deleted)
    }
}
