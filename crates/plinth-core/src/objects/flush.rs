//! Moving small objects out of the store into packs.

use std::sync::Arc;

use super::{Objects, store};
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_git::RawObject;
use plinth_store::internal_authority;

/// Objects and bytes of one pack, so that memory does not grow with what waits.
const BATCH_OBJECTS_MAX: i64 = 10_000;
const BATCH_BYTES_MAX: i64 = 32 << 20;
/// Rows that one transaction deletes, so that nobody waits long to write.
const TRANSACTION_ROWS_MAX: usize = 500;

internal_authority!(
    /// Objects that are in a pack leave the store; nobody sees a difference.
    Flush = "maintenance/flush-objects", in_repo
);

impl Objects {
    /// Moves every object that only the store holds into a pack, and tells how many there were.
    ///
    /// A pack is durable before its rows go, and readers look into new packs last, so no object is ever out of sight.
    pub async fn flush(&self, repo: RepoId) -> Result<usize> {
        let mut moved = 0;
        loop {
            let batch = self.next_batch(repo).await?;
            if batch.is_empty() {
                return Ok(moved);
            }
            moved += batch.len();
            self.move_batch(repo, batch).await?;
        }
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
            // Someone else may be moving the same objects.
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
