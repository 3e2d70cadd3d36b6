//! Notifying people, in the transaction of what they are notified about.

use std::collections::BTreeMap;

use super::model::Reason;
use super::store;
use crate::Core;
use crate::access::{OwnAccount, WriteAccess};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, CommentId, NotificationId, PullId, RepoId};
use plinth_store::Transaction;

/// Comments that were published together.
#[derive(Debug)]
pub struct Notice {
    pub repo: RepoId,
    pub pull: PullId,
    /// Whoever wrote them, who is never notified.
    pub actor: AccountId,
    /// Someone of whom it is known that they can read the repository.
    pub reader: Option<AccountId>,
    pub recipients: Vec<Recipient>,
}

/// Someone whom a comment concerns.
#[derive(Debug, Clone, Copy)]
pub struct Recipient {
    pub user: AccountId,
    pub reason: Reason,
    pub comment: CommentId,
}

/// Notifies everyone who can read the repository once: for the strongest reason, about the last comment.
pub async fn notify(tx: &mut Transaction, notice: &Notice, now: Timestamp) -> Result<()> {
    let mut by_user: BTreeMap<AccountId, Recipient> = BTreeMap::new();
    for recipient in notice.recipients.iter().filter(|recipient| recipient.user != notice.actor) {
        let known = by_user.entry(recipient.user).or_insert(*recipient);
        known.reason = known.reason.max(recipient.reason);
        known.comment = known.comment.max(recipient.comment);
    }
    for recipient in by_user.into_values() {
        if notice.reader == Some(recipient.user) && store::update(tx, notice.pull, &recipient, now).await? {
            continue;
        }
        store::upsert(tx, notice, &recipient, now).await?;
    }
    Ok(())
}

/// Marks a thread of the caller as read.
pub async fn mark_read(core: &Core, access: &WriteAccess<OwnAccount>, id: NotificationId) -> Result<()> {
    access
        .write((id, core.clock.now()), |tx, (id, now)| {
            Box::pin(async move { Ok(store::mark_read(tx, *id, *now).await?) })
        })
        .await
}
