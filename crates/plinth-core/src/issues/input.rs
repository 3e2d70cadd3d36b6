//! Input to create or change an issue.

use super::model::{IssueState, StateReason};
use crate::issue_field_values::NewFieldValue;
use crate::labels::NewLabel;

/// The body of `POST …/issues`.
#[derive(Debug, Clone, Default)]
pub struct NewIssue {
    pub title: String,
    pub body: Option<String>,
    pub labels: Vec<NewLabel>,
    /// Logins.
    pub assignees: Vec<String>,
    pub field_values: Vec<NewFieldValue>,
}

/// The body of `PATCH …/issues/{issue_number}`; `None` means unchanged.
#[derive(Debug, Clone, Default)]
pub struct IssueChanges {
    pub title: Option<String>,
    pub body: Option<Option<String>>,
    pub state: Option<IssueState>,
    pub state_reason: Option<StateReason>,
    /// All labels afterwards.
    pub labels: Option<Vec<NewLabel>>,
    /// Logins of all assignees afterwards.
    pub assignees: Option<Vec<String>>,
    /// Added to the existing values.
    pub field_values: Vec<NewFieldValue>,
}
