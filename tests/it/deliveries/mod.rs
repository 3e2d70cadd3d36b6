//! Delivery of webhooks: who receives an event, what is sent, in which order, and what a receiver can do to others.
//!
//! These tests insert hooks and events themselves, and render a payload of their own.

mod addresses;
mod failures;
mod fairness;
mod order;
mod process;
mod recipients;
mod requests;
mod restored;
mod retries;
mod sharing;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, WebhookId};
use plinth_core::apps::EventNames;
use plinth_core::events::model::About;
use plinth_core::events::{self, Event, EventName, NewEvent};
use plinth_core::tokens::Secret;
use plinth_core::webhooks::model::{ContentType, Recipient, Webhook, WebhookOwner};
use plinth_core::webhooks::queue::dispatch::PayloadRenderer;
use plinth_core::webhooks::secret;
use plinth_core::webhooks::store as hooks;
use plinth_store::{FromRow, Store};
use plinth_webhooks::address::{AllowedAddresses, PrivateTarget};
use plinth_webhooks::client::Client;
use plinth_webhooks::metrics::Metrics;
use plinth_webhooks::{Deliveries, DeliverySettings, Running};
use serde_json::{Value, json};

use crate::support::wait::wait_until_async;
use crate::support::{START, Service, Tester, fixtures};

const SECRET: &str = "It's a Secret to Everybody";
const ROCKET: RepoId = RepoId(1);

/// The repository `mona/rocket`.
async fn rocket() -> Service {
    Service::with(&fixtures::rocket().to_string()).await
}

/// A payload that shows what it was rendered from.
struct TestRenderer;

impl PayloadRenderer for TestRenderer {
    fn render<'a>(&'a self, event: &'a Event, recipient: &'a Recipient) -> BoxFuture<'a, Result<Option<String>>> {
        let installation = recipient.installation.map(|id| json!({ "id": id }));
        let payload = json!({ "action": event.action, "data": event.data, "installation": installation });
        Box::pin(async move { Ok(Some(payload.to_string())) })
    }
}

fn key(service: &Service) -> Arc<secret::SecretKey> {
    service.app.secrets_key.read_or_create().expect("the key can be written")
}

/// Settings with which tests can send to this machine.
fn settings(attempts_max: i64) -> DeliverySettings {
    DeliverySettings {
        attempts_max,
        retention: Duration::from_secs(3 * 24 * 60 * 60),
        allowed: AllowedAddresses { private_targets: vec![PrivateTarget::Loopback] },
    }
}

/// Starts the delivery of a service, with one attempt for each message.
fn start(service: &Service) -> Running {
    start_with(service, settings(1), |client| client)
}

fn start_with(service: &Service, settings: DeliverySettings, change: impl FnOnce(Client) -> Client) -> Running {
    let client = change(Client::new(settings.allowed.clone()));
    let (core, renderer) = (service.app.core.clone(), Arc::new(TestRenderer));
    Deliveries { core, renderer, client, settings, metrics: Metrics::default(), faults: None }.start()
}

/// A hook for all events, in JSON, without a secret.
fn hook(owner: WebhookOwner, url: &str) -> Webhook {
    Webhook {
        id: WebhookId(0),
        owner,
        url: url.to_owned(),
        content_type: ContentType::Json,
        secret: None,
        insecure_ssl: false,
        events: EventNames(vec!["*".into()]),
        active: true,
        created_at: START,
        updated_at: START,
    }
}

async fn add_hook(service: &Service, mut hook: Webhook, with_secret: Option<&str>) -> WebhookId {
    if let Some(text) = with_secret {
        hook.secret = Some(secret::seal(&key(service), hook.owner, &Secret::new(text)));
    }
    let inserted =
        service.store.write(Tester, hook, |tx, hook| Box::pin(async move { Ok(hooks::insert(tx, hook).await?) }));
    inserted.await.expect("the store accepts a hook")
}

/// Records events about a repository, numbered from `first`, in one transaction.
async fn push(service: &Service, repo: RepoId, first: usize, count: usize) {
    record(service, About::Repo(repo), EventName::Push, (first, count)).await;
}

async fn record(service: &Service, about: About, name: EventName, (first, count): (usize, usize)) {
    let context = (about, name, first, count);
    let recorded = service.store.write(Tester, context, |tx, (about, name, first, count)| {
        Box::pin(async move {
            for number in *first..first + count {
                let data = json!({ "number": number });
                let new = NewEvent {
                    name: *name,
                    action: None,
                    about: *about,
                    actor: None,
                    subject: None,
                    data: data.to_string(),
                };
                events::record(tx, START, || new).await?;
            }
            Ok(())
        })
    });
    recorded.await.expect("the store accepts events");
}

/// The numbers of the events that were received.
fn numbers(received: &[crate::support::receiver::Received]) -> Vec<u64> {
    received.iter().map(|request| request.json()["data"]["number"].as_u64().expect("a number")).collect()
}

async fn all<R: FromRow>(store: &Store, sql: &'static str) -> Vec<R> {
    let mut db = store.read().await.expect("the store can be read");
    db.all(sql, &[]).await.expect("the statement is right")
}

async fn count(store: &Store, sql: &'static str) -> i64 {
    all::<(i64,)>(store, sql).await[0].0
}

const PENDING: &str = "select count(*) from webhook_delivery where delivered_at is null";
const EVENTS: &str = "select count(*) from event";

/// Waits until nothing is to be sent and all results are stored.
async fn wait_until_sent(service: &Service) {
    let is_sent = async || count(&service.store, EVENTS).await == 0 && count(&service.store, PENDING).await == 0;
    wait_until_async("everything is sent", is_sent).await;
}

fn as_json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}
