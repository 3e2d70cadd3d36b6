//! The payload of `ping`, which shows the hook as it is.

use plinth_base::error::Result;
use plinth_base::ids::{AppId, WebhookId};
use plinth_base::urls::Urls;
use plinth_core::apps;
use plinth_core::events::Event;
use plinth_core::webhooks::model::{Webhook, WebhookOwner};
use plinth_core::webhooks::store;
use serde::Serialize;

use super::common::Parties;
use super::{Context, write};
use crate::app::App;
use crate::webhooks::json::{Hook, HookFields, OrgHook};

/// The only sentence that this service has.
const ZEN: &str = "Approachable is better than simple.";

#[derive(Serialize)]
struct Ping<'a> {
    zen: &'static str,
    hook_id: WebhookId,
    hook: ShownHook<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ShownHook<'a> {
    Repo(Box<Hook<'a>>),
    Org(Box<OrgHook<'a>>),
    App(AppHook<'a>),
}

#[derive(Serialize)]
struct AppHook<'a> {
    #[serde(flatten)]
    fields: HookFields<'a>,
    app_id: AppId,
}

/// The payload for the hook that the event is about; `None` if it was deleted.
pub async fn render_ping(
    app: &App,
    urls: &Urls,
    event: &Event,
    context: Option<&Context<'_>>,
) -> Result<Option<String>> {
    let Some(id) = event.subject.map(WebhookId) else { return Ok(None) };
    let mut db = app.read().await?;
    let Some(Webhook { owner, .. }) = store::find(&mut db, id).await? else { return Ok(None) };
    let Some(found) = store::find_with_response(&mut db, owner, id).await? else { return Ok(None) };
    drop(db);
    match (owner, context) {
        (WebhookOwner::App(id), _) => render_for_app(app, id, &found.hook).await,
        (WebhookOwner::Repo(_) | WebhookOwner::Org(_), None) => Ok(None),
        (WebhookOwner::Repo(_) | WebhookOwner::Org(_), Some(context)) => {
            let Parties { repo, owner, .. } = &context.parties;
            let hook = match repo {
                Some(repo) => {
                    ShownHook::Repo(Box::new(Hook::new(&found, urls.repo_hook(&repo.owner_login, &repo.name, id))))
                }
                None => ShownHook::Org(Box::new(OrgHook::new(&found.hook, urls.org_hook(&owner.login, id)))),
            };
            context.write(Ping { zen: ZEN, hook_id: id, hook })
        }
    }
}

/// An app is in no repository and no organization, and nobody has sent the ping.
async fn render_for_app(app: &App, id: AppId, hook: &Webhook) -> Result<Option<String>> {
    let Some(owner) = apps::store::find(&mut app.read().await?, id).await? else { return Ok(None) };
    let shown = AppHook { fields: HookFields::new("App", hook, &owner.events), app_id: id };
    write(&Ping { zen: ZEN, hook_id: hook.id, hook: ShownHook::App(shown) })
}
