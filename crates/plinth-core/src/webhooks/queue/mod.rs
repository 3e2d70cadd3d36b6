//! The queue of deliveries ([decision 0137](../../../../../docs/decisions/0137-events-and-webhooks.md)): from events to
//! messages for hooks, and from pending deliveries to their results. The crate `plinth-webhooks` sends them.

pub mod attempts;
pub mod dispatch;
mod maintenance;
pub mod model;
mod recipients;
mod store;

pub use maintenance::{count_due, count_pending, prune, release_all};

use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_store::{Connection, InvalidationScope, WriteAuthority};

use super::model::WebhookOwner;

/// The authority of the queue, which writes on behalf of no caller.
pub(crate) struct QueueWork {
    operation: &'static str,
    scope: InvalidationScope,
}

impl QueueWork {
    /// Work that no response shows.
    pub(crate) fn hidden(operation: &'static str) -> Self {
        // No account has this id, so only responses that depend on everything are lost from caches.
        Self { operation, scope: InvalidationScope::Account(AccountId(0)) }
    }

    /// Work on what the deliveries of a hook of this owner show.
    pub(crate) fn shown_to(owner: WebhookOwner, operation: &'static str) -> Self {
        match owner {
            WebhookOwner::Repo(repo) => Self { operation, scope: InvalidationScope::Repo(repo) },
            WebhookOwner::Org(org) => Self { operation, scope: InvalidationScope::Account(org) },
            // The deliveries of an app are no content of an account.
            WebhookOwner::App(_) => Self::hidden(operation),
        }
    }
}

impl WriteAuthority for QueueWork {
    type Proof = ();

    fn operation(&self) -> &'static str {
        self.operation
    }

    fn scope(&self) -> InvalidationScope {
        self.scope
    }

    async fn check(&self, _: &mut Connection) -> Result<()> {
        Ok(())
    }
}
