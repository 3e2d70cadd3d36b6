//! Changes of hooks. The API, the commands and the state file use the same functions.

use std::sync::Arc;

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, DeliveryId, WebhookId};
use plinth_store::{Connection, Transaction};

use super::change::{changed, key_for_sealing, sealed, with_config};
use super::model::{NewDelivery, Webhook, WebhookOwner, WebhookWithResponse};
use super::secret::SecretKey;
use super::{ConfigInput, HookTarget, NewWebhook, WebhookChange, deliveries, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::tokens::Secret;

/// Rows per transaction when a hook is deleted, so that other writers do not wait long.
const TRANSACTION_ROWS_MAX: i64 = 250;

/// Creates a hook and sends it a ping.
pub async fn create<T: HookTarget>(
    core: &Core,
    access: &WriteAccess<T>,
    new: NewWebhook,
) -> Result<WebhookWithResponse> {
    let owner = access.target.hook_owner(access.caller())?;
    rules::check_new(owner, &new)?;
    let now = core.clock.now();
    core.limiter.admit(access.caller(), access.operation(), &format!("{owner:?} {new:?}"), now).await?;
    let key = key_for(core, new.config.secret.as_ref()).await?;
    let context = (owner, new, key, access.caller().actor(), now);
    access
        .write(context, |tx, (owner, new, key, actor, now)| {
            Box::pin(async move {
                let id = insert(tx, *owner, new, key.as_deref(), (*actor, *now)).await?;
                get(tx, *owner, id).await
            })
        })
        .await
}

/// Changes a hook.
pub async fn update<T: HookTarget>(
    core: &Core,
    access: &WriteAccess<T>,
    id: WebhookId,
    change: WebhookChange,
) -> Result<WebhookWithResponse> {
    let owner = access.target.hook_owner(access.caller())?;
    rules::check_change(owner, &change)?;
    let key = key_for(core, change.config.as_ref().and_then(|config| config.secret.as_ref())).await?;
    let context = (owner, id, change, key, core.clock.now());
    access
        .write(context, |tx, (owner, id, change, key, now)| {
            Box::pin(async move {
                let hook = store::find_of(tx, *owner, *id).await?.ok_or(Error::NotFound)?;
                let changed = changed(&hook, change, key.as_deref())?;
                store_change(tx, &hook, changed, *now).await?;
                get(tx, *owner, *id).await
            })
        })
        .await
}

/// Changes some parts of a hook's configuration.
pub async fn update_config<T: HookTarget>(
    core: &Core,
    access: &WriteAccess<T>,
    id: WebhookId,
    config: ConfigInput,
) -> Result<Webhook> {
    let owner = access.target.hook_owner(access.caller())?;
    rules::check_partial_config(&config)?;
    let key = key_for(core, config.secret.as_ref()).await?;
    let context = (owner, id, config, key, core.clock.now());
    access
        .write(context, |tx, (owner, id, config, key, now)| {
            Box::pin(async move {
                let hook = store::find_of(tx, *owner, *id).await?.ok_or(Error::NotFound)?;
                let changed = with_config(&hook, config, key.as_deref());
                store_change(tx, &hook, changed, *now).await?;
                Ok(get(tx, *owner, *id).await?.hook)
            })
        })
        .await
}

/// Changes the configuration of an app's hook; the first one with a URL creates the hook.
pub async fn update_app_config<T: HookTarget>(
    core: &Core,
    access: &WriteAccess<T>,
    config: ConfigInput,
) -> Result<Option<Webhook>> {
    let owner = access.target.hook_owner(access.caller())?;
    rules::check_partial_config(&config)?;
    let key = key_for(core, config.secret.as_ref()).await?;
    let context = (owner, config, key, core.clock.now());
    access
        .write(context, |tx, (owner, config, key, now)| {
            Box::pin(apply_app_config(tx, *owner, config, key.as_deref(), *now))
        })
        .await
}

/// Deletes a hook with all its deliveries, which take as many transactions as there are batches of them.
pub async fn delete<T: HookTarget>(access: &WriteAccess<T>, id: WebhookId) -> Result<()> {
    let owner = access.target.hook_owner(access.caller())?;
    loop {
        let batch = access.write((owner, id), |tx, (owner, id)| {
            Box::pin(async move {
                store::find_of(tx, *owner, *id).await?.ok_or(Error::NotFound)?;
                remove_batch(tx, *id).await
            })
        });
        if batch.await? == Removal::Finished {
            return Ok(());
        }
    }
}

/// Sends a ping to a hook.
pub async fn ping<T: HookTarget>(core: &Core, access: &WriteAccess<T>, id: WebhookId) -> Result<()> {
    let owner = access.target.hook_owner(access.caller())?;
    let context = (owner, id, access.caller().actor(), core.clock.now());
    access
        .write(context, |tx, (owner, id, actor, now)| {
            Box::pin(async move {
                store::find_of(tx, *owner, *id).await?.ok_or(Error::NotFound)?;
                Ok(store::insert_ping(tx, *id, *actor, *now).await?)
            })
        })
        .await
}

/// Delivers a message again.
pub async fn redeliver<T: HookTarget>(
    core: &Core,
    access: &WriteAccess<T>,
    hook: WebhookId,
    delivery: DeliveryId,
) -> Result<()> {
    let owner = access.target.hook_owner(access.caller())?;
    let context = (owner, hook, delivery, core.clock.now());
    access
        .write(context, |tx, (owner, hook, delivery, now)| {
            Box::pin(async move {
                store::find_of(tx, *owner, *hook).await?.ok_or(Error::NotFound)?;
                insert_redelivery(tx, *hook, *delivery, *now).await
            })
        })
        .await
}

/// Inserts a hook of valid input, and records its ping.
pub async fn insert(
    tx: &mut Transaction,
    owner: WebhookOwner,
    new: &NewWebhook,
    key: Option<&SecretKey>,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<WebhookId> {
    let hook = Webhook {
        id: WebhookId(0),
        owner,
        url: new.config.url.clone().unwrap_or_default(),
        content_type: new.config.content_type.unwrap_or(rules::default_content_type(owner)),
        secret: sealed(owner, new.config.secret.as_ref(), key),
        insecure_ssl: new.config.insecure_ssl.unwrap_or(false),
        events: rules::events_of_new(owner, new.events.as_deref()),
        active: new.active,
        created_at: now,
        updated_at: now,
    };
    rules::check_among(&hook, &store::list_of(tx, owner, rules::HOOKS_MAX).await?)?;
    let id = store::insert(tx, &hook).await?;
    store::insert_ping(tx, id, actor, now).await?;
    Ok(id)
}

/// Stores `changed` if it differs from `before`.
pub async fn store_change(tx: &mut Transaction, before: &Webhook, changed: Webhook, now: Timestamp) -> Result<()> {
    if changed == *before {
        return Ok(());
    }
    rules::check_among(&changed, &store::list_of(tx, before.owner, rules::HOOKS_MAX).await?)?;
    Ok(store::update(tx, &Webhook { updated_at: now, ..changed }).await?)
}

/// Applies valid input to the hook of an app; `None` if there is no hook and the input has no URL.
pub async fn apply_app_config(
    tx: &mut Transaction,
    owner: WebhookOwner,
    config: &ConfigInput,
    key: Option<&SecretKey>,
    now: Timestamp,
) -> Result<Option<Webhook>> {
    match store::find_of_app(tx, owner).await? {
        Some(hook) => store_change(tx, &hook, with_config(&hook, config, key), now).await?,
        None if config.url.as_deref().is_none_or(str::is_empty) => return Ok(None),
        None => {
            let hook = NewWebhook { name: None, config: config.clone(), events: None, active: true };
            insert(tx, owner, &hook, key, (None, now)).await?;
        }
    }
    Ok(store::find_of_app(tx, owner).await?)
}

/// Whether there may be more rows of a hook to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    Continues,
    Finished,
}

/// Deletes a limited number of rows of a hook, its own last.
pub async fn remove_batch(tx: &mut Transaction, id: WebhookId) -> Result<Removal> {
    if deliveries::delete_some(tx, id, TRANSACTION_ROWS_MAX).await? > 0
        || deliveries::delete_some_messages(tx, id, TRANSACTION_ROWS_MAX).await? > 0
    {
        return Ok(Removal::Continues);
    }
    store::delete(tx, id).await?;
    Ok(Removal::Finished)
}

pub async fn insert_redelivery(
    tx: &mut Transaction,
    hook: WebhookId,
    delivery: DeliveryId,
    now: Timestamp,
) -> Result<()> {
    let found = deliveries::find(tx, hook, delivery).await?.ok_or(Error::NotFound)?;
    let new = NewDelivery { message: found.message_id, webhook: hook, redelivery: true, attempt: 1, due_at: now };
    deliveries::insert_delivery(tx, &new).await?;
    Ok(())
}

async fn key_for(core: &Core, secret: Option<&Secret>) -> Result<Option<Arc<SecretKey>>> {
    key_for_sealing(&mut core.read().await?, &core.secrets_key, secret).await
}

async fn get(db: &mut Connection, owner: WebhookOwner, id: WebhookId) -> Result<WebhookWithResponse> {
    store::find_with_response(db, owner, id).await?.ok_or(Error::NotFound)
}
