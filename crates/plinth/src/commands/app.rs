//! `plinth app`: creates apps, and manages their keys and secrets.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::arguments::{parse_permission, read_secret};
use super::key_output::{Output, print_key, with_path};
use crate::operator::Operator;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_core::accounts::{self, AccountKind};
use plinth_core::apps::{self, App, AppKey, AppKind, EventNames, Registration, store};
use plinth_core::tokens::{Level, Permissions, Secret};
use plinth_core::webhooks::key_file::KeyFile;
use plinth_core::webhooks::model::WebhookOwner;
use plinth_core::webhooks::{self, ConfigInput, key_for_sealing, operations};
use plinth_store::{Connection, Store, Transaction};

const LISTED_MAX: i64 = 1000;

#[derive(Debug, Subcommand)]
pub enum AppCommand {
    /// Create an app, and print its client secret and its private key, this once
    Create(Create),
    /// List apps
    List,
    /// Add, remove and list the keys of an app
    #[command(subcommand)]
    Key(KeyCommand),
    /// Create a new key and remove all others at once, for a key that has leaked
    Rotate {
        slug: String,
        #[command(flatten)]
        output: Output,
    },
    /// Create a new client secret, which replaces the current one
    Secret { slug: String },
}

#[derive(Debug, Clone, Args)]
pub struct Create {
    /// The name in URLs; the app acts as `slug[bot]`
    slug: String,
    /// The user or organization that the app belongs to
    #[arg(long)]
    owner: String,
    #[arg(long)]
    name: Option<String>,
    /// Permissions such as contents=write,pull_requests=read
    #[arg(long, value_delimiter = ',', value_parser = parse_permission)]
    permissions: Vec<(String, Level)>,
    /// Events such as push,pull_request
    #[arg(long, value_delimiter = ',')]
    events: Vec<String>,
    /// The client id, for a program that has a fixed one [default: generated]
    #[arg(long)]
    client_id: Option<String>,
    /// The URL that events are sent to
    #[arg(long, value_name = "URL")]
    webhook_url: Option<String>,
    /// A file with the secret that signs what is sent to it; - for standard input
    #[arg(long, value_name = "FILE", requires = "webhook_url")]
    webhook_secret_file: Option<PathBuf>,
    /// Create an OAuth app, which has scopes, no key and no installations
    #[arg(long, conflicts_with_all = ["permissions", "events", "private_key", "webhook_url"])]
    oauth: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Add a key to the existing ones, the first step of a key rotation without downtime
    Add {
        slug: String,
        /// Add this public key, in PEM format, instead of creating a pair
        #[arg(long, value_name = "FILE", conflicts_with = "private_key")]
        public_key: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Remove a key by its fingerprint, the second step
    Remove { slug: String, fingerprint: String },
    /// List the fingerprints of an app's keys
    List { slug: String },
}

impl AppCommand {
    pub async fn run(self, store: &Store, keys: &KeyFile, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            AppCommand::Create(create) => create.run(store, keys, clock, out).await,
            AppCommand::List => {
                for app in store::list(&mut store.read().await?, LISTED_MAX).await? {
                    let App { id, slug, client_id, .. } = &app;
                    writeln!(out, "{id}\t{}\t{slug}\t{client_id}\t{}", app.kind.as_str(), app.permissions.to_text())?;
                }
                Ok(())
            }
            AppCommand::Key(command) => command.run(store, clock, out).await,
            AppCommand::Rotate { slug, output } => {
                add_key(store, clock, &slug, Some(output), apps::generate_key(), OtherKeys::Remove, out).await
            }
            AppCommand::Secret { slug } => {
                let secret = apps::new_client_secret();
                store
                    .write(Operator, (slug, secret.clone(), clock.now()), |tx, (slug, secret, now)| {
                        Box::pin(async move {
                            let app = find(tx, slug).await?;
                            Ok(store::update_client_secret(tx, app.id, &secret.hash(), *now).await?)
                        })
                    })
                    .await?;
                Ok(writeln!(out, "{}", secret.reveal())?)
            }
        }
    }
}

impl Create {
    async fn run(self, store: &Store, keys: &KeyFile, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        let secret = apps::new_client_secret();
        let config = ConfigInput {
            url: self.webhook_url.clone(),
            secret: read_secret(self.webhook_secret_file.as_deref())?,
            ..ConfigInput::default()
        };
        webhooks::rules::check_partial_config(&config)?;
        let secrets_key = key_for_sealing(&mut store.read().await?, keys, config.secret.as_ref()).await?;
        let key = (!self.oauth).then(apps::generate_key);
        let public_key = key.as_ref().map(|key| key.public_der.clone());
        let output = self.output.clone();
        let context = (self, secret.clone(), public_key, (config, secrets_key), clock.now());
        let creating = store.write(Operator, context, |tx, (create, secret, key, (config, secrets_key), now)| {
            Box::pin(async move {
                let app = create.insert(tx, secret, key.as_deref(), *now).await?;
                let owner = WebhookOwner::App(app.id);
                operations::apply_app_config(tx, owner, config, secrets_key.as_deref(), *now).await?;
                Ok(app)
            })
        });
        let app = output.write_during(key.as_ref(), creating).await?;
        writeln!(out, "id            {}", app.id)?;
        writeln!(out, "client id     {}", app.client_id)?;
        writeln!(out, "client secret {}", secret.reveal())?;
        match key {
            Some(key) => print_key(&key, &output, out),
            None => Ok(()),
        }
    }

    async fn insert(
        &self,
        tx: &mut Transaction,
        secret: &Secret,
        public_key: Option<&[u8]>,
        now: Timestamp,
    ) -> Result<App> {
        let found = accounts::store::find_by_login(tx, &self.owner).await?;
        let owner = found.filter(|account| account.kind != AccountKind::Bot);
        let owner = owner.ok_or_else(|| Error::BadRequest(format!("there is no account {:?}", self.owner)))?;
        let permissions: Permissions = self.permissions.iter().cloned().collect();
        if let Some(name) = permissions.bad_name() {
            return Err(Error::BadRequest(format!("{name:?} is not the name of a permission")));
        }
        let new = Registration {
            kind: if self.oauth { AppKind::OAuth } else { AppKind::GitHubApp },
            slug: self.slug.clone(),
            name: self.name.clone(),
            owner: owner.id,
            permissions: if self.oauth { permissions } else { permissions.with_metadata() },
            events: EventNames(self.events.clone()),
            client_id: self.client_id.clone(),
            client_secret: Some(secret.clone()),
        };
        let id = apps::register(tx, &new, now).await?;
        if let Some(key) = public_key {
            store::insert_key(tx, id, &apps::fingerprint(key), key, now).await?;
        }
        store::find(tx, id).await?.ok_or_else(|| Error::internal("an app was just stored"))
    }
}

impl KeyCommand {
    async fn run(self, store: &Store, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            KeyCommand::Add { slug, public_key: Some(file), .. } => {
                let key = AppKey { private_pem: String::new(), public_der: read_key(&file)? };
                add_key(store, clock, &slug, None, key, OtherKeys::Keep, out).await
            }
            KeyCommand::Add { slug, public_key: None, output } => {
                add_key(store, clock, &slug, Some(output), apps::generate_key(), OtherKeys::Keep, out).await
            }
            KeyCommand::Remove { slug, fingerprint } => {
                let context = (slug, fingerprint.clone());
                store
                    .write(Operator, context, |tx, (slug, fingerprint)| Box::pin(remove_key(tx, slug, fingerprint)))
                    .await?;
                Ok(writeln!(out, "removed {fingerprint}")?)
            }
            KeyCommand::List { slug } => {
                let mut db = store.read().await?;
                let app = find(&mut db, &slug).await?;
                for key in store::list_key_entries(&mut db, app.id).await? {
                    writeln!(out, "{}\t{}", key.fingerprint, key.created_at)?;
                }
                Ok(())
            }
        }
    }
}

/// What happens to the existing keys of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OtherKeys {
    Keep,
    Remove,
}

/// Adds a key and removes the others in one transaction, so that the app always has one.
async fn add_key(
    store: &Store,
    clock: &Clock,
    slug: &str,
    output: Option<Output>,
    key: AppKey,
    others: OtherKeys,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let fingerprint = apps::fingerprint(&key.public_der);
    let context = (slug.to_owned(), fingerprint.clone(), key.public_der.clone(), clock.now());
    let adding = store.write(Operator, context, move |tx, (slug, fingerprint, public_key, now)| {
        Box::pin(async move {
            let app = find(tx, slug).await?;
            if app.kind == AppKind::OAuth {
                return Err(Error::BadRequest("an OAuth app has no keys".into()));
            }
            store::insert_key(tx, app.id, fingerprint, public_key, *now).await?;
            if others == OtherKeys::Remove {
                store::delete_other_keys(tx, app.id, fingerprint).await?;
            }
            Ok(())
        })
    });
    match &output {
        Some(output) => output.write_during(Some(&key), adding).await?,
        None => adding.await?,
    }
    writeln!(out, "added {fingerprint}")?;
    match output {
        Some(output) => print_key(&key, &output, out),
        None => Ok(()),
    }
}

async fn remove_key(tx: &mut Transaction, slug: &str, fingerprint: &str) -> Result<()> {
    let app = find(tx, slug).await?;
    let keys = store::list_key_entries(tx, app.id).await?;
    if !keys.iter().any(|key| key.fingerprint == fingerprint) {
        return Err(Error::BadRequest(format!("{slug} has no key {fingerprint}")));
    }
    if keys.len() == 1 {
        return Err(Error::BadRequest("it is the only key of the app: add another one first".into()));
    }
    store::delete_key(tx, app.id, fingerprint).await?;
    Ok(())
}

fn read_key(file: &Path) -> Result<Vec<u8>> {
    let text = std::fs::read_to_string(file).map_err(|error| with_path(file, &error))?;
    apps::read_public_key(&text).map_err(|error| with_path(file, &error))
}

async fn find(db: &mut Connection, slug: &str) -> Result<App> {
    let found = store::find_by_slug(db, slug).await?;
    found.ok_or_else(|| Error::BadRequest(format!("there is no app {slug:?}")))
}
