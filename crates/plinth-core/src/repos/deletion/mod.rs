//! Deletion of repositories in two phases ([decision 0134](../../../../../docs/decisions/0134-repository-deletion.md)).
//!
//! [`mark`] is all that a deletion waits for: from its commit on, nobody finds the repository, and its name is free. What
//! belongs to the repository is then removed in the background, in transactions of a bounded number of rows, so that
//! other writers do not wait for the deletion of a million refs. The marked row goes last: if the process ends before
//! that, the next start continues.

pub mod store;

use std::time::{Duration, Instant};

use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_store::{Transaction, internal_authority};

use super::name::deleted_name_key;
use crate::Core;

/// Rows per transaction, so that other writers do not wait long.
pub const TRANSACTION_ROWS_MAX: i64 = 250;
/// The longest pause between two transactions.
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// The time between two runs, which find what a command or a failed run has left.
const INTERVAL: Duration = Duration::from_secs(60);

internal_authority!(
    /// Removes rows of a repository that nobody finds any more.
    RemoveDeleted = "maintenance/remove-deleted-repository", in_repo
);

/// Deletes a repository for everybody: nobody finds it any more, and another one can have its name. Few rows grant access
/// to it, so they go at once.
pub async fn mark(tx: &mut Transaction, repo: RepoId) -> Result<()> {
    store::mark_deleted(tx, repo, &deleted_name_key(repo)).await?;
    store::delete_collaborators(tx, repo).await?;
    store::delete_selections(tx, repo).await?;
    Ok(())
}

/// Removes what deleted repositories have left, at start and at intervals until the service stops.
pub async fn run(core: Core, is_stopping: impl Fn() -> bool) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !is_stopping() {
        ticks.tick().await;
        // One of several nodes continues what others have left.
        if core.leads() {
            remove_all(&core).await;
        }
    }
}

/// Starts [`remove_all`] in the background. Call it after the commit of the transaction in which [`mark`] ran.
pub fn remove_later(core: &Core) {
    let core = core.clone();
    tokio::spawn(async move { remove_all(&core).await });
}

/// Removes all deleted repositories, one after another: two at once would take twice as much of the writer's time.
pub async fn remove_all(core: &Core) {
    let _turn = core.removal_turn.lock().await;
    let mut after = RepoId(0);
    loop {
        match find_next(core, after).await {
            Ok(Some(repo)) => {
                after = repo;
                if let Err(error) = remove(core, repo).await {
                    tracing::warn!(%error, %repo, "could not remove a deleted repository; the next run tries again");
                }
            }
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "could not list deleted repositories; the next run tries again");
                return;
            }
        }
    }
}

async fn find_next(core: &Core, after: RepoId) -> Result<Option<RepoId>> {
    Ok(store::find_next_deleted(&mut core.read().await?, after).await?)
}

/// Removes everything that belongs to a repository, if it is deleted: most rows, then its directory, then its own row with
/// all that is left.
pub async fn remove(core: &Core, repo: RepoId) -> Result<()> {
    if !store::is_deleted(&mut core.read().await?, repo).await? {
        return Ok(());
    }
    remove_in_batches(core, repo, Part::Content).await?;
    core.objects.remove_packs(repo, core.clock.now()).await?;
    core.objects.remove_repository(repo).await?;
    // Work that began before the deletion may have inserted rows meanwhile, so this includes content, too.
    remove_in_batches(core, repo, Part::Everything).await
}

/// What [`remove_batch`] removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All but rights and the row of the repository.
    Content,
    Everything,
}

/// The outcome of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// There may be more rows.
    Removed(u64),
    Finished,
}

/// Runs transactions until nothing is left. The pauses leave at least half of the writer's time to others.
async fn remove_in_batches(core: &Core, repo: RepoId, part: Part) -> Result<()> {
    loop {
        let started = Instant::now();
        let batch = core.store.write(RemoveDeleted(repo), (repo, part), |tx, (repo, part)| {
            Box::pin(remove_batch(tx, *repo, *part, TRANSACTION_ROWS_MAX))
        });
        if batch.await? == Batch::Finished {
            return Ok(());
        }
        tokio::time::sleep(started.elapsed().min(PAUSE_MAX)).await;
    }
}

/// Removes at most `rows_max` rows, all of one table; and the row of the repository, once nothing refers to it.
pub async fn remove_batch(tx: &mut Transaction, repo: RepoId, part: Part, rows_max: i64) -> Result<Batch> {
    // Another process may have finished.
    if !store::is_deleted(tx, repo).await? {
        return Ok(Batch::Finished);
    }
    let mut removed = store::delete_content(tx, repo, rows_max).await?;
    if removed == 0 && part == Part::Everything {
        removed = store::delete_token_selections(tx, repo, rows_max).await?;
        if removed == 0 {
            removed = store::delete_hooks(tx, repo, rows_max).await?;
        }
        if removed == 0 {
            store::delete_marked(tx, repo).await?;
        }
    }
    Ok(if removed > 0 { Batch::Removed(removed) } else { Batch::Finished })
}
