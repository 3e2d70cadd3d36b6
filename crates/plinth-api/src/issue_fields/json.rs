//! Issue fields on the wire.

use plinth_core::issue_fields::IssueFieldChange;
use plinth_core::issue_fields::NewIssueField;
use plinth_core::issue_fields::OptionInput;
use serde::Serialize;
use serde_json::Value;

use crate::request::shape::{Fields, FromJson};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueFieldId, IssueFieldOptionId, NodeId};
use plinth_core::issue_fields::model::{self, DataType, Visibility};
use plinth_core::issue_fields::rules::OPTIONS_MAX;
use plinth_core::projects::Color;

impl FromJson for NewIssueField {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.required("name");
        let description = fields.optional::<Option<String>>("description");
        let data_type = fields.required::<String>("data_type");
        let data_type = data_type.and_then(|word| {
            fields.choice("data_type", &word, &DataType::NAMES)?;
            word.parse().ok()
        });
        let visibility = visibility(fields);
        let options = match fields.optional::<Option<&[Value]>>("options") {
            Some(Some(Some(list))) => fields.items_up_to("options", list, OPTIONS_MAX).map(Some),
            Some(_) => Some(None),
            None => None,
        };
        Some(Self {
            name: name?,
            description: description?.flatten(),
            data_type: data_type?,
            visibility: visibility?.unwrap_or_default(),
            options: options?.map(|options| options.into_iter().map(OptionInput::without_id).collect()),
        })
    }
}

impl FromJson for IssueFieldChange {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.optional("name");
        let description = fields.optional::<Option<String>>("description");
        let visibility = visibility(fields);
        let options = match fields.optional::<&[Value]>("options") {
            Some(Some(list)) => fields.items_up_to("options", list, OPTIONS_MAX).map(Some),
            Some(None) => Some(None),
            None => None,
        };
        Some(Self { name: name?, description: description?, visibility: visibility?, options: options? })
    }
}

fn visibility(fields: &mut Fields<'_>) -> Option<Option<Visibility>> {
    match fields.optional::<String>("visibility")? {
        None => Some(None),
        Some(word) => {
            fields.choice("visibility", &word, &Visibility::NAMES)?;
            word.parse().ok().map(Some)
        }
    }
}

impl FromJson for OptionInput {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let id = fields.optional::<i64>("id");
        let name = fields.required("name");
        let description = fields.optional::<Option<String>>("description");
        let color = fields.required::<String>("color");
        let color = color.and_then(|word| {
            fields.choice("color", &word, &Color::LOWER)?;
            word.parse().ok()
        });
        let priority = fields.optional("priority");
        Some(Self {
            id: id?.map(IssueFieldOptionId),
            name: name?,
            description: description?.flatten(),
            color: color?,
            priority: priority?,
        })
    }
}

/// A field as clients see it, with options of the kind `O`.
#[derive(Serialize)]
pub struct IssueField<'a, O> {
    id: IssueFieldId,
    node_id: String,
    name: &'a str,
    description: Option<&'a str>,
    data_type: &'static str,
    visibility: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<O>>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a, O: From<&'a model::IssueFieldOption>> IssueField<'a, O> {
    /// `options` are those of this field; one that is no select field shows none, not even an empty list.
    pub fn new(field: &'a model::IssueField, options: &'a [model::IssueFieldOption]) -> Self {
        Self {
            id: field.id,
            node_id: node_id(field),
            name: &field.name,
            description: field.description.as_deref(),
            data_type: field.data_type.as_str(),
            visibility: field.visibility.as_str(),
            options: field.data_type.is_select().then(|| options.iter().map(O::from).collect()),
            created_at: field.created_at,
            updated_at: field.updated_at,
        }
    }
}

fn node_id(field: &model::IssueField) -> String {
    let prefix = match field.data_type {
        DataType::Text => "IFT",
        DataType::Date => "IFD",
        DataType::SingleSelect => "IFSS",
        DataType::MultiSelect => "IFMS",
        DataType::Number => "IFN",
    };
    NodeId::new(prefix, 0).number(field.org_id.0).number(field.id.0).finish()
}

/// An option in the list.
#[derive(Serialize)]
pub struct ListedOption<'a> {
    id: IssueFieldOptionId,
    name: &'a str,
    color: &'static str,
}

impl<'a> From<&'a model::IssueFieldOption> for ListedOption<'a> {
    fn from(option: &'a model::IssueFieldOption) -> Self {
        Self { id: option.id, name: &option.name, color: option.color.as_str() }
    }
}

/// An option in the answer to a change.
#[derive(Serialize)]
pub struct WholeOption<'a> {
    id: IssueFieldOptionId,
    name: &'a str,
    description: Option<&'a str>,
    color: &'static str,
    priority: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a model::IssueFieldOption> for WholeOption<'a> {
    fn from(option: &'a model::IssueFieldOption) -> Self {
        Self {
            id: option.id,
            name: &option.name,
            description: option.description.as_deref(),
            color: option.color.as_str(),
            priority: option.priority,
            created_at: option.created_at,
            updated_at: option.updated_at,
        }
    }
}
