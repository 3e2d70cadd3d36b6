//! Bodies that add a field to a project: one of four forms, distinguished by the keys that they have.

use schemars::JsonSchema;

use super::body_parts::{IterationsBody, OptionBody};
use crate::request::shape::{Bounded, Fields, FromJson, from_json};
use crate::wire::{Word, Words};
use plinth_base::ids::IssueFieldId;
use plinth_core::project_fields::model::DataType;
use plinth_core::project_fields::{NewField, NewOption, OwnField, OwnKind};

const OPTIONS_MAX: usize = 50;

/// The body for a project of an organization.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum AddOrgFieldBody {
    FromIssueField(FromIssueFieldBody),
    Own(AddUserFieldBody),
}

impl FromJson for AddOrgFieldBody {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        if fields.has("issue_field_id") {
            return FromIssueFieldBody::from_json(fields).map(Self::FromIssueField);
        }
        own_field(fields).map(Self::Own)
    }
}

impl From<AddOrgFieldBody> for NewField {
    fn from(body: AddOrgFieldBody) -> Self {
        match body {
            AddOrgFieldBody::FromIssueField(FromIssueFieldBody { issue_field_id, name, data_type }) => {
                Self::FromIssueField { id: IssueFieldId(issue_field_id), name, data_type }
            }
            AddOrgFieldBody::Own(own) => own.into(),
        }
    }
}

/// The body for a project of a user, which has no issue fields to mirror.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum AddUserFieldBody {
    Plain(PlainFieldBody),
    SingleSelect(SelectFieldBody),
    Iteration(IterationFieldBody),
}

impl FromJson for AddUserFieldBody {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        if fields.has("issue_field_id") {
            return fields.violation_here("\"issue_field_id\" is not a permitted key.");
        }
        own_field(fields)
    }
}

/// Reads the form that the data type calls for.
fn own_field(fields: &mut Fields<'_>) -> Option<AddUserFieldBody> {
    fields.permit_null(&["issue_field_id", "single_select_options", "iteration_configuration"]);
    match fields.word::<OwnType>("data_type") {
        Some(OwnType(DataType::SingleSelect)) => SelectFieldBody::from_json(fields).map(AddUserFieldBody::SingleSelect),
        Some(OwnType(DataType::Iteration)) => IterationFieldBody::from_json(fields).map(AddUserFieldBody::Iteration),
        Some(_) => PlainFieldBody::from_json(fields).map(AddUserFieldBody::Plain),
        None => {
            fields.field::<String>("name");
            fields.field::<Word<OwnType>>("data_type");
            None
        }
    }
}

impl From<AddUserFieldBody> for OwnField {
    fn from(body: AddUserFieldBody) -> Self {
        match body {
            AddUserFieldBody::Plain(PlainFieldBody { name, data_type }) => {
                let kind = match data_type.0 {
                    PlainType::Text => OwnKind::Text,
                    PlainType::Number => OwnKind::Number,
                    PlainType::Date => OwnKind::Date,
                };
                Self { name, kind }
            }
            AddUserFieldBody::SingleSelect(SelectFieldBody { name, single_select_options, .. }) => {
                let options = single_select_options.0.into_iter().map(NewOption::from).collect();
                Self { name, kind: OwnKind::SingleSelect(options) }
            }
            AddUserFieldBody::Iteration(IterationFieldBody { name, iteration_configuration, .. }) => {
                Self { name, kind: OwnKind::Iteration(iteration_configuration.into()) }
            }
        }
    }
}

impl From<AddUserFieldBody> for NewField {
    fn from(body: AddUserFieldBody) -> Self {
        Self::Own(body.into())
    }
}

/// State files have the same forms.
impl FromJson for OwnField {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        own_field(fields).map(Self::from)
    }
}

/// A field that mirrors an issue field.
#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct FromIssueFieldBody {
    /// The issue field to mirror.
    issue_field_id: i64,
    /// If present, the name of the issue field.
    name: Option<String>,
    /// If present, the data type of the issue field.
    data_type: Option<String>,
}
from_json!(
    #[deny_unknown_fields]
    FromIssueFieldBody { issue_field_id, name, data_type }
);

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct PlainFieldBody {
    name: String,
    data_type: Word<PlainType>,
}
from_json!(
    #[deny_unknown_fields]
    PlainFieldBody { name, data_type }
);

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct SelectFieldBody {
    name: String,
    #[expect(dead_code, reason = "it has chosen this form")]
    data_type: Word<SelectType>,
    single_select_options: Bounded<OptionBody, 1, OPTIONS_MAX>,
}
from_json!(
    #[deny_unknown_fields]
    SelectFieldBody { name, data_type, single_select_options }
);

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct IterationFieldBody {
    name: String,
    #[expect(dead_code, reason = "it has chosen this form")]
    data_type: Word<IterationType>,
    iteration_configuration: IterationsBody,
}
from_json!(
    #[deny_unknown_fields]
    IterationFieldBody { name, data_type, iteration_configuration }
);

/// The data types of a project's own fields.
#[derive(Debug, Clone, Copy)]
struct OwnType(DataType);

impl Words for OwnType {
    const ALL: &'static [Self] = &[
        OwnType(DataType::Text),
        OwnType(DataType::Number),
        OwnType(DataType::Date),
        OwnType(DataType::SingleSelect),
        OwnType(DataType::Iteration),
    ];

    fn word(self) -> &'static str {
        self.0.as_str()
    }
}

#[derive(Debug, Clone, Copy)]
enum PlainType {
    Text,
    Number,
    Date,
}

impl Words for PlainType {
    const ALL: &'static [Self] = &[PlainType::Text, PlainType::Number, PlainType::Date];

    fn word(self) -> &'static str {
        match self {
            PlainType::Text => DataType::Text.as_str(),
            PlainType::Number => DataType::Number.as_str(),
            PlainType::Date => DataType::Date.as_str(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct SelectType;

impl Words for SelectType {
    const ALL: &'static [Self] = &[SelectType];

    fn word(self) -> &'static str {
        DataType::SingleSelect.as_str()
    }
}

#[derive(Debug, Clone, Copy)]
struct IterationType;

impl Words for IterationType {
    const ALL: &'static [Self] = &[IterationType];

    fn word(self) -> &'static str {
        DataType::Iteration.as_str()
    }
}
