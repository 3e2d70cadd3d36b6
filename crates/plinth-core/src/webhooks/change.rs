//! What a hook becomes through a change of its configuration.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::Connection;

use super::key_file::KeyFile;
use super::model::{Webhook, WebhookOwner};
use super::secret::{SealedSecret, SecretKey, seal};
use super::{ConfigInput, WebhookChange, rules, store};
use crate::tokens::Secret;

/// The key, if there is a secret to encrypt. A store whose secrets have a key that is not here gets no second one: nothing
/// could open the old secrets and the new ones alike.
pub async fn key_for_sealing(
    db: &mut Connection,
    keys: &KeyFile,
    secret: Option<&Secret>,
) -> Result<Option<Arc<SecretKey>>> {
    if secret.is_none_or(is_unchanged_or_none) {
        return Ok(None);
    }
    if let Some(key) = keys.read()? {
        return Ok(Some(key));
    }
    if store::find_any_with_secret(db).await?.is_some() {
        let path = keys.path().display();
        return Err(Error::Unavailable(format!("the file {path} with the key of the stored secrets does not exist")));
    }
    keys.read_or_create().map(Some)
}

fn is_unchanged_or_none(secret: &Secret) -> bool {
    secret.reveal().is_empty() || secret.reveal() == rules::MASK
}

/// The stored form of a secret; `None` for an empty one.
pub fn sealed(owner: WebhookOwner, secret: Option<&Secret>, key: Option<&SecretKey>) -> Option<SealedSecret> {
    let secret = secret.filter(|secret| !is_unchanged_or_none(secret))?;
    Some(seal(key.expect("the key was read because there is a secret"), owner, secret))
}

/// The hook after a change: a new configuration replaces all of the old one.
pub fn changed(hook: &Webhook, change: &WebhookChange, key: Option<&SecretKey>) -> Result<Webhook> {
    let mut changed = hook.clone();
    if let Some(config) = &change.config {
        changed.content_type = rules::default_content_type(hook.owner);
        changed.insecure_ssl = false;
        if config.secret.is_none() {
            changed.secret = None;
        }
        changed = with_config(&changed, config, key);
    }
    // Those of an app are in the row of the app.
    if hook.owner.app().is_none() {
        changed.events = rules::changed_events(&hook.events, change)?;
    }
    changed.active = change.active.unwrap_or(hook.active);
    Ok(changed)
}

/// The hook with those parts of the configuration that the input has.
pub fn with_config(hook: &Webhook, config: &ConfigInput, key: Option<&SecretKey>) -> Webhook {
    let mut changed = hook.clone();
    if let Some(url) = config.url.as_ref().filter(|url| !url.is_empty()) {
        changed.url.clone_from(url);
    }
    changed.content_type = config.content_type.unwrap_or(changed.content_type);
    changed.insecure_ssl = config.insecure_ssl.unwrap_or(changed.insecure_ssl);
    match &config.secret {
        Some(secret) if secret.reveal() == rules::MASK => {}
        Some(secret) => changed.secret = sealed(hook.owner, Some(secret), key),
        None => {}
    }
    changed
}
