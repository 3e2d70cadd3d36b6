//! Events: what each operation records, and the payloads that hooks receive.

mod atomicity;
mod comments;
mod contents;
mod cost;
mod hooks;
mod installations;
mod issues;
mod members;
mod merges;
mod project_items;
mod pulls;
mod pushes;
mod refs;
mod releases;
mod repositories;
mod statuses;

use plinth_base::ids::{InstallationId, WebhookId};
use plinth_base::urls::Urls;
use plinth_core::accounts;
use plinth_core::apps::{self, EventNames};
use plinth_core::events::{Event, EventName, store};
use plinth_core::webhooks::model::{ContentType, Recipient, Webhook, WebhookOwner};
use plinth_store::Transaction;
use serde_json::{Value, json};

use crate::support::fixtures::{StateFile, octo_org, two_branches};
use crate::support::{Client, Service, Tester, recorded};

const ROCKET: &str = "/repos/octo-org/rocket";
/// More than any test records.
const EVENTS_MAX: i64 = 1_000;

/// mona owns octo-org, where hubot may push to `rocket`; the app `helper` is installed there.
fn state() -> StateFile {
    let rocket = format!("collaborators: [{{ user: hubot, permission: write }}], {}", two_branches(""));
    octo_org(&["mona", "lisa"])
        .entry("users", "login: hubot, email: hubot@example.com")
        .repo("octo-org/rocket", &rocket)
        .repo("octo-org/other", "private: true")
        .helper("contents: write, issues: write, pull_requests: write, metadata: read")
        .installation("helper", "octo-org", "[rocket]")
        .classic("mona", "repo, delete_repo, admin:org", "ghp_monamona")
        .classic("hubot", "repo", "ghp_hubothubot")
}

/// A service with [`state`] and hooks of the organization and of the app.
struct Hooked {
    service: Service,
    hook: WebhookId,
}

impl Hooked {
    async fn new() -> Self {
        let service = Service::with(&octo_org(&["mona"]).to_string()).await;
        service.write_app_key("helper.pem");
        service.apply(&state().to_string()).await;
        let hook = add_hooks(&service).await;
        Self { service, hook }
    }

    fn mona(&self) -> Client<'_> {
        self.service.with_token("ghp_monamona")
    }

    fn hubot(&self) -> Client<'_> {
        self.service.with_token("ghp_hubothubot")
    }

    /// The commit of a branch.
    async fn tip(&self, branch: &str) -> String {
        let found = self.mona().get(&format!("{ROCKET}/git/ref/heads/{branch}")).await.expect(200);
        found.json()["object"]["sha"].as_str().expect("a ref has a target").to_owned()
    }

    /// Creates a commit with these parents and the tree of the first one.
    async fn commit(&self, message: &str, parents: &[&str]) -> String {
        let parent = self.mona().get(&format!("{ROCKET}/git/commits/{}", parents[0])).await.expect(200);
        let body = json!({ "message": message, "tree": parent.json()["tree"]["sha"], "parents": parents });
        let created = self.mona().post(&format!("{ROCKET}/git/commits"), body).await.expect(201);
        created.json()["sha"].as_str().expect("a commit has an id").to_owned()
    }

    /// Opens a pull request from `next` to `main`, and forgets the events so far.
    async fn open_pull(&self) {
        let body = json!({ "title": "Change", "head": "next", "base": "main", "body": "Please" });
        self.mona().post(&format!("{ROCKET}/pulls"), body).await.expect(201);
        self.take().await;
    }

    /// The events since the last call, with their payloads.
    async fn take(&self) -> Vec<Taken> {
        let events = take_events(&self.service).await;
        let mut taken = Vec::with_capacity(events.len());
        for event in events {
            let payload = self.render(&event, None).await.expect("it still exists");
            self.render(&event, Some(InstallationId(1))).await.expect("it still exists");
            taken.push(Taken { event, payload });
        }
        taken
    }

    async fn render(&self, event: &Event, installation: Option<InstallationId>) -> Option<Value> {
        let recipient = Recipient { hook: self.hook, installation };
        let urls = Urls::new("http://plinth.test", "");
        let rendered = plinth_api::webhooks::payloads::render(&self.service.app, &urls, event, &recipient).await;
        let payload: Value = serde_json::from_str(&rendered.expect("it can be rendered")?).expect("it is JSON");
        recorded::keep_payload(event.name.as_str(), event.action.as_deref(), &payload);
        Some(payload)
    }
}

/// An event and its payload for a hook of the organization.
struct Taken {
    event: Event,
    payload: Value,
}

/// The names and actions of events.
fn names(taken: &[Taken]) -> Vec<String> {
    let name = |event: &Event| match &event.action {
        Some(action) => format!("{} {action}", event.name.as_str()),
        None => event.name.as_str().to_owned(),
    };
    taken.iter().map(|taken| name(&taken.event)).collect()
}

/// The payload of the only event of this name.
#[track_caller]
fn payload_of(taken: &[Taken], name: EventName) -> &Value {
    let mut found = taken.iter().filter(|taken| taken.event.name == name);
    match (found.next(), found.next()) {
        (Some(taken), None) => &taken.payload,
        _ => panic!("{name:?} is not once in {:?}", names(taken)),
    }
}

/// Reads and deletes all events.
async fn take_events(service: &Service) -> Vec<Event> {
    let taken = service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            let events = store::list_oldest(tx, EVENTS_MAX).await?;
            for event in &events {
                store::delete(tx, event.id).await?;
            }
            Ok(events)
        })
    });
    taken.await.expect("the store accepts the change")
}

/// Adds a hook of octo-org and one of its app, and returns the first.
async fn add_hooks(service: &Service) -> WebhookId {
    let added = service.store.write(Tester, (), |tx, ()| {
        Box::pin(async move {
            let org = accounts::store::find_by_login(tx, "octo-org").await?.expect("the organization exists");
            let app = apps::store::find_by_slug(tx, "helper").await?.expect("the app exists");
            add_hook(tx, WebhookOwner::App(app.id)).await?;
            add_hook(tx, WebhookOwner::Org(org.id)).await
        })
    });
    added.await.expect("the store accepts the change")
}

async fn add_hook(tx: &mut Transaction, owner: WebhookOwner) -> plinth_base::error::Result<WebhookId> {
    let hook = Webhook {
        id: WebhookId(0),
        owner,
        url: "http://receiver.test/".into(),
        content_type: ContentType::Json,
        secret: None,
        insecure_ssl: false,
        events: EventNames(vec!["*".into()]),
        active: true,
        created_at: crate::support::START,
        updated_at: crate::support::START,
    };
    Ok(plinth_core::webhooks::store::insert(tx, &hook).await?)
}
