//! Resources that have hooks.

use plinth_base::error::Result;

use super::model::WebhookOwner;
use crate::access::{NoTarget, Org, Target};
use crate::installations;
use crate::repos::RepoTarget;
use crate::tokens::Principal;

/// The resource of a path, or the calling app, whose hooks an operation is about.
pub trait HookTarget: Target {
    fn hook_owner(&self, caller: &Principal) -> Result<WebhookOwner>;
}

impl HookTarget for RepoTarget {
    fn hook_owner(&self, _: &Principal) -> Result<WebhookOwner> {
        Ok(WebhookOwner::Repo(self.repo.id))
    }
}

impl HookTarget for Org {
    fn hook_owner(&self, _: &Principal) -> Result<WebhookOwner> {
        Ok(WebhookOwner::Org(self.0.id))
    }
}

/// For the operations of apps, which sign requests with their own key.
impl HookTarget for NoTarget {
    fn hook_owner(&self, caller: &Principal) -> Result<WebhookOwner> {
        installations::rules::app(caller).map(WebhookOwner::App)
    }
}
