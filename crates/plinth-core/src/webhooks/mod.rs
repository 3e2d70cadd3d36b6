//! Webhooks: hooks of repositories, organizations and apps, and what was sent to them.

mod change;
pub mod deliveries;
mod input;
pub mod key_file;
pub mod model;
pub mod operations;
mod owner;
pub mod push_test;
pub mod queue;
pub mod rules;
pub mod secret;
pub mod store;
mod target;

pub use change::{changed, key_for_sealing};
pub use input::{ConfigInput, NewWebhook, WebhookChange};
pub use target::HookTarget;
