//! Payloads about items of projects.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::ProjectItemId;
use plinth_core::project_fields::model::DataType;
use plinth_core::project_items::ContentKind;
use plinth_core::project_items::events::{ChangedValue, ProjectItemData, ValueChange};
use plinth_core::projects::Project;
use serde::Serialize;

use super::Context;
use crate::accounts::json::User;
use crate::issues::json::{ShownValue, number};
use crate::project_fields::json::node_id as field_node_id;
use crate::project_items::json::{content_node_id, creator, node_id};
use crate::projects::json::node_id as project_node_id;
use crate::wire::Word;

#[derive(Serialize)]
struct Specific<'a> {
    projects_v2_item: Item<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Changes<'a>>,
}

/// An item without its content: the hooks of an organization are not limited to who can read it.
#[derive(Serialize)]
struct Item<'a> {
    id: ProjectItemId,
    node_id: String,
    project_node_id: String,
    content_node_id: String,
    content_type: Word<ContentKind>,
    creator: User<'a>,
    created_at: Timestamp,
    updated_at: Timestamp,
    archived_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct Changes<'a> {
    field_value: FieldValueChange<'a>,
}

#[derive(Serialize)]
struct FieldValueChange<'a> {
    field_node_id: Option<String>,
    field_type: &'a str,
    field_name: &'a str,
    project_number: i64,
    from: Option<Value<'a>>,
    to: Option<Value<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Plain(ShownValue<'a>),
    Option { id: &'a str, name: &'a str, color: &'a str, description: &'a str },
    Iteration { id: &'a str, title: &'a str, start_date: &'a str, duration: i64 },
}

impl<'a> Value<'a> {
    fn new(value: &'a ChangedValue) -> Self {
        match value {
            ChangedValue::Text(text) => Self::Plain(ShownValue::Text(text)),
            ChangedValue::Number(value) => Self::Plain(number(*value)),
            ChangedValue::Option { id, name, color, description } => Self::Option { id, name, color, description },
            ChangedValue::Iteration { id, title, start_date, duration } => {
                Self::Iteration { id, title, start_date, duration: *duration }
            }
        }
    }
}

impl<'a> Changes<'a> {
    fn new(change: &'a ValueChange, project: &Project) -> Self {
        let data_type = change.field_type.parse::<DataType>().ok();
        Self {
            field_value: FieldValueChange {
                field_node_id: data_type.map(|data_type| field_node_id(change.field, data_type, project)),
                field_type: &change.field_type,
                field_name: &change.field_name,
                project_number: project.number,
                from: change.from.as_ref().map(Value::new),
                to: change.to.as_ref().map(Value::new),
            },
        }
    }
}

pub fn render(context: &Context<'_>) -> Result<Option<String>> {
    let ProjectItemData { project, item, change } = context.data()?;
    let shown = Item {
        id: item.id,
        node_id: node_id(&item, &project),
        project_node_id: project_node_id(&project),
        content_node_id: content_node_id(&item),
        content_type: Word(item.content.kind()),
        creator: creator(&item, &project, context.urls),
        created_at: item.created_at,
        updated_at: item.updated_at,
        archived_at: None,
    };
    let changes = change.as_ref().map(|change| Changes::new(change, &project));
    context.write(Specific { projects_v2_item: shown, changes })
}
