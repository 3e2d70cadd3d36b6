//! `plinth hook`: creates, lists and deletes hooks, and shows and repeats their deliveries.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};

use super::arguments::read_secret;
use super::lookup::{find_account, find_repo};
use crate::operator::Operator;
use plinth_base::clock::{Clock, Timestamp};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{DeliveryId, WebhookId};
use plinth_core::accounts::{self, AccountKind};
use plinth_core::webhooks::deliveries::{self, Filter};
use plinth_core::webhooks::key_file::KeyFile;
use plinth_core::webhooks::model::{ContentType, Webhook, WebhookOwner};
use plinth_core::webhooks::operations::{self, Removal};
use plinth_core::webhooks::secret::SecretKey;
use plinth_core::webhooks::{ConfigInput, NewWebhook, key_for_sealing, rules, store};
use plinth_core::{apps, repos};
use plinth_store::{Connection, Store, Transaction};

const LISTED_MAX: i64 = 10_000;

#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Create a hook, and send it a ping
    Create(Create),
    /// List hooks: of a repository, an organization or an app, or all
    List(OptionalOwner),
    /// Delete a hook and its deliveries
    Delete { id: WebhookId },
    /// List the deliveries to a hook, newest first
    Deliveries {
        id: WebhookId,
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(i64).range(1..=1000))]
        limit: i64,
    },
    /// Deliver again
    Redeliver { id: WebhookId, delivery: DeliveryId },
}

/// Whose hook it is.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct Owner {
    /// A repository, written owner/name
    #[arg(long)]
    repo: Option<String>,
    /// An organization
    #[arg(long)]
    org: Option<String>,
    /// An app, by its slug
    #[arg(long)]
    app: Option<String>,
}

/// Whose hooks are listed.
#[derive(Debug, Clone, Args)]
#[group(required = false, multiple = false)]
pub struct OptionalOwner {
    /// A repository, written owner/name
    #[arg(long)]
    repo: Option<String>,
    /// An organization
    #[arg(long)]
    org: Option<String>,
    /// An app, by its slug
    #[arg(long)]
    app: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Create {
    #[command(flatten)]
    owner: Owner,
    /// The URL that deliveries are sent to
    #[arg(long)]
    url: String,
    /// Events such as push,pull_request, or * for all; those of an app are set with the app [default: push]
    #[arg(long, value_delimiter = ',', conflicts_with = "app")]
    events: Option<Vec<String>>,
    /// json or form [default: form, json for an app]
    #[arg(long, value_parser = parse_content_type)]
    content_type: Option<ContentType>,
    /// A file with the secret that signs deliveries; - for standard input
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Accept every certificate of the receiver
    #[arg(long)]
    insecure_ssl: bool,
    /// Send nothing but the ping
    #[arg(long, conflicts_with = "app")]
    inactive: bool,
}

fn parse_content_type(text: &str) -> Result<ContentType, String> {
    text.parse().map_err(|()| "a content type is json or form".into())
}

impl HookCommand {
    pub async fn run(self, store: &Store, keys: &KeyFile, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        match self {
            HookCommand::Create(create) => create.run(store, keys, clock, out).await,
            HookCommand::List(OptionalOwner { repo, org, app }) => {
                let mut db = store.read().await?;
                let hooks = match find_owner(&mut db, repo.as_deref(), org.as_deref(), app.as_deref()).await? {
                    Some(owner) => store::list_of(&mut db, owner, LISTED_MAX).await?,
                    None => store::list_all(&mut db, LISTED_MAX).await?,
                };
                for hook in hooks {
                    let (owner, state) =
                        (owner_name(&mut db, &hook).await?, if hook.active { "active" } else { "inactive" });
                    writeln!(out, "{}\t{owner}\t{state}\t{}\t{}", hook.id, hook.events.0.join(","), hook.url)?;
                }
                Ok(())
            }
            HookCommand::Delete { id } => {
                loop {
                    let batch = store.write(Operator, id, |tx, id| {
                        Box::pin(async move {
                            find(tx, *id).await?;
                            operations::remove_batch(tx, *id).await
                        })
                    });
                    if batch.await? == Removal::Finished {
                        break;
                    }
                }
                Ok(writeln!(out, "deleted hook {id}")?)
            }
            HookCommand::Deliveries { id, limit } => {
                let mut db = store.read().await?;
                find(&mut db, id).await?;
                for delivery in deliveries::list(&mut db, id, DeliveryId(i64::MAX), Filter::default(), limit).await? {
                    let event = match &delivery.action {
                        Some(action) => format!("{}.{action}", delivery.event),
                        None => delivery.event,
                    };
                    let (at, code, status) = (delivery.delivered_at, delivery.status_code, delivery.status);
                    writeln!(out, "{}\t{at}\t{event}\t{code}\t{status}\t{}", delivery.id, delivery.guid)?;
                }
                Ok(())
            }
            HookCommand::Redeliver { id, delivery } => {
                let context = (id, delivery, clock.now());
                let inserting = store.write(Operator, context, |tx, (id, delivery, now)| {
                    Box::pin(operations::insert_redelivery(tx, *id, *delivery, *now))
                });
                inserting.await.map_err(|error| match error {
                    Error::NotFound => Error::BadRequest(format!("hook {id} has no delivery {delivery}")),
                    other => other,
                })?;
                Ok(writeln!(out, "delivery {delivery} will be sent again")?)
            }
        }
    }
}

impl Create {
    async fn run(self, store: &Store, keys: &KeyFile, clock: &Clock, out: &mut (dyn Write + Send)) -> Result<()> {
        let new = NewWebhook {
            name: None,
            config: ConfigInput {
                url: Some(self.url.clone()),
                content_type: self.content_type,
                secret: read_secret(self.secret_file.as_deref())?,
                insecure_ssl: Some(self.insecure_ssl),
            },
            events: self.events.clone(),
            active: !self.inactive,
        };
        let key = key_for_sealing(&mut store.read().await?, keys, new.config.secret.as_ref()).await?;
        let context = (self.owner, new, key, clock.now());
        let id = store
            .write(Operator, context, |tx, (owner, new, key, now)| Box::pin(create(tx, owner, new, key, *now)))
            .await?;
        Ok(writeln!(out, "created hook {id}")?)
    }
}

async fn create(
    tx: &mut Transaction,
    Owner { repo, org, app }: &Owner,
    new: &NewWebhook,
    key: &Option<Arc<SecretKey>>,
    now: Timestamp,
) -> Result<WebhookId> {
    let owner = find_owner(tx, repo.as_deref(), org.as_deref(), app.as_deref()).await?;
    let owner = owner.ok_or_else(|| Error::BadRequest("name a repository, an organization or an app".into()))?;
    rules::check_new(owner, new)?;
    if owner.app().is_some() && store::find_of_app(tx, owner).await?.is_some() {
        return Err(Error::BadRequest("the app has a hook already: delete it first".into()));
    }
    operations::insert(tx, owner, new, key.as_deref(), (None, now)).await
}

async fn find(db: &mut Connection, id: WebhookId) -> Result<Webhook> {
    store::find(db, id).await?.ok_or_else(|| Error::BadRequest(format!("there is no hook {id}")))
}

async fn find_owner(
    db: &mut Connection,
    repo: Option<&str>,
    org: Option<&str>,
    app: Option<&str>,
) -> Result<Option<WebhookOwner>> {
    if let Some(name) = repo {
        return Ok(Some(WebhookOwner::Repo(find_repo(db, name).await?.repo.id)));
    }
    if let Some(login) = org {
        return Ok(Some(WebhookOwner::Org(find_account(db, login, AccountKind::Organization).await?.id)));
    }
    let Some(slug) = app else { return Ok(None) };
    let found = apps::store::find_by_slug(db, slug).await?.filter(|app| app.kind == apps::AppKind::GitHubApp);
    let found = found.ok_or_else(|| Error::BadRequest(format!("there is no app {slug:?}")))?;
    Ok(Some(WebhookOwner::App(found.id)))
}

/// `repo owner/name`, `org login` or `app slug`.
async fn owner_name(db: &mut Connection, hook: &Webhook) -> Result<String> {
    Ok(match hook.owner {
        WebhookOwner::Repo(id) => {
            let found = repos::store::find_by_id(db, id, None).await?;
            found.map_or("repo -".into(), |found| format!("repo {}/{}", found.repo.owner_login, found.repo.name))
        }
        WebhookOwner::Org(id) => {
            accounts::store::find(db, id).await?.map_or("org -".into(), |account| format!("org {}", account.login))
        }
        WebhookOwner::App(id) => {
            apps::store::find(db, id).await?.map_or("app -".into(), |app| format!("app {}", app.slug))
        }
    })
}
