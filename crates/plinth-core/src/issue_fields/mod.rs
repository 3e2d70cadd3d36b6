//! Issue fields: fields that an organization defines for all its issues.

mod input;
pub mod model;
pub mod operations;
pub mod rules;
pub mod store;

pub use input::{IssueFieldChange, NewIssueField, OptionInput};
