//! The push that a caller sends to a hook to try it.

use plinth_base::error::{Error, Result};
use plinth_base::ids::WebhookId;

use super::model::WebhookOwner;
use super::store;
use crate::Core;
use crate::access::WriteAccess;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};
use crate::ref_updates::events::PushData;
use crate::refs;
use crate::repos::RepoTarget;

/// Sends a push of the last commit of the default branch to a hook, if it is subscribed to pushes and there is a commit.
/// No other hook receives it: the subject of the event is the hook.
pub async fn send(core: &Core, access: &WriteAccess<RepoTarget>, id: WebhookId) -> Result<()> {
    let (repo, branch) = (access.repo.id, access.repo.default_branch.clone());
    let tip = refs::store::find_default_tip(&mut core.read().await?, repo, &branch).await?;
    let before = match tip {
        Some(tip) => {
            let read = move |reader: &plinth_git::Reader<'_>| reader.find_commit(&tip);
            let commit = core.objects.read_fast(repo, read).await?;
            commit.and_then(|commit| commit.parent_ids.first().copied())
        }
        None => None,
    };
    let data = PushData { r#ref: format!("refs/heads/{branch}"), before, after: tip };
    let context = (repo, id, data, access.caller().actor(), core.clock.now());
    access
        .write(context, |tx, (repo, id, data, actor, now)| {
            Box::pin(async move {
                let hook = store::find_of(tx, WebhookOwner::Repo(*repo), *id).await?.ok_or(Error::NotFound)?;
                if data.after.is_none() || !hook.wants(EventName::Push.as_str()) {
                    return Ok(());
                }
                let event = || NewEvent {
                    name: EventName::Push,
                    action: None,
                    about: About::Repo(*repo),
                    actor: *actor,
                    subject: Some(id.0),
                    data: events::to_data(data),
                };
                events::record(tx, *now, event).await
            })
        })
        .await
}
