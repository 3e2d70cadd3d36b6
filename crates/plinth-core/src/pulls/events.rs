//! Events of pull requests.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, PullId, Sha};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::model::{Pull, PullState};
use super::store;
use crate::accounts::AccountSummary;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};
use crate::labels::Label;

/// The data of the event `pull_request`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PullRequestData {
    pub pull: Pull,
    /// What an edit has replaced.
    #[serde(default)]
    pub changes: Option<PullChanges>,
    /// The heads before and after a push.
    #[serde(default)]
    pub heads: Option<(Sha, Sha)>,
    /// Whose review is requested, or not any more.
    #[serde(default)]
    pub reviewer: Option<AccountSummary>,
    /// The label that was added or removed.
    #[serde(default)]
    pub label: Option<Label>,
    /// Who was assigned, or is not any more.
    #[serde(default)]
    pub assignee: Option<AccountSummary>,
}

impl PullRequestData {
    fn new(pull: Pull) -> Self {
        Self { pull, changes: None, heads: None, reviewer: None, label: None, assignee: None }
    }
}

/// Former values; `None` where nothing changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullChanges {
    pub title: Option<String>,
    /// An empty text if there was none.
    pub body: Option<String>,
    /// Name and commit of the base.
    pub base: Option<(String, Sha)>,
}

impl PullChanges {
    fn between(before: &Pull, after: &Pull) -> Self {
        let base = (before.base_ref.clone(), before.version.base_sha);
        Self {
            title: (before.title != after.title).then(|| before.title.clone()),
            body: (before.body != after.body).then(|| before.body.clone().unwrap_or_default()),
            base: (before.base_ref != after.base_ref).then_some(base),
        }
    }
}

pub async fn record_opened(tx: &mut Transaction, pull: &Pull, actor: Option<AccountId>, now: Timestamp) -> Result<()> {
    events::record(tx, now, || new("opened", pull.clone(), actor)).await
}

/// Records what differs between two states of a pull request: `edited`, `closed` and `reopened`.
pub async fn record_changes(
    tx: &mut Transaction,
    (before, after): (&Pull, &Pull),
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    let changes = PullChanges::between(before, after);
    if changes != PullChanges::default() {
        events::record(tx, now, || {
            let data = PullRequestData { changes: Some(changes), ..PullRequestData::new(after.clone()) };
            with_data("edited", &data, actor)
        })
        .await?;
    }
    if before.state != after.state {
        let action = match after.state {
            PullState::Open => "reopened",
            PullState::Closed => "closed",
        };
        events::record(tx, now, || new(action, after.clone(), actor)).await?;
    }
    Ok(())
}

/// Records that the head was pushed to.
pub async fn record_synchronize(
    tx: &mut Transaction,
    pull: PullId,
    heads: (Sha, Sha),
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    if events::is_wanted(tx).await? {
        let pull = find(tx, pull).await?;
        let data = PullRequestData { heads: Some(heads), ..PullRequestData::new(pull) };
        events::record(tx, now, || with_data("synchronize", &data, actor)).await?;
    }
    Ok(())
}

/// Records that a pull request was closed, because one of its branches was deleted or because it was merged.
pub async fn record_closed(tx: &mut Transaction, pull: PullId, actor: Option<AccountId>, now: Timestamp) -> Result<()> {
    if events::is_wanted(tx).await? {
        let pull = find(tx, pull).await?;
        events::record(tx, now, || new("closed", pull, actor)).await?;
    }
    Ok(())
}

/// Records that a review was requested, or that a request was removed.
pub async fn record_review_request(
    tx: &mut Transaction,
    (action, pull): (&'static str, &Pull),
    reviewer: AccountSummary,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    let data = || PullRequestData { reviewer: Some(reviewer), ..PullRequestData::new(pull.clone()) };
    events::record(tx, now, || with_data(action, &data(), actor)).await
}

/// Records that a label was added or removed.
pub async fn record_label(
    tx: &mut Transaction,
    (action, pull): (&'static str, &Pull),
    label: &Label,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<()> {
    let data = || PullRequestData { label: Some(label.clone()), ..PullRequestData::new(pull.clone()) };
    events::record(tx, now, || with_data(action, &data(), actor)).await
}

/// Records that somebody was assigned, or is not assigned any more.
pub async fn record_assignee(
    tx: &mut Transaction,
    (action, pull): (&'static str, &Pull),
    assignee: &AccountSummary,
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<()> {
    let data = || PullRequestData { assignee: Some(assignee.clone()), ..PullRequestData::new(pull.clone()) };
    events::record(tx, now, || with_data(action, &data(), actor)).await
}

async fn find(tx: &mut Transaction, pull: PullId) -> Result<Pull> {
    store::find_by_id(tx, pull).await?.ok_or_else(|| Error::internal("a pull request that was just changed is missing"))
}

fn new(action: &'static str, pull: Pull, actor: Option<AccountId>) -> NewEvent {
    with_data(action, &PullRequestData::new(pull), actor)
}

fn with_data(action: &'static str, data: &PullRequestData, actor: Option<AccountId>) -> NewEvent {
    NewEvent {
        name: EventName::PullRequest,
        action: Some(action),
        about: About::Repo(data.pull.repo_id),
        actor,
        subject: Some(data.pull.id.0),
        data: events::to_data(data),
    }
}
