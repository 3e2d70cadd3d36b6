//! What the queue does now and then.

use plinth_base::error::Result;

use super::{QueueWork, store};
use crate::{Core, events};

/// Messages per transaction, so that other writers do not wait long. Each has a few deliveries.
const MESSAGES_MAX: i64 = 250;

/// Ends all claims. Only for the one node of a store that it shares with nobody: the process that made the claims is gone.
pub async fn release_all(core: &Core) -> Result<u64> {
    let write = core.store.write(QueueWork::hidden("webhooks/release"), (), |tx, ()| {
        Box::pin(async move { Ok(store::release_all(tx).await?) })
    });
    write.await
}

/// Deletes messages that are older than so many seconds, with their deliveries, and events that were not dispatched for so
/// long, and returns how many. More may be left.
pub async fn prune(core: &Core, age_seconds: i64) -> Result<u64> {
    let before = core.clock.now().plus_seconds(-age_seconds);
    let write = core.store.write(QueueWork::hidden("webhooks/prune"), before, |tx, before| {
        Box::pin(async move {
            let events = events::store::delete_before(tx, *before, MESSAGES_MAX).await?;
            Ok(events + store::delete_messages_before(tx, *before, MESSAGES_MAX).await?)
        })
    });
    write.await
}

/// The number of events that have not been dispatched and of deliveries that are due or being sent.
pub async fn count_due(core: &Core) -> Result<i64> {
    Ok(store::count_due(&mut core.read().await?, core.clock.now()).await?)
}

/// The number of deliveries that have not been sent.
pub async fn count_pending(core: &Core) -> Result<i64> {
    Ok(store::count_pending(&mut core.read().await?).await?)
}
