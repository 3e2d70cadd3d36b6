//! Changing the members of organizations.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_store::Transaction;

use super::{OrgRole, events, store};

/// Adds a member or changes its role, and returns the role before.
pub async fn set_member(
    tx: &mut Transaction,
    org: AccountId,
    user: AccountId,
    role: OrgRole,
    now: Timestamp,
) -> Result<Option<OrgRole>> {
    let before = store::find_membership(tx, org, user).await?;
    store::upsert_membership(tx, org, user, role).await?;
    if before.is_none() {
        events::record_member(tx, "member_added", (org, user), role, now).await?;
    }
    Ok(before)
}

/// Removes a member, and returns whether it was one.
pub async fn remove_member(tx: &mut Transaction, org: AccountId, user: AccountId, now: Timestamp) -> Result<bool> {
    let Some(role) = store::find_membership(tx, org, user).await? else { return Ok(false) };
    store::delete_membership(tx, org, user).await?;
    events::record_member(tx, "member_removed", (org, user), role, now).await?;
    Ok(true)
}
