//! Issue fields on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueFieldId, IssueFieldOptionId, NodeId};
use plinth_core::issue_fields::model::{self, DataType, Visibility};
use plinth_core::projects::Color;

words! { DataType: Text, Date, SingleSelect, MultiSelect, Number }
words! { Visibility: OrganizationMembersOnly, All }
words! { Color: Gray, Blue, Green, Yellow, Orange, Red, Pink, Purple }

/// A field that an organization defines for its issues.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "issue-field-with-{O}")]
pub struct IssueField<'a, O> {
    id: IssueFieldId,
    node_id: String,
    name: &'a str,
    description: Option<&'a str>,
    data_type: Word<DataType>,
    visibility: Word<Visibility>,
    /// Only for `single_select` and `multi_select`.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<O>>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a, O: From<&'a model::IssueFieldOption>> IssueField<'a, O> {
    /// `options` are those of this field. A field that is not a select field has no list, not even an empty one.
    pub fn new(field: &'a model::IssueField, options: &'a [model::IssueFieldOption]) -> Self {
        Self {
            id: field.id,
            node_id: node_id(field),
            name: &field.name,
            description: field.description.as_deref(),
            data_type: Word(field.data_type),
            visibility: Word(field.visibility),
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

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "listed-options", inline)]
pub struct ListedOption<'a> {
    id: IssueFieldOptionId,
    name: &'a str,
    color: Word<Color>,
}

impl<'a> From<&'a model::IssueFieldOption> for ListedOption<'a> {
    fn from(option: &'a model::IssueFieldOption) -> Self {
        Self { id: option.id, name: &option.name, color: Word(option.color) }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "whole-options", inline)]
pub struct WholeOption<'a> {
    id: IssueFieldOptionId,
    name: &'a str,
    description: Option<&'a str>,
    color: Word<Color>,
    /// Its position among the options.
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
            color: Word(option.color),
            priority: option.priority,
            created_at: option.created_at,
            updated_at: option.updated_at,
        }
    }
}
