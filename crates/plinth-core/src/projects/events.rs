//! Events of the projects of organizations. GitHub has none for the projects of users, and none for fields.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, ProjectId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::{Project, store};
use crate::accounts::AccountKind;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};

/// The data of the event `projects_v2`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProjectData {
    pub project: Project,
    /// The project before an edit.
    #[serde(default)]
    pub before: Option<Project>,
}

pub async fn record_created(
    tx: &mut Transaction,
    id: ProjectId,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    if !events::is_wanted(tx).await? {
        return Ok(());
    }
    let data = ProjectData { project: find(tx, id).await?, before: None };
    record(tx, "created", &data, actor, now).await
}

pub async fn record_edited(tx: &mut Transaction, before: &Project, now: Timestamp) -> Result<()> {
    if !events::is_wanted(tx).await? {
        return Ok(());
    }
    let data = ProjectData { project: find(tx, before.id).await?, before: Some(before.clone()) };
    record(tx, "edited", &data, None, now).await
}

async fn record(
    tx: &mut Transaction,
    action: &'static str,
    data: &ProjectData,
    actor: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    match data.project.owner_kind {
        AccountKind::Organization => events::record(tx, now, || new(action, data, actor)).await,
        AccountKind::User | AccountKind::Bot => Ok(()),
    }
}

async fn find(tx: &mut Transaction, id: ProjectId) -> Result<Project> {
    let found = store::find_by_id(tx, id, None).await?;
    Ok(found.ok_or_else(|| Error::internal("a project that was just changed is missing"))?.project)
}

fn new(action: &'static str, data: &ProjectData, actor: Option<AccountId>) -> NewEvent {
    NewEvent {
        name: EventName::ProjectsV2,
        action: Some(action),
        about: About::Account(data.project.owner_id),
        actor,
        subject: Some(data.project.id.0),
        data: events::to_data(data),
    }
}
