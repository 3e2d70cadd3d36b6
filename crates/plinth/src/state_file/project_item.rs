//! Items of projects in the format of the state file.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::name::Name;

/// An issue or a pull request in a project.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectItem {
    /// `owner/name#number`.
    pub content: Name,
    /// Who has added it; by default the owner of the project.
    pub creator: Option<Name>,
    /// By names of fields. Options and iterations are named by their names and titles; null clears a value.
    #[serde(default)]
    pub values: Map<String, Value>,
}
