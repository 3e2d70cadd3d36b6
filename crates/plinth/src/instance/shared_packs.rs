//! Care for packs that several servers share: the copies on this disk, and files that no server needs any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plinth_api::app::App;
use plinth_base::error::Result;
use plinth_core::objects::shared::{PackStorage, Removals};

/// The time between two rounds, unless packs are fetched.
const INTERVAL: Duration = Duration::from_secs(60);
/// At least this much between two rounds.
const PAUSE: Duration = Duration::from_secs(1);
/// All files of the storage are listed so rarely.
const ORPHAN_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs until the task is aborted.
pub async fn run(app: App, packs: Arc<PackStorage>) {
    let mut orphans_checked = Instant::now();
    loop {
        if let Err(error) = care_for_copies(&app, &packs).await {
            tracing::warn!(%error, "could not care for the copies of packs");
        }
        if app.core.leads()
            && let Err(error) = delete_unneeded(&packs, &mut orphans_checked).await
        {
            tracing::warn!(%error, "could not delete packs from the object storage");
        }
        tokio::time::sleep(PAUSE).await;
        packs.grown_within(INTERVAL).await;
    }
}

async fn care_for_copies(app: &App, packs: &Arc<PackStorage>) -> Result<()> {
    let (repositories, packs) = (app.repositories.clone(), packs.clone());
    app.objects
        .run(move || {
            packs.remove_outdated(&repositories)?;
            packs.shrink_cache(&repositories)
        })
        .await
}

async fn delete_unneeded(packs: &PackStorage, orphans_checked: &mut Instant) -> Result<()> {
    let removals = Removals::default();
    packs.delete_removed(removals).await?;
    if orphans_checked.elapsed() >= ORPHAN_INTERVAL {
        packs.delete_orphans(removals).await?;
        *orphans_checked = Instant::now();
    }
    Ok(())
}
