//! Payloads of events, in GitHub's shapes.
//!
//! What an event is about is shown as it was; repositories and accounts are shown as they are when the payload is rendered.

mod commits;
mod common;
mod hooks;
mod installations;
mod issues;
mod organizations;
mod project_items;
mod projects;
mod pulls;
mod pushes;
mod releases;
mod repositories;
mod reviews;
mod statuses;

use plinth_base::error::{Error, Result};
use plinth_base::urls::Urls;
use plinth_core::events::{Event, EventName};
use plinth_core::webhooks::model::Recipient;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use common::{Envelope, Parties};

/// The payload of an event for one recipient, or `None` if what it is about no longer exists and cannot be shown.
pub async fn render(app: &App, urls: &Urls, event: &Event, recipient: &Recipient) -> Result<Option<String>> {
    let Some(parties) = Parties::find(app, event).await? else {
        // Only the ping of an app is about no account.
        return if event.name == EventName::Ping { hooks::render_ping(app, urls, event, None).await } else { Ok(None) };
    };
    let context = Context { app, urls, event, recipient, parties };
    match event.name {
        EventName::Push => pushes::render(&context).await,
        EventName::Create | EventName::Delete => pushes::render_existence(&context),
        EventName::PullRequest => pulls::render(&context).await,
        EventName::PullRequestReview => reviews::render(&context).await,
        EventName::PullRequestReviewComment => reviews::render_comment(&context).await,
        EventName::PullRequestReviewThread => reviews::render_thread(&context).await,
        EventName::Release => releases::render(&context),
        EventName::Status => statuses::render(&context).await,
        EventName::Issues => issues::render(&context),
        EventName::IssueComment => issues::render_comment(&context),
        EventName::Label => issues::render_label(&context),
        EventName::Repository | EventName::Public => repositories::render(&context),
        EventName::Member => repositories::render_member(&context).await,
        EventName::Installation => installations::render(&context),
        EventName::InstallationRepositories => installations::render_repositories(&context),
        EventName::Organization => organizations::render(&context).await,
        EventName::ProjectsV2 => projects::render(&context).await,
        EventName::ProjectsV2Item => project_items::render(&context),
        EventName::Ping => hooks::render_ping(app, urls, event, Some(&context)).await,
        // What is left for a hook is deleted with it, so nothing records this event.
        EventName::Meta => Ok(None),
    }
}

/// What the payloads of all events need.
struct Context<'a> {
    app: &'a App,
    urls: &'a Urls,
    event: &'a Event,
    recipient: &'a Recipient,
    parties: Parties,
}

impl<'a> Context<'a> {
    /// The data that was recorded with the event.
    fn data<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(self.event.data.clone())
            .map_err(|error| Error::internal(format!("the data of an event: {error}")))
    }

    /// The payload: `specific` to the event, with the repository, the organization, the installation and the sender.
    fn write<T: Serialize>(&'a self, specific: T) -> Result<Option<String>> {
        write(&Envelope::new(self, specific))
    }
}

fn write<T: Serialize>(payload: &T) -> Result<Option<String>> {
    let payload = serde_json::to_string(payload);
    Ok(Some(payload.expect("our shapes have text keys and no failing parts")))
}

/// For objects that differ from those of the API in a few keys.
fn to_value<T: Serialize>(shown: &T) -> Value {
    serde_json::to_value(shown).expect("our shapes have text keys and no failing parts")
}
