//! What a caller sends to create or change an issue field.

use plinth_base::ids::IssueFieldOptionId;

use super::model::{DataType, Visibility};
use crate::projects::Color;

/// The body that creates a field.
#[derive(Debug, Clone)]
pub struct NewIssueField {
    pub name: String,
    pub description: Option<String>,
    pub data_type: DataType,
    pub visibility: Visibility,
    pub options: Option<Vec<OptionInput>>,
}

/// The body that changes a field; what is `None` stays as it is.
#[derive(Debug, Clone)]
pub struct IssueFieldChange {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub visibility: Option<Visibility>,
    pub options: Option<Vec<OptionInput>>,
}

/// One option of either body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionInput {
    /// The existing option that is meant; a new one has none.
    pub id: Option<IssueFieldOptionId>,
    pub name: String,
    pub description: Option<String>,
    pub color: Color,
    /// Left out, the place in the list decides.
    pub priority: Option<i64>,
}

impl OptionInput {
    /// A new field has no options that could be meant.
    pub fn without_id(self) -> Self {
        Self { id: None, ..self }
    }
}
