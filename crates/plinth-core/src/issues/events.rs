//! Events of issues. What happens to a pull request is recorded as an event of pull requests.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::{Connection, Transaction};
use serde::{Deserialize, Serialize};

use super::model::{Issue, IssueState};
use super::{assignee_store, store};
use crate::accounts::AccountSummary;
use crate::conversations::Conversation;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};
use crate::labels::{self, Label};
use crate::pulls::{self, model::Pull};

/// An issue with its labels and assignees.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IssueSnapshot {
    pub issue: Issue,
    pub labels: Vec<Label>,
    pub assignees: Vec<AccountSummary>,
}

/// The data of the event `issues`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IssueData {
    pub issue: IssueSnapshot,
    /// What an edit has replaced.
    #[serde(default)]
    pub changes: IssueEdit,
    /// The label that was added or removed.
    #[serde(default)]
    pub label: Option<Label>,
    /// Who was assigned, or is not any more.
    #[serde(default)]
    pub assignee: Option<AccountSummary>,
}

/// Former values; `None` where nothing changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueEdit {
    pub title: Option<String>,
    /// An empty text if there was none.
    pub body: Option<String>,
}

/// Who caused an event, and when.
pub type By = (Option<AccountId>, Timestamp);

/// An issue as it is now; `None` if nobody receives its events.
pub async fn find_snapshot(tx: &mut Transaction, of: &Conversation) -> Result<Option<IssueSnapshot>> {
    if !events::is_wanted(tx).await? {
        return Ok(None);
    }
    let issue = store::find(tx, of.repo_id, of.number).await?.ok_or_else(missing)?;
    Ok(Some(IssueSnapshot {
        issue,
        labels: labels::store::list_of_one(tx, of.id).await?,
        assignees: assignee_store::list_of_one(tx, of.id).await?,
    }))
}

pub async fn record_opened(tx: &mut Transaction, of: &Conversation, by: By) -> Result<()> {
    record(tx, of, "opened", by, |_| {}).await
}

/// Records what differs between two states of an issue: `edited`, `closed` and `reopened`.
pub async fn record_changes(tx: &mut Transaction, (before, after): (&Issue, &Issue), by: By) -> Result<()> {
    let of = after.conversation();
    let changes = IssueEdit {
        title: (before.title != after.title).then(|| before.title.clone()),
        body: (before.body != after.body).then(|| before.body.clone().unwrap_or_default()),
    };
    if changes != IssueEdit::default() {
        record(tx, &of, "edited", by, |data| data.changes = changes).await?;
    }
    if before.state != after.state {
        let action = match after.state {
            IssueState::Open => "reopened",
            IssueState::Closed => "closed",
        };
        record(tx, &of, action, by, |_| {}).await?;
    }
    Ok(())
}

/// Records that a label was added or removed.
pub async fn record_label(
    tx: &mut Transaction,
    of: &Conversation,
    (action, label): (&'static str, &Label),
    by: By,
) -> Result<()> {
    match find_pull(tx, of).await? {
        Some(pull) => pulls::events::record_label(tx, (action, &pull), label, by).await,
        None => record(tx, of, action, by, |data| data.label = Some(label.clone())).await,
    }
}

/// Records that somebody was assigned, or is not assigned any more.
pub async fn record_assignee(
    tx: &mut Transaction,
    of: &Conversation,
    (action, assignee): (&'static str, &AccountSummary),
    by: By,
) -> Result<()> {
    match find_pull(tx, of).await? {
        Some(pull) => pulls::events::record_assignee(tx, (action, &pull), assignee, by).await,
        None => record(tx, of, action, by, |data| data.assignee = Some(assignee.clone())).await,
    }
}

/// The pull request that an event is about; `None` for an issue, and if nobody receives events.
async fn find_pull(tx: &mut Transaction, of: &Conversation) -> Result<Option<Pull>> {
    if !of.is_pull || !events::is_wanted(tx).await? {
        return Ok(None);
    }
    let db: &mut Connection = tx;
    Ok(Some(pulls::store::find(db, of.repo_id, of.number).await?.ok_or_else(missing)?))
}

async fn record(
    tx: &mut Transaction,
    of: &Conversation,
    action: &'static str,
    (actor, now): By,
    complete: impl FnOnce(&mut IssueData),
) -> Result<()> {
    let Some(issue) = find_snapshot(tx, of).await? else { return Ok(()) };
    let mut data = IssueData { issue, changes: IssueEdit::default(), label: None, assignee: None };
    complete(&mut data);
    events::record(tx, now, || NewEvent {
        name: EventName::Issues,
        action: Some(action),
        about: About::Repo(of.repo_id),
        actor,
        subject: Some(of.id.0),
        data: events::to_data(&data),
    })
    .await
}

fn missing() -> Error {
    Error::internal("an issue that was just changed is missing")
}
