//! Notifying users, in the transaction of the comments that they are notified about.

use std::collections::BTreeMap;

use super::model::{Notice, Recipient};
use super::store;
use crate::Core;
use crate::access::{OwnAccount, WriteAccess};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, NotificationId};
use plinth_store::Transaction;

/// Notifies each recipient who can read the repository once: with the strongest reason, about the last comment.
pub async fn notify(tx: &mut Transaction, notice: &Notice, now: Timestamp) -> Result<()> {
    let mut by_user: BTreeMap<AccountId, Recipient> = BTreeMap::new();
    for recipient in notice.recipients.iter().filter(|recipient| recipient.user != notice.actor) {
        let merged = by_user.entry(recipient.user).or_insert(*recipient);
        merged.reason = merged.reason.max(recipient.reason);
        merged.comment = merged.comment.max(recipient.comment);
    }
    for recipient in by_user.into_values() {
        // Where the result of a statement takes a round trip, the one that does all is faster.
        if !tx.sends_together()
            && notice.reader == Some(recipient.user)
            && store::update(tx, notice.subject, &recipient, now).await?
        {
            continue;
        }
        store::upsert(tx, notice, &recipient, now).await?;
    }
    Ok(())
}

/// Marks a notification of the caller as read.
pub async fn mark_read(core: &Core, access: &WriteAccess<OwnAccount>, id: NotificationId) -> Result<()> {
    access
        .write((id, core.clock.now()), |tx, (id, now)| {
            Box::pin(async move { Ok(store::mark_read(tx, *id, *now).await?) })
        })
        .await
}
