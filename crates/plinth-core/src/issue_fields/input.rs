//! Input to create or change an issue field.

use plinth_base::ids::IssueFieldOptionId;

use super::model::{DataType, Visibility};
use crate::projects::Color;

/// The body of `POST …/issue-fields`.
#[derive(Debug, Clone)]
pub struct NewIssueField {
    pub name: String,
    pub description: Option<String>,
    pub data_type: DataType,
    pub visibility: Visibility,
    pub options: Option<Vec<OptionInput>>,
}

/// The body of `PATCH …/issue-fields/{issue_field_id}`; `None` means unchanged.
#[derive(Debug, Clone, Default)]
pub struct IssueFieldChange {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    /// The type that the caller expects the field to have.
    pub data_type: Option<DataType>,
    pub visibility: Option<Visibility>,
    pub options: Option<Vec<OptionInput>>,
}

/// One option of either body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionInput {
    /// The id of an existing option; `None` for a new one.
    pub id: Option<IssueFieldOptionId>,
    pub name: String,
    pub description: Option<String>,
    pub color: Color,
    /// A state file may leave it out; the position in the list decides then.
    pub priority: Option<i64>,
}

impl OptionInput {
    /// For a new field, which has no existing options.
    pub fn without_id(self) -> Self {
        Self { id: None, ..self }
    }
}
