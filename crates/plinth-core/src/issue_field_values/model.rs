//! Values of issue fields as they are stored.

use crate::issue_fields::model::{DataType, Visibility};
use crate::projects::Color;
use plinth_base::ids::{IssueFieldId, IssueFieldOptionId, IssueId};
use plinth_store::from_row;

/// The value of a field on an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldValue {
    pub issue: IssueId,
    pub field: IssueFieldId,
    pub field_name: String,
    pub data_type: DataType,
    pub visibility: Visibility,
    /// A text, a date or a number in decimal digits; `None` for fields with options.
    pub text: Option<String>,
    pub options: Vec<ValueOption>,
}

impl FieldValue {
    /// The number of a number field.
    pub fn number(&self) -> Option<f64> {
        self.text.as_deref().filter(|_| self.data_type == DataType::Number)?.parse().ok()
    }
}

/// An option that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueOption {
    pub id: IssueFieldOptionId,
    pub name: String,
    pub color: Color,
}

/// The columns of a value.
pub(super) struct ValueRow {
    pub issue: IssueId,
    pub field: IssueFieldId,
    pub field_name: String,
    pub data_type: DataType,
    pub visibility: Visibility,
    pub text: Option<String>,
}

from_row!(ValueRow { issue, field, field_name, data_type, visibility, text });

/// The columns of an option that was chosen.
pub(super) struct OptionRow {
    pub issue: IssueId,
    pub field: IssueFieldId,
    pub id: IssueFieldOptionId,
    pub name: String,
    pub color: Color,
}

from_row!(OptionRow { issue, field, id, name, color });
