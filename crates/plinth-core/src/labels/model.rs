//! Labels as they are stored.

use plinth_base::ids::{LabelId, RepoId};
use plinth_store::from_row;

/// A label of a repository.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Label {
    pub id: LabelId,
    pub repo_id: RepoId,
    pub name: String,
    /// Six hexadecimal digits in lower case.
    pub color: String,
    pub description: Option<String>,
}

from_row!(Label { id, repo_id, name, color, description });
