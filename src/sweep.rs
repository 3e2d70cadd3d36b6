//! The broom: ends what is over for good and finishes what was left undone, at intervals, so that no request that reads
//! has to write for it.

use std::time::Duration;

use crate::app::App;
use crate::clock::Timestamp;
use crate::db::{Transaction, internal_authority};
use crate::error::Result;
use crate::ids::TokenId;
use crate::{oauth, pulls, tokens};

/// How long an expired token may wait for its end in the store.
const INTERVAL: Duration = Duration::from_secs(60);
/// How long a device can still read that its code has expired.
const DEVICE_CODE_KEPT_SECONDS: i64 = 60 * 60;

internal_authority!(
    /// Time ends tokens and device codes.
    Expiry = "maintenance/expiry"
);

/// Sweeps at intervals until the service stops; spawned once by whoever starts the service.
pub async fn run(app: App) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !app.is_draining() {
        ticks.tick().await;
        if let Err(error) = once(&app).await {
            tracing::warn!(%error, "expired tokens could not be ended; the next sweep tries again");
        }
        if let Err(error) = pulls::catch_up(&app).await {
            tracing::warn!(%error, "pull requests could not be looked at; the next sweep tries again");
        }
    }
}

/// Ends every token whose time is over by the clock or was over when a request presented it.
pub async fn once(app: &App) -> Result<()> {
    let seen = app.expired_tokens.list();
    let context = (seen.clone(), app.clock.now());
    app.store.write(Expiry, context, |tx, (seen, now)| Box::pin(end(tx, seen, *now))).await?;
    app.expired_tokens.forget(&seen);
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
