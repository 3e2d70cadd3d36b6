//! Issue fields: what an organization records about all its issues.

mod input;
pub mod model;
pub mod operations;
pub mod rules;
pub mod store;

pub use input::{IssueFieldChange, NewIssueField, OptionInput};
