//! Bodies of the operations on issue fields.

use schemars::JsonSchema;

use crate::request::shape::{Bounded, Nullable, flatten, from_json};
use crate::wire::Word;
use plinth_base::ids::IssueFieldOptionId;
use plinth_core::issue_fields::model::{DataType, Visibility};
use plinth_core::issue_fields::rules::OPTIONS_MAX;
use plinth_core::issue_fields::{IssueFieldChange, NewIssueField, OptionInput};
use plinth_core::projects::Color;

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateFieldBody {
    name: String,
    description: Option<Nullable<String>>,
    data_type: Word<DataType>,
    /// `organization_members_only` by default.
    visibility: Option<Word<Visibility>>,
    /// Required for `single_select` and `multi_select`.
    options: Option<Nullable<Bounded<NewOption, 0, OPTIONS_MAX>>>,
}
from_json!(CreateFieldBody { name, description, data_type, visibility, options });

impl From<CreateFieldBody> for NewIssueField {
    fn from(body: CreateFieldBody) -> Self {
        let options = flatten(body.options);
        Self {
            name: body.name,
            description: flatten(body.description),
            data_type: body.data_type.0,
            visibility: body.visibility.map(|Word(visibility)| visibility).unwrap_or_default(),
            options: options.map(|Bounded(options)| options.into_iter().map(OptionInput::from).collect()),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
struct NewOption {
    name: String,
    description: Option<Nullable<String>>,
    color: Word<Color>,
    /// Options are ordered by it.
    priority: i64,
}
from_json!(NewOption { name, description, color, priority });

impl From<NewOption> for OptionInput {
    fn from(option: NewOption) -> Self {
        let NewOption { name, description, color, priority } = option;
        Self { id: None, name, description: flatten(description), color: color.0, priority: Some(priority) }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateFieldBody {
    name: Option<String>,
    description: Option<Nullable<String>>,
    /// Never changes; another one is rejected.
    data_type: Option<Word<DataType>>,
    visibility: Option<Word<Visibility>>,
    /// All options that the field is to have.
    options: Option<Bounded<ChangedOption, 0, OPTIONS_MAX>>,
}
from_json!(UpdateFieldBody { name, description, data_type, visibility, options });

impl From<UpdateFieldBody> for IssueFieldChange {
    fn from(body: UpdateFieldBody) -> Self {
        Self {
            name: body.name,
            description: body.description.map(|Nullable(description)| description),
            data_type: body.data_type.map(|Word(data_type)| data_type),
            visibility: body.visibility.map(|Word(visibility)| visibility),
            options: body.options.map(|Bounded(options)| options.into_iter().map(OptionInput::from).collect()),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
struct ChangedOption {
    /// The existing option to keep or change; a new one has none.
    id: Option<i64>,
    name: String,
    description: Option<Nullable<String>>,
    color: Word<Color>,
    /// Options are ordered by it.
    priority: i64,
}
from_json!(ChangedOption { id, name, description, color, priority });

impl From<ChangedOption> for OptionInput {
    fn from(option: ChangedOption) -> Self {
        let ChangedOption { id, name, description, color, priority } = option;
        let (id, description) = (id.map(IssueFieldOptionId), flatten(description));
        Self { id, name, description, color: color.0, priority: Some(priority) }
    }
}
