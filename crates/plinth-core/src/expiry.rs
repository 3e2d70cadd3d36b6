//! Periodic expiry of tokens, sessions and device codes, refresh of pull requests that were not refreshed after a change, and removal
//! of deleted files of releases. Done here so that requests that read do not have to write.

use std::time::Duration;

use crate::{Core, oauth, pulls, rate_limit, releases, repos, tokens, web_sessions};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::TokenId;
use plinth_store::{Connection, Transaction, internal_authority};

/// The time between two runs.
const INTERVAL: Duration = Duration::from_secs(60);
/// How long a device that polls still gets `expired_token` for its code.
const EXPIRED_CODE_RETENTION_SECONDS: i64 = 60 * 60;

internal_authority!(
    /// Ends expired tokens and deletes expired device codes.
    Expiry = "maintenance/expiry"
);

/// Runs at intervals until the service stops.
pub async fn run(core: Core, is_stopping: impl Fn() -> bool) {
    describe_repositories(&core).await;
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !is_stopping() {
        ticks.tick().await;
        if let Err(error) = once(&core).await {
            tracing::warn!(%error, "could not end expired tokens; the next run tries again");
        }
        // One of several nodes does the rest for all.
        if !core.leads() {
            continue;
        }
        refresh_pulls(&core).await;
        if let Err(error) = releases::assets::remove_leftovers(&core).await {
            tracing::warn!(%error, "could not remove files of releases; the next run tries again");
        }
    }
}

/// Does at once what a state file leaves to [`run`]. No token expires.
pub async fn catch_up(core: &Core) {
    describe_repositories(core).await;
    refresh_pulls(core).await;
}

async fn describe_repositories(core: &Core) {
    if let Err(error) = repos::statistics::catch_up(core).await {
        tracing::warn!(%error, "could not describe repositories");
    }
}

async fn refresh_pulls(core: &Core) {
    if let Err(error) = pulls::catch_up(core).await {
        tracing::warn!(%error, "could not refresh pull requests; the next run tries again");
    }
}

/// Ends all tokens that have expired or that a request found expired, and deletes old device codes.
pub async fn once(core: &Core) -> Result<()> {
    let (seen, now) = (core.expired_tokens.list(), core.clock.now());
    let has_windows = core.limiter.is_shared();
    let mut db = core.read().await?;
    let has_tokens = !seen.is_empty() || tokens::store::has_expired(&mut db, now).await?;
    // A transaction that ends nothing would invalidate everything in memory, on all nodes.
    if !has_tokens && !has_others(&mut db, now, has_windows).await? {
        return Ok(());
    }
    drop(db);
    let context = (seen.clone(), has_tokens, now, has_windows);
    let ended = core.store.write(Expiry, context, |tx, (seen, has_tokens, now, has_windows)| {
        Box::pin(async move {
            if *has_tokens {
                end_tokens(tx, seen, *now).await?;
            }
            web_sessions::store::delete_ended(tx, *now).await?;
            oauth::store::delete_expired(tx, end_of_codes(*now)).await?;
            if *has_windows {
                rate_limit::delete_ended(tx, *now).await?;
            }
            Ok(())
        })
    });
    ended.await?;
    core.expired_tokens.remove(&seen);
    Ok(())
}

/// Whether something else than a token has ended.
async fn has_others(db: &mut Connection, now: Timestamp, has_windows: bool) -> Result<bool> {
    Ok(web_sessions::store::has_ended(db, now).await?
        || oauth::store::has_expired(db, end_of_codes(now)).await?
        || has_windows && rate_limit::has_ended(db, now).await?)
}

fn end_of_codes(now: Timestamp) -> Timestamp {
    now.plus_seconds(-EXPIRED_CODE_RETENTION_SECONDS)
}

async fn end_tokens(tx: &mut Transaction, seen: &[TokenId], now: Timestamp) -> Result<()> {
    for token in seen {
        tokens::store::end(tx, *token, now).await?;
    }
    tokens::store::end_expired(tx, now).await?;
    Ok(())
}
