//! Telling people, in the transaction of what they are told about.

use std::collections::BTreeMap;

use super::model::Reason;
use super::store;
use crate::accounts::{self, AccountKind};
use crate::clock::Timestamp;
use crate::db::Connection;
use crate::error::Result;
use crate::ids::{AccountId, CommentId, PullId, RepoId};

/// More people than this are not named in one text by accident.
const MENTIONS_MAX: usize = 50;

/// Something that was said.
#[derive(Debug)]
pub struct Notice<'a> {
    pub repo: RepoId,
    pub pull: PullId,
    pub comment: CommentId,
    /// Whoever said it, who is never told.
    pub actor: AccountId,
    pub recipients: Vec<(AccountId, Reason)>,
    /// Someone of whom it is known that they can read the repository.
    pub reader: Option<AccountId>,
    /// Logins that the text names.
    pub mentions: &'a [String],
}

/// Tells everyone who can read the repository, each for the strongest reason.
pub async fn notify(tx: &mut Connection, notice: &Notice<'_>, now: Timestamp) -> Result<()> {
    let mut reasons: BTreeMap<AccountId, Reason> = BTreeMap::new();
    let mut add = |user: AccountId, reason: Reason| {
        let known = reasons.entry(user).or_insert(reason);
        *known = reason.max(*known);
    };
    notice.recipients.iter().for_each(|(user, reason)| add(*user, *reason));
    for login in notice.mentions.iter().take(MENTIONS_MAX) {
        if let Some(user) = accounts::store::find_of_kind(tx, login, AccountKind::User).await? {
            add(user.id, Reason::Mention);
        }
    }
    reasons.remove(&notice.actor);
    for (user, reason) in reasons {
        if notice.reader == Some(user) && store::update(tx, user, notice, reason, now).await? {
            continue;
        }
        store::upsert(tx, user, notice, reason, now).await?;
    }
    Ok(())
}
