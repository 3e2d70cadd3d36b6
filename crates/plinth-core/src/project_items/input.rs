//! Input of the operations on project items.

use plinth_base::ids::ProjectFieldId;

use super::ContentKind;

/// The issue or pull request to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewItem {
    ById { kind: ContentKind, id: i64 },
    ByNumber { kind: ContentKind, owner: String, repo: String, number: i64 },
}

/// A new value of one field; `None` clears it.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    pub field: ProjectFieldId,
    pub value: Option<ValueInput>,
}

/// A value as the caller sends it. Options and iterations are named by their ids.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueInput {
    Text(String),
    Number(f64),
}
