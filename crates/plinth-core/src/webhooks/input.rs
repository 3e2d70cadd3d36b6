//! Input to create or change a hook.

use super::model::ContentType;
use crate::tokens::Secret;

/// The body of `POST …/hooks`.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// `web`, the only kind of hook there is.
    pub name: Option<String>,
    pub config: ConfigInput,
    /// `push` if there are none.
    pub events: Option<Vec<String>>,
    pub active: bool,
}

/// Where and how deliveries are sent; `None` means the default or unchanged.
#[derive(Debug, Clone, Default)]
pub struct ConfigInput {
    pub url: Option<String>,
    pub content_type: Option<ContentType>,
    /// Empty for no secret.
    pub secret: Option<Secret>,
    pub insecure_ssl: Option<bool>,
}

/// The body of `PATCH …/hooks/{hook_id}`; `None` means unchanged.
#[derive(Debug, Clone, Default)]
pub struct WebhookChange {
    pub name: Option<String>,
    /// Replaces all of the configuration: what it leaves out gets its default, and a secret is removed.
    pub config: Option<ConfigInput>,
    pub events: Option<Vec<String>>,
    pub add_events: Vec<String>,
    pub remove_events: Vec<String>,
    pub active: Option<bool>,
}
