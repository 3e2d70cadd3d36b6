//! Claims of deliveries that are due, and the results of attempts.

use plinth_base::error::Result;
use plinth_base::ids::{DeliveryId, MessageId, WebhookId};
use plinth_store::Transaction;

use super::model::{Attempt, Claimed, DueHook};
use super::{QueueWork, recipients, store};
use crate::Core;
use crate::webhooks::deliveries;
use crate::webhooks::model::{Message, NewDelivery, Webhook, WebhookOwner};
use crate::webhooks::store as hooks;

/// Hooks that one statement returns; the same number is in its text.
pub const DUE_HOOKS_MAX: usize = 256;

/// Hooks with pending deliveries, in the order of their ids after `after`.
pub async fn list_hooks(core: &Core, after: WebhookId) -> Result<Vec<DueHook>> {
    Ok(store::list_hooks_with_pending(&mut core.read().await?, after, core.clock.now()).await?)
}

pub async fn find_hook(core: &Core, hook: WebhookId) -> Result<Option<Webhook>> {
    Ok(hooks::find(&mut core.read().await?, hook).await?)
}

/// Whether a message may be sent.
#[derive(Debug, Clone)]
pub enum Sendable {
    Yes(Message),
    /// It waited, and meanwhile the installation was suspended, deleted, or lost the repository or the permission.
    NotAllowed,
    /// The hook was deleted.
    Gone,
}

/// A message, if its recipient may still read what it is about: an attempt may come hours after the event.
pub async fn find_message(core: &Core, message: MessageId) -> Result<Sendable> {
    let mut db = core.read().await?;
    let Some(message) = deliveries::find_message(&mut db, message).await? else { return Ok(Sendable::Gone) };
    let is_allowed = recipients::may_still_receive(&mut db, &message).await?;
    Ok(if is_allowed { Sendable::Yes(message) } else { Sendable::NotAllowed })
}

/// Claims at most `limit` deliveries of a hook for so many seconds: until then no other node sends them.
pub async fn claim(core: &Core, hook: WebhookId, limit: usize, seconds: i64) -> Result<Vec<Claimed>> {
    let now = core.clock.now();
    let new = store::NewClaim {
        hook,
        now,
        until: now.plus_seconds(seconds),
        number: random_number(),
        limit: i64::try_from(limit).unwrap_or(i64::MAX),
    };
    let write = core.store.write(QueueWork::hidden("webhooks/claim"), new, |tx, new| {
        Box::pin(async move {
            let count = store::claim(tx, new).await?;
            if count == 0 {
                return Ok(Vec::new());
            }
            Ok(store::list_claimed(tx, new, i64::try_from(count).unwrap_or(i64::MAX)).await?)
        })
    });
    write.await
}

fn random_number() -> i64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has a random generator");
    i64::from_le_bytes(bytes)
}

/// What has become of claimed deliveries of one hook.
#[derive(Debug, Clone)]
pub struct Results {
    pub owner: WebhookOwner,
    pub hook: WebhookId,
    pub attempts: Vec<Attempt>,
    /// Not sent: another claim may have them at once.
    pub released: Vec<DeliveryId>,
}

/// Stores results, and the next attempt of each delivery that failed and has one.
pub async fn record(core: &Core, results: Results) -> Result<()> {
    let authority = QueueWork::shown_to(results.owner, "webhooks/record");
    core.store.write(authority, results, |tx, results| Box::pin(record_in(tx, results))).await
}

async fn record_in(tx: &mut Transaction, results: &Results) -> Result<()> {
    for attempt in &results.attempts {
        let Attempt { claimed, retry_at, .. } = attempt;
        let is_recorded = store::finish(tx, attempt).await? > 0;
        if let Some(due_at) = retry_at.filter(|_| is_recorded) {
            let next = NewDelivery {
                message: claimed.message,
                webhook: results.hook,
                redelivery: claimed.redelivery,
                attempt: claimed.attempt + 1,
                due_at,
            };
            hooks::insert_delivery(tx, &next).await?;
        }
    }
    for delivery in &results.released {
        store::release(tx, *delivery).await?;
    }
    Ok(())
}
