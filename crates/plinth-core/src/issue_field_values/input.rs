//! Input to set the values of issue fields.

use plinth_base::ids::IssueFieldId;

/// A value for one field.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFieldValue {
    pub field: IssueFieldId,
    pub value: FieldValueInput,
}

/// A value as the caller sends it. Options are named.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValueInput {
    Text(String),
    Number(f64),
    List(Vec<String>),
}
