//! Events of organizations.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::OrgRole;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `organization`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct OrganizationData {
    /// The role of the member, now or before it was removed.
    pub role: OrgRole,
}

pub async fn record_member(
    tx: &mut Transaction,
    action: &'static str,
    (org, user): (AccountId, AccountId),
    role: OrgRole,
    now: Timestamp,
) -> Result<()> {
    events::record(tx, now, || NewEvent {
        name: EventName::Organization,
        action: Some(action),
        about: About::Account(org),
        actor: None,
        subject: Some(user.0),
        data: events::to_data(&OrganizationData { role }),
    })
    .await
}
