//! The broom: ends what is over for good and finishes what was left undone, at intervals, so that no request that reads
//! has to write for it.

use std::time::Duration;

use crate::{Core, oauth, pulls, tokens};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::TokenId;
use plinth_store::{Transaction, internal_authority};

/// How long an expired token may wait for its end in the store.
const INTERVAL: Duration = Duration::from_secs(60);
/// How long a device can still read that its code has expired.
const DEVICE_CODE_KEPT_SECONDS: i64 = 60 * 60;

internal_authority!(
    /// Time ends tokens and device codes.
    Expiry = "maintenance/expiry"
);

/// Sweeps at intervals until the service stops; spawned once by whoever starts the service.
pub async fn run(core: Core, is_stopping: impl Fn() -> bool) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !is_stopping() {
        ticks.tick().await;
        if let Err(error) = once(&core).await {
            tracing::warn!(%error, "expired tokens could not be ended; the next sweep tries again");
        }
        if let Err(error) = pulls::catch_up(&core).await {
            tracing::warn!(%error, "pull requests could not be looked at; the next sweep tries again");
        }
    }
}

/// Ends every token whose time is over by the clock or was over when a request presented it.
pub async fn once(core: &Core) -> Result<()> {
    let seen = core.expired_tokens.list();
    let context = (seen.clone(), core.clock.now());
    core.store.write(Expiry, context, |tx, (seen, now)| Box::pin(end(tx, seen, *now))).await?;
    core.expired_tokens.forget(&seen);
    Ok(())
}

async fn end(tx: &mut Transaction, seen: &[TokenId], now: Timestamp) -> Result<()> {
    for token in seen {
        tokens::store::end(tx, *token, now).await?;
    }
    tokens::store::end_expired(tx, now).await?;
    oauth::store::delete_expired(tx, now.plus_seconds(-DEVICE_CODE_KEPT_SECONDS)).await?;
    Ok(())
}
