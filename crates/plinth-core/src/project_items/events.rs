//! Events of items in the projects of organizations. GitHub has none for the projects of users.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, ProjectFieldId};
use plinth_store::Transaction;
use serde::{Deserialize, Serialize};

use super::ProjectItem;
use crate::accounts::AccountKind;
use crate::events::model::About;
use crate::events::{self, EventName, NewEvent};
use crate::project_fields::model::{Contents, DataType, ProjectField};
use crate::projects::Project;

/// The data of the event `projects_v2_item`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProjectItemData {
    pub project: Project,
    pub item: ProjectItem,
    /// What an edit has changed.
    #[serde(default)]
    pub change: Option<ValueChange>,
}

/// The change of one value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ValueChange {
    pub field: ProjectFieldId,
    pub field_name: String,
    pub field_type: String,
    pub from: Option<ChangedValue>,
    pub to: Option<ChangedValue>,
}

/// A value as the event shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ChangedValue {
    Text(String),
    Number(f64),
    Option { id: String, name: String, color: String, description: String },
    Iteration { id: String, title: String, start_date: String, duration: i64 },
}

impl ValueChange {
    /// The fields and contents are those of the project.
    pub fn new(
        fields: &[ProjectField],
        contents: &Contents,
        field: ProjectFieldId,
        (from, to): (Option<&str>, Option<&str>),
    ) -> Option<Self> {
        let field = fields.iter().find(|known| known.id == field)?;
        let shown = |text: Option<&str>| text.and_then(|text| ChangedValue::new(field, contents, text));
        Some(Self {
            field: field.id,
            field_name: field.name.clone(),
            field_type: field.data_type.as_str().to_owned(),
            from: shown(from),
            to: shown(to),
        })
    }
}

impl ChangedValue {
    /// `None` if the option or iteration does not exist any more.
    fn new(field: &ProjectField, contents: &Contents, text: &str) -> Option<Self> {
        match field.data_type {
            DataType::Number => text.parse().ok().map(ChangedValue::Number),
            DataType::SingleSelect => {
                let option = contents.options_of(field.id).iter().find(|option| option.option_id == text)?;
                Some(ChangedValue::Option {
                    id: option.option_id.clone(),
                    name: option.name.clone(),
                    color: option.color.upper().to_owned(),
                    description: option.description.clone(),
                })
            }
            DataType::Iteration => {
                let iterations = contents.iterations_of(field.id);
                let iteration = iterations.iter().find(|iteration| iteration.iteration_id == text)?;
                Some(ChangedValue::Iteration {
                    id: iteration.iteration_id.clone(),
                    title: iteration.title.clone(),
                    start_date: iteration.start_date.to_string(),
                    duration: iteration.duration,
                })
            }
            _ => Some(ChangedValue::Text(text.to_owned())),
        }
    }
}

pub async fn record_created(
    tx: &mut Transaction,
    project: &Project,
    item: ProjectItem,
    by: (Option<AccountId>, Timestamp),
) -> Result<()> {
    record(tx, "created", project, (item, None), by).await
}

/// Records the change of one value.
pub async fn record_edited(
    tx: &mut Transaction,
    project: &Project,
    (item, change): (&ProjectItem, Option<ValueChange>),
    by: (Option<AccountId>, Timestamp),
) -> Result<()> {
    record(tx, "edited", project, (item.clone(), change), by).await
}

pub async fn record_deleted(
    tx: &mut Transaction,
    project: &Project,
    item: ProjectItem,
    by: (Option<AccountId>, Timestamp),
) -> Result<()> {
    record(tx, "deleted", project, (item, None), by).await
}

async fn record(
    tx: &mut Transaction,
    action: &'static str,
    project: &Project,
    (item, change): (ProjectItem, Option<ValueChange>),
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<()> {
    if project.owner_kind != AccountKind::Organization {
        return Ok(());
    }
    let new = || NewEvent {
        name: EventName::ProjectsV2Item,
        action: Some(action),
        about: About::Account(project.owner_id),
        actor,
        subject: Some(item.id.0),
        data: events::to_data(&ProjectItemData { project: project.clone(), item, change }),
    };
    events::record(tx, now, new).await
}
