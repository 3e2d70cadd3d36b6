//! Apps of a state file, with their keys and installations.

use std::path::Path;

use super::accounts::find_account;
use super::file::{App, Installation, OAuthApp, Repositories};
use super::name::{Name, problem};
use super::report::{Effect, Report};
use crate::permissions::write_private;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AppId, InstallationId, RepoId};
use plinth_core::accounts::Account;
use plinth_core::apps::store::{self, NewInstallation};
use plinth_core::apps::{self, AppKind, EventNames, Registration};
use plinth_core::installations::events::Changer;
use plinth_core::installations::operations;
use plinth_core::repos;
use plinth_core::tokens::{Permissions, Secret, SelectionMode};
use plinth_store::Transaction;

/// The public half of an app's key; `None` for an app without a key file.
pub type Key = Option<Vec<u8>>;

/// Reads the private key of each app, and creates those that do not exist.
pub fn read_keys(apps: &[App], directory: &Path) -> Result<Vec<Key>> {
    apps.iter().map(|app| app.private_key_file.as_ref().map(|file| read_key(file, directory)).transpose()).collect()
}

fn read_key(file: &Name, directory: &Path) -> Result<Vec<u8>> {
    const FIELD: &str = "apps.private_key_file";
    let path = directory.join(&file.value);
    let invalid = |error: &dyn std::fmt::Display| problem(file, FIELD, format_args!("{}: {error}", path.display()));
    match std::fs::read_to_string(&path) {
        Ok(text) => apps::public_key_of(&text).map_err(|error| invalid(&error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let key = apps::generate_key();
            write_private(&path, &key.private_pem).map_err(|error| invalid(&error))?;
            Ok(key.public_der)
        }
        Err(error) => Err(invalid(&error)),
    }
}

pub async fn apply(
    tx: &mut Transaction,
    wanted: &[App],
    keys: &[Key],
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for (app, key) in wanted.iter().zip(keys) {
        let permissions = permissions(&app.slug, "apps.permissions", &app.permissions)?;
        let events = EventNames(app.events.clone());
        let (id, effect) = match store::find_by_slug(tx, &app.slug.value).await? {
            None => (insert(tx, app, &permissions, &events, now).await?, Effect::Created),
            Some(found) if found.kind == AppKind::OAuth => {
                return Err(problem(&app.slug, "apps.slug", "there is an OAuth app of this name"));
            }
            Some(found) if found.permissions == permissions && found.events == events => (found.id, Effect::Unchanged),
            Some(found) => {
                store::update_grant(tx, found.id, &permissions, &events, now).await?;
                (found.id, Effect::Changed)
            }
        };
        if let Some(public_key) = key {
            store::insert_key(tx, id, &apps::fingerprint(public_key), public_key, now).await?;
        }
        report.note(format_args!("app {} (id {id})", app.slug.value), effect);
    }
    Ok(())
}

async fn insert(
    tx: &mut Transaction,
    app: &App,
    permissions: &Permissions,
    events: &EventNames,
    now: Timestamp,
) -> Result<AppId> {
    let owner = find_account(tx, &app.owner, "apps.owner").await?;
    let new = Registration {
        kind: AppKind::GitHubApp,
        slug: app.slug.value.clone(),
        name: app.name.clone(),
        owner: owner.id,
        permissions: permissions.clone(),
        events: events.clone(),
        client_id: app.client_id.clone(),
        client_secret: app.client_secret.as_ref().map(|secret| Secret::new(&secret.value)),
    };
    apps::register(tx, &new, now).await.map_err(|error| at(&app.slug, "apps.slug", error))
}

/// Applies apps that have scopes instead of permissions.
pub async fn apply_oauth(tx: &mut Transaction, wanted: &[OAuthApp], now: Timestamp, report: &mut Report) -> Result<()> {
    const FIELD: &str = "oauth_apps.slug";
    for app in wanted {
        let effect = match store::find_by_slug(tx, &app.slug.value).await? {
            Some(found) if found.kind == AppKind::OAuth => Effect::Unchanged,
            Some(_) => return Err(problem(&app.slug, FIELD, "there is an app of this name that is not an OAuth app")),
            None => {
                let owner = find_account(tx, &app.owner, "oauth_apps.owner").await?;
                let new = Registration {
                    kind: AppKind::OAuth,
                    slug: app.slug.value.clone(),
                    name: app.name.clone(),
                    owner: owner.id,
                    permissions: Permissions::default(),
                    events: EventNames::default(),
                    client_id: app.client_id.clone(),
                    client_secret: app.client_secret.as_ref().map(|secret| Secret::new(&secret.value)),
                };
                apps::register(tx, &new, now).await.map_err(|error| at(&app.slug, FIELD, error))?;
                Effect::Created
            }
        };
        report.note(format_args!("OAuth app {}", app.slug.value), effect);
    }
    Ok(())
}

/// Adds the line of the app to an error of its registration.
fn at(slug: &Name, field: &str, error: Error) -> Error {
    match error {
        Error::BadRequest(text) => problem(slug, field, text),
        other => other,
    }
}

fn permissions(
    at: &Name,
    field: &str,
    given: &std::collections::BTreeMap<String, plinth_core::tokens::Level>,
) -> Result<Permissions> {
    let permissions: Permissions = given.clone().into_iter().collect();
    match permissions.bad_name() {
        Some(name) => Err(problem(at, field, format_args!("{name:?} is not the name of a permission"))),
        None => Ok(permissions.with_metadata()),
    }
}

pub async fn apply_installations(
    tx: &mut Transaction,
    wanted: &[Installation],
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for installation in wanted {
        let app = find_app(tx, &installation.app, "installations.app").await?;
        let account = find_account(tx, &installation.account, "installations.account").await?;
        let repos = find_selection(tx, &account, &installation.account, &installation.repositories).await?;
        let granted = match &installation.permissions {
            Some(given) => permissions(&installation.app, "installations.permissions", given)?,
            None => app.permissions.clone(),
        };
        if !granted.is_within(&app.permissions) {
            let message = "an installation has at most the permissions of its app";
            return Err(problem(&installation.app, "installations.permissions", message));
        }
        let mode = if repos.is_some() { SelectionMode::Selected } else { SelectionMode::All };
        let new =
            NewInstallation { app: app.id, account: account.id, mode, permissions: &granted, events: &app.events };
        let (id, effect) = apply_installation(tx, &new, repos.as_deref().unwrap_or_default(), now).await?;
        let since = installation.suspended.then_some(now);
        let found = store::find_installation(tx, id).await?.ok_or(Error::NotFound)?;
        operations::set_suspended(tx, &found, (since, None), Changer::Operator, now).await?;
        report.note(format_args!("installation of {} on {} (id {id})", app.slug, account.login), effect);
    }
    Ok(())
}

async fn apply_installation(
    tx: &mut Transaction,
    new: &NewInstallation<'_>,
    repos: &[RepoId],
    now: Timestamp,
) -> Result<(InstallationId, Effect)> {
    let Some(found) = store::find_installation_on(tx, new.app, new.account).await? else {
        return Ok((operations::install(tx, new, repos, now).await?, Effect::Created));
    };
    let is_same = found.repository_selection == new.mode && found.permissions == *new.permissions;
    if !is_same {
        operations::update_grant(tx, &found, new, now).await?;
    }
    let has_more = operations::select(tx, found.id, repos, now).await?;
    Ok((found.id, if is_same && !has_more { Effect::Unchanged } else { Effect::Changed }))
}

/// Finds the listed repositories of `account`; `None` stands for all.
pub async fn find_selection(
    tx: &mut Transaction,
    account: &Account,
    at: &Name,
    wanted: &Repositories,
) -> Result<Option<Vec<RepoId>>> {
    let names = match wanted {
        Repositories::Word(word) if word == "all" => return Ok(None),
        Repositories::Word(word) => {
            return Err(problem(at, "repositories", format_args!("{word:?} is neither all nor a list")));
        }
        Repositories::Listed(names) => names,
    };
    let mut repos = Vec::with_capacity(names.len());
    for name in names {
        let name_alone = name.rsplit('/').next().unwrap_or_default();
        let found = repos::store::find(tx, &account.login, name_alone, None).await?;
        let found = found.filter(|found| !name.contains('/') || found.is_called(name));
        let missing = || problem(at, "repositories", format_args!("{} has no repository {name:?}", account.login));
        repos.push(found.ok_or_else(missing)?.repo.id);
    }
    Ok(Some(repos))
}

/// Finds an app by its slug.
pub async fn find_app(tx: &mut Transaction, slug: &Name, field: &str) -> Result<apps::App> {
    let found = store::find_by_slug(tx, &slug.value).await?.filter(|app| app.kind == AppKind::GitHubApp);
    found.ok_or_else(|| problem(slug, field, format_args!("there is no app {:?}", slug.value)))
}
