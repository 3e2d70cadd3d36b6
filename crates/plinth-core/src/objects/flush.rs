//! Moving loose objects from the database into packs.

use std::sync::Arc;

use super::{Objects, store};
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::RawObject;
use plinth_store::internal_authority;

/// Objects and bytes per pack, to bound memory.
const BATCH_OBJECTS_MAX: i64 = 10_000;
const BATCH_BYTES_MAX: i64 = 32 << 20;
/// Rows per transaction, so that other writers do not wait long.
const TRANSACTION_ROWS_MAX: usize = 500;

internal_authority!(
    /// Deletes rows of objects that are in a pack; readers see no difference.
    Flush = "maintenance/flush-objects", in_repo
);

impl Objects {
    /// Moves all loose objects into packs, and returns how many there were. If nodes share packs, it also fetches those that
    /// this node lacks: afterwards git finds every object.
    ///
    /// A pack is durable before its rows are deleted, and readers look into new packs last, so every object stays visible.
    pub async fn flush(&self, repo: RepoId) -> Result<usize> {
        let mut moved = 0;
        loop {
            let batch = self.next_batch(repo).await?;
            if batch.is_empty() {
                self.complete(repo).await?;
                return Ok(moved);
            }
            moved += batch.len();
            self.move_batch(repo, batch).await?;
        }
    }

    /// Fetches what other nodes have added.
    async fn complete(&self, repo: RepoId) -> Result<()> {
        if !self.0.repositories.is_shared() {
            return Ok(());
        }
        let packs = self.clone();
        self.run(move || packs.repository(repo)?.complete()).await
    }

    async fn next_batch(&self, repo: RepoId) -> Result<Vec<Sha>> {
        let mut db = self.0.store.read().await?;
        let listed = store::list_sizes(&mut db, repo, None, BATCH_OBJECTS_MAX).await?;
        let mut bytes = 0;
        let fitting = listed.iter().take_while(|object| {
            let fits = bytes == 0 || bytes + object.size <= BATCH_BYTES_MAX;
            bytes += object.size.max(1);
            fits
        });
        Ok(fitting.map(|object| object.sha).collect())
    }

    async fn move_batch(&self, repo: RepoId, batch: Vec<Sha>) -> Result<()> {
        let mut db = self.0.store.read().await?;
        let mut objects: Vec<Arc<RawObject>> = Vec::with_capacity(batch.len());
        for sha in &batch {
            // Another flush may have moved the same objects.
            if let Some(stored) = store::find(&mut db, repo, *sha).await? {
                objects.push(Arc::new(stored.into_object()?));
            }
        }
        drop(db);
        let packs = self.clone();
        self.run(move || packs.repository(repo)?.store(&objects)).await?;
        for rows in batch.chunks(TRANSACTION_ROWS_MAX) {
            let work = self.0.store.write(Flush(repo), (repo, rows.to_vec()), |tx, (repo, rows)| {
                Box::pin(async move {
                    for sha in rows {
                        store::delete(tx, *repo, *sha).await?;
                    }
                    Ok(())
                })
            });
            work.await?;
        }
        Ok(())
    }
}
