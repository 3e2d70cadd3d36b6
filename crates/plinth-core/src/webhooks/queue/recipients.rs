//! Who receives an event, by the rights of this moment.

use plinth_base::ids::{AppId, InstallationId, WebhookId};
use plinth_store::{Connection, DbError};

use super::store;
use crate::events::{Event, EventName};
use crate::repos::events::RepositoryData;
use crate::tokens::{Level, Permissions};
use crate::webhooks::model::{Message, Recipient};

/// The permissions of which an installation needs one for an event, as on GitHub; none if it needs no permission.
fn accepted_permissions(event: EventName, is_about_pull: bool) -> &'static [&'static str] {
    match event {
        EventName::Push | EventName::Create | EventName::Delete | EventName::Release => &["contents"],
        EventName::PullRequest
        | EventName::PullRequestReview
        | EventName::PullRequestReviewComment
        | EventName::PullRequestReviewThread => &["pull_requests"],
        EventName::IssueComment if is_about_pull => &["issues", "pull_requests"],
        EventName::Issues | EventName::IssueComment => &["issues"],
        EventName::Status => &["statuses"],
        EventName::Label | EventName::Repository | EventName::Public => &["metadata"],
        EventName::Organization | EventName::Member => &["members"],
        EventName::ProjectsV2 | EventName::ProjectsV2Item => &["organization_projects"],
        EventName::Installation | EventName::InstallationRepositories | EventName::Ping | EventName::Meta => &[],
    }
}

fn allow(permissions: &Permissions, accepted: &[&str]) -> bool {
    accepted.is_empty() || accepted.iter().any(|name| permissions.allows(name, Level::Read))
}

/// The hooks that receive an event, in the order of their ids.
pub async fn find(db: &mut Connection, event: &Event) -> Result<Vec<Recipient>, DbError> {
    let mut found = match (event.name, event.subject) {
        // These, and the push of a test, are for one hook.
        (EventName::Ping | EventName::Meta, subject) | (EventName::Push, subject @ Some(_)) => {
            let hook = store::find_hook(db, WebhookId(subject.unwrap_or_default())).await?;
            hook.into_iter().map(|hook| Recipient { hook, installation: event.installation }).collect()
        }
        // An app learns of its own installations, subscribed or not, suspended or not.
        (EventName::Installation | EventName::InstallationRepositories, subject) => {
            let hook = store::find_active_hook_of_app(db, AppId(subject.unwrap_or_default())).await?;
            hook.into_iter().map(|hook| Recipient { hook, installation: event.installation }).collect()
        }
        _ => find_subscribed(db, event).await?,
    };
    found.sort_unstable_by_key(|recipient: &Recipient| recipient.hook);
    Ok(found)
}

async fn find_subscribed(db: &mut Connection, event: &Event) -> Result<Vec<Recipient>, DbError> {
    let hooks = store::list_active_hooks(db, event.repo, event.owner).await?;
    let wants = |events: &[String]| events.iter().any(|name| name == "*" || name == event.name.as_str());
    let hooks = hooks.into_iter().filter(|(_, events)| wants(&events.0));
    let mut found: Vec<Recipient> = hooks.map(|(hook, _)| Recipient { hook, installation: None }).collect();
    let had_repo = installations_before_deletion(event);
    for installed in store::list_active_installations(db, event.owner, event.repo).await? {
        if !installed.has_repo && !had_repo.contains(&installed.installation) {
            continue;
        }
        let accepted = accepted_permissions(event.name, event.data["comment"]["is_pull"] == true);
        if allow(&installed.permissions, accepted) && wants(&installed.events.0) {
            found.push(Recipient { hook: installed.hook, installation: Some(installed.installation) });
        }
    }
    Ok(found)
}

/// Whether the recipient of a message may still read what it is about. Only the rights of apps can change.
pub async fn may_still_receive(db: &mut Connection, message: &Message) -> Result<bool, DbError> {
    let (Some(installation), Ok(event)) = (message.installation_id, message.event.parse::<EventName>()) else {
        return Ok(true);
    };
    let accepted = accepted_permissions(event, is_about_pull(event, &message.payload));
    if accepted.is_empty() {
        return Ok(true);
    }
    // A deleted repository is in no selection.
    let is_deletion = event == EventName::Repository && message.action.as_deref() == Some("deleted");
    let repo = message.repo_id.filter(|_| !is_deletion);
    let found = store::find_active_installation(db, installation, repo).await?;
    Ok(found.is_some_and(|(permissions, has_repo)| has_repo && allow(&permissions, accepted)))
}

/// Whether a payload is about a comment on a pull request.
fn is_about_pull(event: EventName, payload: &str) -> bool {
    let parse = || serde_json::from_str::<serde_json::Value>(payload).unwrap_or_default();
    event == EventName::IssueComment && parse()["issue"]["pull_request"].is_object()
}

/// The installations that had a repository before it was deleted, which deselected it.
fn installations_before_deletion(event: &Event) -> Vec<InstallationId> {
    if event.name != EventName::Repository {
        return Vec::new();
    }
    let data = serde_json::from_value::<RepositoryData>(event.data.clone());
    data.map(|data| data.selected_by).unwrap_or_default()
}
