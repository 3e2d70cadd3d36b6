//! Hooks of a state file.

use std::path::PathBuf;
use std::sync::Arc;

use super::accounts::find_account;
use super::apps::find_app;
use super::file::{App, StateFile};
use super::hook::{Hook, HookSecret};
use super::name::{Name, problem, split_full_name};
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_core::repos;
use plinth_core::tokens::Secret;
use plinth_core::webhooks::key_file::KeyFile;
use plinth_core::webhooks::model::{ContentType, Webhook, WebhookOwner};
use plinth_core::webhooks::secret::{SecretKey, open};
use plinth_core::webhooks::{self, ConfigInput, NewWebhook, WebhookChange, operations, rules, store};
use plinth_store::{Store, Transaction};

/// The key of secrets, if the file has any.
pub async fn read_key(store: &Store, path: PathBuf, file: &StateFile) -> Result<Option<Arc<SecretKey>>> {
    let hooks = file.repos.iter().flat_map(|repo| &repo.hooks).chain(file.orgs.iter().flat_map(|org| &org.hooks));
    let secrets = hooks
        .filter_map(|hook| hook.secret.as_ref())
        .chain(file.apps.iter().filter_map(|app| app.webhook_secret.as_ref()));
    let Some(secret) = secrets.map(|HookSecret(text)| text).find(|text| !text.is_empty()) else { return Ok(None) };
    webhooks::key_for_sealing(&mut store.read().await?, &KeyFile::new(path), Some(&Secret::new(secret))).await
}

pub async fn apply(
    tx: &mut Transaction,
    file: &StateFile,
    key: Option<&SecretKey>,
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for org in file.orgs.iter().filter(|org| !org.hooks.is_empty()) {
        let account = find_account(tx, &org.login, "orgs.login").await?;
        for hook in &org.hooks {
            let effect = apply_one(tx, WebhookOwner::Org(account.id), ("orgs.hooks", hook), key, now).await?;
            report.note(format_args!("hook {} of {}", hook.url.value, account.login), effect);
        }
    }
    for repo in file.repos.iter().filter(|repo| !repo.hooks.is_empty()) {
        let (owner, name) = split_full_name(&repo.name, "repos.name")?;
        let found = repos::store::find(tx, owner, name, None).await?;
        let found = found.ok_or_else(|| problem(&repo.name, "repos.name", "there is no such repository"))?;
        for hook in &repo.hooks {
            let effect = apply_one(tx, WebhookOwner::Repo(found.repo.id), ("repos.hooks", hook), key, now).await?;
            report.note(format_args!("hook {} of {}", hook.url.value, repo.name.value), effect);
        }
    }
    for app in &file.apps {
        apply_app(tx, app, key, now, report).await?;
    }
    Ok(())
}

/// A hook is the same if its URL is.
async fn apply_one(
    tx: &mut Transaction,
    owner: WebhookOwner,
    (field, hook): (&str, &Hook),
    key: Option<&SecretKey>,
    now: Timestamp,
) -> Result<Effect> {
    let config = ConfigInput {
        url: Some(hook.url.value.clone()),
        content_type: hook.content_type.as_ref().map(|name| content_type(name, field)).transpose()?,
        secret: secret(hook.secret.as_ref()),
        insecure_ssl: Some(hook.insecure_ssl),
    };
    let at = |error| at(&hook.url, field, error);
    let hooks = store::list_of(tx, owner, rules::HOOKS_MAX).await?;
    let Some(found) = hooks.into_iter().find(|found| found.url == hook.url.value) else {
        let new = NewWebhook { name: None, config, events: hook.events.clone(), active: hook.active };
        rules::check_new(owner, &new).map_err(at)?;
        operations::insert(tx, owner, &new, key, (None, now)).await.map_err(at)?;
        return Ok(Effect::Created);
    };
    let events = rules::events_of_new(owner, hook.events.as_deref()).0;
    let change = WebhookChange {
        config: Some(config),
        events: Some(events),
        active: Some(hook.active),
        ..WebhookChange::default()
    };
    rules::check_change(owner, &change).map_err(at)?;
    let changed = webhooks::changed(&found, &change, key).map_err(at)?;
    store_if_changed(tx, &found, changed, key, now).await.map_err(at)
}

async fn apply_app(
    tx: &mut Transaction,
    app: &App,
    key: Option<&SecretKey>,
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    const FIELD: &str = "apps.webhook_url";
    let Some(url) = &app.webhook_url else {
        return match &app.webhook_secret {
            Some(_) => Err(problem(&app.slug, "apps.webhook_secret", "an app with a secret also needs webhook_url")),
            None => Ok(()),
        };
    };
    let owner = WebhookOwner::App(find_app(tx, &app.slug, "apps.slug").await?.id);
    let config = ConfigInput {
        url: Some(url.value.clone()),
        secret: secret(app.webhook_secret.as_ref()),
        ..ConfigInput::default()
    };
    rules::check_partial_config(&config).map_err(|error| at(url, FIELD, error))?;
    let effect = match store::find_of_app(tx, owner).await? {
        None => {
            operations::apply_app_config(tx, owner, &config, key, now).await?;
            Effect::Created
        }
        Some(found) => {
            let change = WebhookChange { config: Some(config), ..WebhookChange::default() };
            let changed = webhooks::changed(&found, &change, key).map_err(|error| at(url, FIELD, error))?;
            store_if_changed(tx, &found, changed, key, now).await?
        }
    };
    report.note(format_args!("hook of app {}", app.slug.value), effect);
    Ok(())
}

/// Encrypting the same secret twice gives two texts, so the secrets themselves are compared.
async fn store_if_changed(
    tx: &mut Transaction,
    found: &Webhook,
    mut changed: Webhook,
    key: Option<&SecretKey>,
    now: Timestamp,
) -> Result<Effect> {
    let opened = |hook: &Webhook| Some(open(key?, hook.owner, hook.secret.as_ref()?).ok()?.reveal().to_owned());
    if opened(found).is_some() && opened(found) == opened(&changed) {
        changed.secret.clone_from(&found.secret);
    }
    if changed == *found {
        return Ok(Effect::Unchanged);
    }
    operations::store_change(tx, found, changed, now).await?;
    Ok(Effect::Changed)
}

fn content_type(name: &Name, field: &str) -> Result<ContentType> {
    name.value.parse().map_err(|()| problem(name, field, format_args!("{:?} is neither json nor form", name.value)))
}

fn secret(text: Option<&HookSecret>) -> Option<Secret> {
    text.map(|HookSecret(text)| Secret::new(text))
}

/// Adds the line of the hook to an error about it.
fn at(name: &Name, field: &str, error: Error) -> Error {
    match error {
        Error::Invalid(_) => problem(name, field, error),
        other => other,
    }
}
