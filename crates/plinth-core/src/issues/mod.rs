//! Issues, and pull requests as issues: texts, states, labels, assignees and lists.

pub mod across;
pub mod assignee_store;
mod assignees;
pub mod events;
mod input;
mod labels;
pub mod listing;
mod model;
pub mod operations;
pub mod rules;
pub mod store;

pub use assignees::{add_assignees, remove_assignees};
pub use input::{IssueChanges, NewIssue};
pub use labels::{add_labels, remove_all_labels, remove_label, set_labels};
pub use model::{Issue, IssueState, PullPart, StateReason};
